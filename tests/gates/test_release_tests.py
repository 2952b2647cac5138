"""tests/slurm/release_tests.py names tests that there are."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "slurm"))
import release_tests  # noqa: E402


def test_each_row_names_tests_that_there_are():
    for row, why in release_tests.DEPENDS.items():
        name, _, start = row.partition("[")[0].partition("::")
        assert re.search(rf"^def {start or 'test_'}", (ROOT / "tests/slurm" / name).read_text(), re.MULTILINE), row
        assert why, row


def test_a_row_is_found_by_the_start_of_a_test():
    assert release_tests.row_of("test_layouts.py::test_standalone[-n16]") == "test_layouts.py"
    assert release_tests.row_of("test_unharmed.py::test_signals_while_running[TERM]") == "test_unharmed.py::test_signals_while"
    assert release_tests.row_of("test_unharmed.py::test_same_as_plain[auto-0]") is None
