# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""tests/mutations/mutations.yaml says what is in the sources, and tests that there are."""

import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "mutations"))
from run_mutations import Mutation, mutations


def test_each_is_in_its_file_once_and_has_tests():
    for mutation in mutations():
        text = (ROOT / mutation.file).read_text()
        assert mutation.made_in(text) != text
        assert mutation.tests, mutation.keeps
        for test in mutation.tests:
            name, _, which = test.partition("::")
            written = (ROOT / name).read_text()
            if name.endswith(".py"):
                function, _, case = which.removesuffix("]").partition("[")
                assert f"\ndef {function}(" in written, test
                of_several = all(f'"{part}"' in written for part in case.split("-"))  # parameters
                assert f'"{case}"' in written or of_several or not case, test
            else:
                suite, case = re.fullmatch(r"(?:\*)?(\w+)\.(\w+)(?:/\*)?", which).groups()
                assert re.search(rf"\nTEST(_F|_P)?\({suite}, {case}\)", written), test


def test_spaces_between_words_are_any():
    mutation = Mutation({"keeps": "it", "file": "a.cpp", "source": "if (a &&  b)", "mutant": r"if (\1)", "tests": []})
    assert mutation.made_in("x;\nif (a &&\n        b) c;\n") == "x;\nif (\\1) c;\n"


@pytest.mark.parametrize("text", ["", "a b a b"])
def test_what_is_not_there_once_is_refused(text):
    mutation = Mutation({"keeps": "it", "file": "a.cpp", "source": "a b", "mutant": "", "tests": []})
    with pytest.raises(ValueError, match="a.cpp: what keeps 'it' is there [02] times"):
        mutation.made_in(text)
