# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""tests/slurm/lib/release_tests.py names tests that there are."""

import pathlib
import re
import sys

import patience

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "slurm" / "lib"))
import release_tests


def test_each_row_selects_tests_and_says_why():
    done = patience.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only", "tests/slurm"],
                        cwd=ROOT, capture_output=True, text=True)
    tests = [re.sub("^.*/", "", line.partition("::")[0]) + "::" + line.partition("::")[2] for line in done.stdout.splitlines() if line.startswith("tests/slurm/")]
    assert done.returncode == 0 and tests, done

    for row, why in release_tests.DEPENDS.items():
        assert any(test.startswith(row) for test in tests), row
        assert why, row


def test_a_row_is_found_by_the_start_of_a_test():
    assert release_tests.row_of("test_layouts.py::test_standalone[-n16]") == "test_layouts.py"
    assert release_tests.row_of("test_unharmed.py::test_signals_while_running[TERM]") == "test_unharmed.py::test_signals_while"
    assert release_tests.row_of("test_unharmed.py::test_same_as_plain[auto-0]") is None
