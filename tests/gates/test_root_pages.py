# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Pages at the root beside what they speak of, and how long they may be."""

import pathlib
import re

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_what_contributing_names_is_there():
    named = re.findall(r"`((?:src|tests|docs|scripts)/[\w./-]+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert len(named) > 10
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_citation_has_the_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    assert citation["license"] == "Apache-2.0" and "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")


@pytest.mark.parametrize("page, lines", [("README.md", 120), ("ROADMAP.md", 30)])
def test_a_page_at_the_root_is_short(page, lines):
    assert 10 < len((ROOT / page).read_text(encoding="utf-8").splitlines()) <= lines


def test_the_readme_goes_from_what_it_is_to_how_to_cite_it():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)", text, re.MULTILINE) == ["What it needs and supports", "Install", "First run", "Results", "Limits", "How to cite"]
    prose = [line for line in text.partition("\n## ")[0].splitlines()[1:] if line and not line.startswith("    ")]
    assert len(prose) == 1 and len(re.findall(r"[.!?](?= |$)", prose[0])) == 2  # what it is: two sentences, and a drawing
    for command in ("scripts/demo", "scripts/test"):
        assert re.search(rf"^    {command} ", text, re.MULTILINE) and (ROOT / command).exists(), command
