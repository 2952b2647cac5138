"""CONTRIBUTING.md and CITATION.cff beside what they speak of, and how long a page at the root may be."""

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


@pytest.mark.parametrize("page, lines", [("ROADMAP.md", 30)])
def test_a_page_at_the_root_is_short(page, lines):
    assert 10 < len((ROOT / page).read_text(encoding="utf-8").splitlines()) <= lines
