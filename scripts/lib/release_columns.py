#!/usr/bin/env python3
# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Fills and checks the column `Slurm` of tables in docs: with which releases of Slurm the tests of each row have passed.

release_columns.py --write REPORT...  fills the column from runs of tests/slurm. A release without a report keeps its entries, and so
                                      does a row whose tests a report lacks
release_columns.py REPORT             prints a line for each row that names the report's release, while a test of the row was
                                      skipped or failed in the report; exit code 1 if there is such a row
REPORT: slurm-RELEASE.xml, the JUnit report that scripts/test makes of tests/slurm. A row's tests stand in its column `test`.
"""

import argparse
import pathlib
import re
import sys

import summary

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ("docs/user/launch.md", "docs/user/recorder.md")
TEST, COLUMN = "test", "Slurm"
NO_SLURM = "not needed"
IN_PART = " (in part)"


def cells_of(line):
    """Of a row of a table; a bar behind a backslash is text."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def tests_of(cell):
    """FILE.py, FILE.py::NAME or FILE.py::NAME[CASE] of each test of tests/slurm that a cell names; a NAME alone is of the file before."""
    tests, file = [], ""
    for word in re.findall(r"`([^`]+)`", cell):
        if re.match(r"test_\w+\.py", word):
            file = word.split("::")[0]
            tests.append(word)
        elif word.startswith("test_") and file:
            tests.append(f"{file}::{word}")
    return tests


def outcomes_of(test, report):
    """Of a test's cases in a report."""
    one_of_them = re.compile(rf"tests/slurm/(\w+/)?{re.escape(test)}(\[|::|$)")
    return [each["outcome"] for each in report if one_of_them.match(each["test"])]


def ran(tests, report):
    """Whether the tests of a row have passed in a report: "yes", "in part" where cases were skipped, "no"; None: not in the report."""
    outcomes = [outcomes_of(test, report) for test in tests]
    if not all(outcomes):
        return None
    if any("failed" in each or not {"passed", "known fault"} & set(each) for each in outcomes):
        return "no"
    return "in part" if any("skipped" in each for each in outcomes) else "yes"


def releases_of(cell):
    """What a cell says: release -> "yes" or "in part"."""
    words = [word.strip() for word in cell.split(",")]
    return {word.removesuffix(IN_PART): "in part" if word.endswith(IN_PART) else "yes" for word in words if word[:1].isdigit()}


def written(tests, reports, before):
    """The cell of a row. A release whose report lacks the tests keeps what the cell said before."""
    if not tests:
        return NO_SLURM
    found = releases_of(before)
    for release, report in reports.items():
        how = ran(tests, report)
        if how is not None:
            found[release] = how
    return ", ".join(release + (IN_PART if how == "in part" else "") for release, how in sorted(found.items()) if how != "no")


def rows_of(lines):
    """Number of the line, cells, and index of the columns `test` and `Slurm`, of each row of a table that has both."""
    columns = None
    for number, line in enumerate(lines):
        if not line.startswith("|"):
            columns = None
            continue
        cells = cells_of(line)
        if columns is None:
            columns = (cells.index(TEST), cells.index(COLUMN)) if {TEST, COLUMN} <= set(cells) else ()
        elif columns and set(line) - set("|-: \n"):
            yield number, cells, *columns


def write(page, reports):
    """Fills the column of a page's tables."""
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    for number, cells, test, column in rows_of(lines):
        cells[column] = written(tests_of(cells[test]), reports, cells[column])
        lines[number] = "| " + " | ".join(cells) + " |\n"
    page.write_text("".join(lines), encoding="utf-8")


def differences(page, release, report):
    """A line for each row of a page that says more than a report shows."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, cells, test, column in rows_of(lines):
        says = releases_of(cells[column]).get(release)
        how = ran(tests_of(cells[test]), report)
        if says and (how == "no" or how == "in part" and says == "yes"):
            yield f"{page.name}:{number + 1}: a test of this row was skipped or failed with Slurm {release}: {cells[0]}"


def report_of(path):
    """The release and the tests of a report."""
    found = re.fullmatch(r"slurm-(\d+\.\d+)\.xml", path.name)
    if not found:
        sys.exit(f"release_columns.py: {path}: expected a report that is called slurm-RELEASE.xml")
    return found.group(1), list(summary.tests_in(path))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="fill the column")
    parser.add_argument("--pages", nargs="+", type=pathlib.Path, default=[ROOT / page for page in PAGES], help="default: %(default)s")
    parser.add_argument("reports", nargs="+", type=pathlib.Path, metavar="REPORT")
    arguments = parser.parse_args()
    reports = dict(map(report_of, arguments.reports))
    if arguments.write:
        for page in arguments.pages:
            write(page, reports)
        return
    lines = [line for page in arguments.pages for release, report in reports.items() for line in differences(page, release, report)]
    print("\n".join(lines), end="\n" if lines else "")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
