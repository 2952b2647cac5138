# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The table of hooks in plugin.cpp: each row of it is tested, and the tests that it names are there."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = (ROOT / "src/spank_commmap/plugin.cpp").read_text(encoding="utf-8").split("#include")[0]
SITUATIONS = re.findall(r"^// \| (?!situation)(\w+) +\|", TABLE, re.MULTILINE)
NAMED = re.findall(r"^// (\w+): (test_\w+\.py)::(test_\w+)$", TABLE, re.MULTILINE)


def test_each_row_has_a_case_for_each_hook():
    unit = (ROOT / "tests/spank_commmap/srun/srun_launch_test.cpp").read_text(encoding="utf-8")
    cases = re.findall(r'^    \{"(\w+)",', unit, re.MULTILINE)
    assert len(cases) == 10 and SITUATIONS == cases * 2


def test_each_row_names_tests_of_the_emulated_cluster():
    assert {situation for situation, _, _ in NAMED} == set(SITUATIONS)


def test_the_named_tests_are_there():
    for _, file, test in NAMED:
        assert f"def {test}(" in (ROOT / "tests/slurm" / file).read_text(encoding="utf-8"), f"{file}::{test}"
