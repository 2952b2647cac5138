# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The table of hooks in plugin.cpp: each row of it is tested, and the tests that it names are there."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = (ROOT / "src/spank_commmap/plugin.cpp").read_text(encoding="utf-8").split("#include")[0]
LINES = [[cell.strip() for cell in line.split("|")[1:-1]] for line in re.findall(r"^// (\|.*\|)$", TABLE, re.MULTILINE)]
SITUATIONS = re.findall(r"^// \| (?!situation)(\w+) +\|", TABLE, re.MULTILINE)
NAMED = re.findall(r"^// (\w+): (test_\w+\.py)::(test_\w+)$", TABLE, re.MULTILINE)
UNIT_TESTS = ["srun/srun_launch_test.cpp", "slurmstepd/step_hooks_test.cpp"]  # in the order of the tables


def table(number):
    """One table of the source: the names of its hooks, and the cells of each situation."""
    heads = [at for at, line in enumerate(LINES) if line[0] == "situation"] + [len(LINES)]
    rows = LINES[heads[number]:heads[number + 1]]
    return rows[0][1:], {row[0]: row[1:] for row in rows[2:]}


def groups(text):
    """The outermost {} of a C++ initializer, without their braces."""
    found, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        if letter == "{":
            begin = at + 1 if depth == 0 else begin
            depth += 1
        elif letter == "}":
            depth -= 1
            if depth == 0:
                found.append(text[begin:at])
    return found


def cases(number):
    """One unit test: the names of its hooks, and what it expects of each of them in each situation."""
    unit = (ROOT / "tests/spank_commmap" / UNIT_TESTS[number]).read_text(encoding="utf-8")
    hooks = re.search(r"char\* const hooks\[\] = \{(.*?)\};", unit, re.DOTALL).group(1)
    situations = groups(re.search(r"^const Situation situations\[\] = (\{.*?^\});", unit, re.DOTALL | re.MULTILINE).group(1))[0]
    return re.findall(r'"(\w+)"', hooks), {re.search(r'"(\w+)"', row).group(1): groups(groups(row)[-1]) for row in groups(situations)}


def test_each_row_has_a_case_for_each_hook():
    for number in (0, 1):
        hooks, rows = table(number)
        assert cases(number)[0] == hooks, UNIT_TESTS[number]
        assert list(cases(number)[1]) == list(rows) and len(rows) == 10, UNIT_TESTS[number]
        assert {len(expected) for expected in cases(number)[1].values()} == {len(hooks)}, UNIT_TESTS[number]


def test_an_empty_cell_is_a_case_in_which_nothing_happens():
    for number in (0, 1):
        hooks, rows = table(number)
        for situation, expected in cases(number)[1].items():
            for hook, cell, deeds in zip(hooks, rows[situation], expected):
                # a step that another release of srun lets run has its variables removed
                deeds = re.sub("option_is_gone", "", deeds) if (hook, cell) == ("task_init", "not called") else deeds
                happens = bool(deeds.strip(", "))
                empty = cell in ("-", "not called")
                # a note at the table says when something happens, and when not
                assert happens != empty or (cell.endswith(")") and not empty), f"{UNIT_TESTS[number]}: {situation}, {hook}"


def test_each_row_names_tests_of_the_emulated_cluster():
    assert {situation for situation, _, _ in NAMED} == set(SITUATIONS)


def test_the_named_tests_are_there():
    for _, file, test in NAMED:
        (path,) = (ROOT / "tests/slurm").rglob(file)
        assert f"def {test}(" in path.read_text(encoding="utf-8"), f"{file}::{test}"
