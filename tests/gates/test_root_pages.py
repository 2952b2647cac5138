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


def missing_tests(text, root):
    """Of `tests/PATH` and `tests/PATH (NAME, ...)`: what is not there. A name is one of a fuzz target, or stands in the file."""
    missing = []
    for path, names in re.findall(r"\b(tests/[\w./-]*\w)(?: \(([\w, ]+)\))?", text):
        file = root / path
        if not file.exists():
            missing.append(path)
            continue
        for name in filter(None, names.split(", ")):
            found = (file / f"{name}_fuzz.cpp").exists() if file.is_dir() else re.search(rf"\b{name}\b", file.read_text(encoding="utf-8"))
            if not found:
                missing.append(f"{path} ({name})")
    return missing


def test_tests_that_security_names_are_there():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) >= 10
    assert [row for row in rows if "tests/" not in row and not row.endswith("| test |")] == []
    assert missing_tests(text, ROOT) == []


def test_a_missing_test_is_found(tmp_path):
    (tmp_path / "tests/fuzz").mkdir(parents=True)
    (tmp_path / "tests/fuzz/text_fuzz.cpp").touch()
    (tmp_path / "tests/one_test.cpp").write_text("TEST_F(Class, Name) {}")
    assert missing_tests("tests/fuzz (text), tests/one_test.cpp (Class, Name).", tmp_path) == []
    assert missing_tests("(tests/fuzz (text, node), tests/two.py) tests/one_test.cpp (Other)", tmp_path) == ["tests/fuzz (node)", "tests/two.py", "tests/one_test.cpp (Other)"]


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
