# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""scripts/lib/release_columns.py: pages name the releases of Slurm with which their tests have passed."""

import pathlib
import re
import sys

import patience
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/lib/release_columns.py"
sys.path.append(str(ROOT / "scripts/lib"))

import release_columns

PAGE = """Text.

| what | test | Slurm |
|---|---|---|
| one | `test_a.py::test_one` | old text |
| cases | `test_a.py::test_cases` | |
| one case | `test_a.py::test_cases[x]`, `test_one` | |
| a file | `test_b.py`, by `srun` | |
| a unit test | tests/core/cpus/machines_test.cpp | |

| test | Slurm says |
|---|---|
| `test_a.py::test_one` | hello |
"""


def report(**outcomes):
    children = {"passed": "", "skipped": "<skipped/>", "failed": "<failure message='no'/>"}
    cases = [("test_a", "test_one"), ("test_a", "test_cases[x]"), ("test_a", "test_cases[y]"), ("test_b", "test_last")]
    return "<testsuites><testsuite>" + "".join(
        f"<testcase classname='tests.slurm.{file}' name='{name}' time='1'>{children[outcomes.get(re.sub(r'[^a-z]+', '_', name).strip('_'), 'passed')]}</testcase>"
        for file, name in cases) + "</testsuite></testsuites>"


@pytest.fixture(name="columns")
def _columns(tmp_path):
    (tmp_path / "page.md").write_text(PAGE)

    def run(*words, **reports):
        files = {tmp_path / f"slurm-{release[1:].replace('_', '.')}.xml": text for release, text in reports.items()}
        for file, text in files.items():
            file.write_text(text)
        return patience.run([SCRIPT, *words, "--pages", tmp_path / "page.md", "--", *files], capture_output=True, text=True)

    run.page = tmp_path / "page.md"
    return run


def column(page):
    return [release_columns.cells_of(line)[2] for line in page.read_text().splitlines()[4:9]]


def test_the_column_is_made_of_reports(columns):
    done = columns("--write", r22_05=report(), r24_11=report(test_cases_y="skipped", test_last="skipped"), r26_05=report(test_one="failed"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert column(columns.page) == ["22.05, 24.11", "22.05, 24.11 (in part), 26.05", "22.05, 24.11", "22.05, 26.05", "not needed"]
    assert "| `test_a.py::test_one` | hello |" in columns.page.read_text()


def test_a_release_that_was_not_run_keeps_its_entries(columns):
    assert columns("--write", r22_05=report(), r24_11=report()).returncode == 0
    assert columns("--write", r24_11="<testsuites/>", r26_05=report(test_one="failed")).returncode == 0
    assert column(columns.page)[:2] == ["22.05, 24.11", "22.05, 24.11, 26.05"]


def test_a_known_fault_is_no_skipped_test(columns):
    fault = report(test_cases_y="skipped").replace("<skipped/>", "<skipped type='pytest.xfail'/>")
    assert columns("--write", r22_05=fault).returncode == 0
    assert column(columns.page)[1] == "22.05"


def test_a_row_that_says_more_than_was_run_is_named(columns):
    assert columns("--write", r22_05=report(), r24_11=report()).returncode == 0
    assert columns(r22_05=report()).stdout == ""
    done = columns(r24_11=report(test_cases_y="skipped", test_last="skipped"))
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "page.md:6: a test of this row was skipped or failed with Slurm 24.11: cases",
        "page.md:8: a test of this row was skipped or failed with Slurm 24.11: a file"]


def test_a_test_that_a_run_left_out_says_nothing(columns):
    assert columns("--write", r22_05=report()).returncode == 0
    assert columns(r22_05="<testsuites/>").returncode == 0


def test_a_report_of_no_release_is_refused(tmp_path):
    done = patience.run([SCRIPT, tmp_path / "ctest.xml"], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.endswith("expected a report that is called slurm-RELEASE.xml\n"), done


@pytest.mark.parametrize("page", release_columns.PAGES)
def test_rows_of_the_pages_name_tests_that_exist(page):
    """Each row has a column that was filled, and names files and functions of tests/slurm."""
    rows = list(release_columns.rows_of((ROOT / page).read_text().splitlines()))
    assert len(rows) > 10
    for _, cells, test, filled in rows:
        assert cells[filled], cells
        for name in release_columns.tests_of(cells[test]):
            file, _, function = name.partition("::")
            (path,) = (ROOT / "tests/slurm").rglob(file)
            text = path.read_text()
            assert not function or re.search(rf"^def {function.split('[')[0]}\(", text, re.MULTILINE), name
