"""tests/protections/protections.yaml says what is in the sources, and tests that there are."""

import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "protections"))
from without import Protection, protections


def test_each_is_in_its_file_once_and_has_tests():
    for protection in protections():
        text = (ROOT / protection.file).read_text()
        assert protection.taken_out_of(text) != text
        assert protection.tests, protection.keeps
        for test in protection.tests:
            name, _, which = test.partition("::")
            written = (ROOT / name).read_text()
            if name.endswith(".py"):
                function, _, case = which.removesuffix("]").partition("[")
                assert f"\ndef {function}(" in written, test
                assert f'"{case}"' in written or not case, test
            else:
                suite, case = re.fullmatch(r"(?:\*)?(\w+)\.(\w+)(?:/\*)?", which).groups()
                assert re.search(rf"\nTEST(_F|_P)?\({suite}, {case}\)", written), test


def test_spaces_between_words_are_any():
    protection = Protection({"keeps": "it", "file": "a.cpp", "protection": "if (a &&  b)", "without": r"if (\1)", "tests": []})
    assert protection.taken_out_of("x;\nif (a &&\n        b) c;\n") == "x;\nif (\\1) c;\n"


@pytest.mark.parametrize("text", ["", "a b a b"])
def test_what_is_not_there_once_is_refused(text):
    protection = Protection({"keeps": "it", "file": "a.cpp", "protection": "a b", "without": "", "tests": []})
    with pytest.raises(ValueError, match="a.cpp: what keeps 'it' is there [02] times"):
        protection.taken_out_of(text)
