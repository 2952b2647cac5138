# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What recording may take at most: docs/user/recorder.md says it, and the sources keep to it."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| (\d+)( MiB| s)? \| `(\w+)` \(([\w/.]+)\) \|$", re.MULTILINE)


def rows(page):
    return ROW.findall(page.split("### What recording may take at most")[1].split("###")[0])


PAGE = (ROOT / "docs/user/recorder.md").read_text(encoding="utf-8")


def value(source, name, unit):
    """Of `NAME = 512`, `NAME = std::size_t{16} << 20` or `NAME{4}`, in the unit of the row."""
    found = re.search(rf"\b{name}(?: = |\{{)(?:std::\w+\{{)?(\d+)\}}?(?: << (\d+))?(?:;|\}};)", source)
    assert found, f"no constant {name}"
    number = int(found[1]) << int(found[2] or 0)
    return number >> 20 if found[2] and unit == " MiB" else number


def test_each_row_of_the_table_is_read():
    lines = [line for line in PAGE.split("### What recording may take at most")[1].split("###")[0].splitlines() if line.startswith("|")]
    assert len(rows(PAGE)) == len(lines) - 2 >= 10


@pytest.mark.parametrize("who, what, most, unit, name, path", rows(PAGE), ids=lambda text: text.strip())
def test_the_page_says_what_the_source_does(who, what, most, unit, name, path):
    assert value((ROOT / path).read_text(encoding="utf-8"), name, unit) == int(most), (who, what)


def test_another_number_is_seen():
    assert value("constexpr std::size_t limit = std::size_t{17} << 20;", "limit", " MiB") == 17
    assert value("constexpr std::chrono::seconds limit{5};", "limit", " s") == 5
    with pytest.raises(AssertionError, match="no constant limit"):
        value("constexpr int other_limit = 3;", "limit", "")
