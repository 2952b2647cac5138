# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Whether JSON has the keys that a page's table says: `check(document, page, heading)`, the table with the header "| key | |"."""

import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def rows(page, behind):
    """[(keys of the first column, all words in backquotes)] of the table behind a line of the page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    table = text[text.index(f"\n{behind}\n"):].split("| key | |\n", 1)[1].split("\n\n", 1)[0]
    lines = [line.split("|", 2)[1:] for line in table.splitlines()[1:]]
    assert lines
    return [(re.findall(r"`(\w+)`", first), re.findall(r"`(\w+)`", first + rest)) for first, rest in lines]


def keys_in(document):
    if isinstance(document, dict):
        return set(document).union(*map(keys_in, document.values()))
    return set().union(*map(keys_in, document)) if isinstance(document, list) else set()


def check(document, page, behind, absent=()):
    """@param absent  keys of the first column that this document need not have"""
    table = rows(page, behind)
    first_column = [key for first, _ in table for key in first]
    assert len(first_column) == len(set(first_column)), f"docs/{page} has a key in two rows: {first_column}"
    named = set(first_column) - set(absent)
    known = {key for _, all_keys in table for key in all_keys}
    real = keys_in(document)
    assert real <= known, f"docs/{page} does not know {sorted(real - known)}"
    assert named <= real, f"docs/{page} has keys that there are not: {sorted(named - real)}"
