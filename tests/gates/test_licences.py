# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Every file names its copyright holder and its licence: `reuse lint` reads what it says, or what .reuse/dep5 says for it."""

import fnmatch
import pathlib
import re
import shutil

import patience
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# in two pieces, as reuse takes whole ones for those of this file
LINES = ("SPDX-" "FileCopyrightText: The commmap authors", "SPDX-" "License-Identifier: Apache-2.0")
SOURCES = {".c", ".cmake", ".cpp", ".F90", ".fbs", ".h", ".hpp", ".py", ".sh"}


def run(*command):
    return patience.run(command, seconds=300, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})


def lint(root):
    return run("reuse", "--root", str(root), "lint")


def files_of_this_tree():
    if not (ROOT / ".git").exists():
        pytest.skip("without git nobody says which files are of the build")
    names = run("git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard").stdout.split("\0")
    return [name for name in names if (ROOT / name).is_file()]


def without_lines(root, names):
    """The sources among these files that do not begin with the two lines, after #!. Empty ones need none."""
    found = []
    for name in names:
        path = root / name
        if (path.suffix in SOURCES or path.name == "CMakeLists.txt") and path.stat().st_size:
            lines = path.read_text(encoding="utf-8").splitlines()
            top = lines[1:3] if lines[0].startswith("#!") else lines[:2]
            if not all(re.fullmatch(r"\W+" + re.escape(line) + r"( \*/)?", is_line) for line, is_line in zip(LINES, top)) or len(top) < 2:
                found.append(name)
    return found


def patterns_of_dep5():
    stanzas = re.findall(r"^Files:((?:.*\n)(?: .*\n)*)", (ROOT / ".reuse/dep5").read_text(), re.M)
    return [pattern for stanza in stanzas for pattern in stanza.split()]


def test_lint_finds_nothing_in_this_tree():
    files_of_this_tree()
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout


def test_sources_of_this_tree_begin_with_the_lines():
    names = files_of_this_tree()
    assert without_lines(ROOT, names) == []
    assert sum(pathlib.Path(name).suffix in SOURCES for name in names) >= 1000


def test_each_pattern_of_dep5_has_files_and_no_sources():
    names = files_of_this_tree()
    for pattern in patterns_of_dep5():
        found = fnmatch.filter(names, pattern)
        assert found and not [name for name in found if pathlib.Path(name).suffix in SOURCES], pattern


def tree(tmp_path, name, text):
    """A small tree that is as it should be, but for this file."""
    (tmp_path / "LICENSES").mkdir()
    shutil.copy(ROOT / "LICENSE", tmp_path / "LICENSES/Apache-2.0.txt")
    (tmp_path / ".reuse").mkdir()
    shutil.copy(ROOT / ".reuse/dep5", tmp_path / ".reuse")
    for place, content in {"src/good.cpp": f"// {LINES[0]}\n// {LINES[1]}\n\nint f();\n", "docs/a.md": "# A\n", name: text}.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(content)
    return tmp_path


@pytest.mark.parametrize("name, text", [
    ("src/a.cpp", f"// {LINES[0]}\n// {LINES[1]}\n\nint f();\n"),
    ("src/a.c", f"/* {LINES[0]} */\n/* {LINES[1]} */\n\nint f(void);\n"),
    ("scripts/a.py", f"#!/usr/bin/python3\n# {LINES[0]}\n# {LINES[1]}\n"),
    ("src/a.cpp", ""),
    ("tests/data/a.xml", "<a/>\n"),
])
def test_lint_accepts(tmp_path, name, text):
    root = tree(tmp_path, name, text)
    assert (lint(root).returncode, without_lines(root, [name])) == (0, [])


@pytest.mark.parametrize("name, text, says", [
    ("src/a.cpp", "int f();\n", "no copyright and licensing information"),
    ("src/a.cpp", f"// {LINES[0]}\nint f();\n", "no licensing information"),
    ("src/a.cpp", f"// {LINES[1]}\nint f();\n", "no copyright information"),
    ("src/a.cpp", f"// {LINES[0]}\n// {LINES[1].replace('Apache-2.0', 'MIT')}\n", "MISSING LICENSES"),
    ("scripts/a", "#!/bin/sh\n", "no copyright and licensing information"),
    ("tests/a.json", "{}\n", "no copyright and licensing information"),
])
def test_lint_refuses(tmp_path, name, text, says):
    result = lint(tree(tmp_path, name, text))
    assert result.returncode == 1 and says in result.stdout and f"* {name}" in result.stdout.replace(f"{tmp_path}/", ""), result.stdout


@pytest.mark.parametrize("text", [f"\n// {LINES[0]}\n// {LINES[1]}\n", f"// {LINES[1]}\n// {LINES[0]}\n", f"// {LINES[0]}\n", "int f();\n"])
def test_lines_that_are_not_at_the_top_are_found(tmp_path, text):
    assert without_lines(tree(tmp_path, "src/a.cpp", text), ["src/a.cpp", "src/good.cpp"]) == ["src/a.cpp"]
