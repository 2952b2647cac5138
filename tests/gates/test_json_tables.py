# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Each table of JSON keys in docs has a test that compares it with real JSON (tests/support/documented.py)."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = "| key | |\n"
# as in documented.check(document, "user/launch.md", "The report:"), and in the lists of what is checked
NAMED = re.compile(r'"((?:[\w-]+/)+[\w-]+\.md)", "([^"\n]+)"')


def unchecked_tables(pages, tests):
    """'PAGE: the line above the table' of each table that no test names.

    @param pages  name in docs -> text
    @param tests  texts
    """
    checked = set()
    for page, behind in NAMED.findall("\n".join(tests)):
        text = pages.get(page, "")
        if f"\n{behind}\n" in text:
            checked.add((page, text.find(HEADER, text.index(f"\n{behind}\n"))))
    tables = [(page, found.start()) for page, text in pages.items() for found in re.finditer(re.escape(HEADER), text)]
    return [f"{page}: {pages[page][:at].rstrip().rpartition(chr(10))[2]}" for page, at in tables if (page, at) not in checked]


def test_each_table_of_keys_is_compared_with_json():
    pages = {str(path.relative_to(ROOT / "docs")): path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")}
    tests = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py") if path != pathlib.Path(__file__).resolve()]
    assert sum(text.count(HEADER) for text in pages.values()) >= 7
    assert unchecked_tables(pages, tests) == []


def test_a_table_without_a_test_is_found():
    table = f"{HEADER}|---|---|\n| `a` | b |\n"
    pages = {"user/page.md": f"# Page\n\nThe report:\n\n{table}\n## JSON\n\n{table}"}
    test = 'documented.check(report, "user/page.md", "The report:")'
    assert unchecked_tables(pages, [test]) == ["user/page.md: ## JSON"]
    assert unchecked_tables(pages, [test, '(other, "user/page.md", "## JSON"),']) == []
    assert unchecked_tables(pages, ['"user/other.md", "## JSON"', '"user/page.md", "JSON"']) == ["user/page.md: The report:", "user/page.md: ## JSON"]
