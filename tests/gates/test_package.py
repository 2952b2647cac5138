# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The library that is installed: a program outside of this project builds with it, and it shows what its headers promise alone."""

import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAJOR, MINOR, _ = (ROOT / "VERSION").read_text().strip().split(".")


def run(*command, **how):
    return subprocess.run(command, capture_output=True, text=True, check=False, **how)


def configure(prefix, build, wanted):
    return run("cmake", "-S", ROOT / "tests/package", "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
               f"-DSOURCE={ROOT / 'docs/examples/map_ranks.cpp'}", f"-DWANTED={wanted}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror")


def test_a_program_outside_maps_a_graph(installed_at, tmp_path):
    done = configure(installed_at, tmp_path, f"{MAJOR}.{MINOR}")
    assert done.returncode == 0, done.stderr
    done = run("cmake", "--build", tmp_path)
    assert done.returncode == 0, done.stdout
    # CMake leaves the library's folder in the program as its run path
    done = run(tmp_path / "map_ranks")
    before, after = map(float, re.search(r"port cost (\S+) in order, (\S+) as placed", done.stdout).groups())
    assert done.returncode == 0 and after < before


@pytest.mark.parametrize("wanted", [f"{MAJOR}.{int(MINOR) + 1}", f"{MAJOR}.{abs(int(MINOR) - 1)}", f"{int(MAJOR) + 1}.0"])
def test_another_minor_version_is_another_library(installed_at, tmp_path, wanted):
    done = configure(installed_at, tmp_path, wanted)
    assert done.returncode != 0 and "compatible with requested" in done.stderr


def test_each_header_stands_alone(installed_at, tmp_path):
    headers = sorted((installed_at / "include/commmap").glob("*"))
    assert [path.name for path in headers] == sorted(path.name for path in (ROOT / "include/commmap").glob("*.hpp"))
    for header in headers:
        source = tmp_path / "alone.cpp"
        source.write_text(f"#include <commmap/{header.name}>\n#include <commmap/{header.name}>\n")
        done = run("g++", "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I", installed_at / "include", source)
        assert done.returncode == 0, done.stderr


def functions_promised(include):
    """Names of the functions that headers mark COMMMAP_EXPORT, each as often as it is marked."""
    marked = "".join(path.read_text() for path in sorted((include / "commmap").glob("*.hpp")))
    return re.findall(r"COMMMAP_EXPORT (?!\[\[)[^;{(]*?(\w+)\(", marked)


def symbol_faults(include, library):
    """Functions that headers mark and the library does not show, and symbols that it shows beside them."""
    said = run("nm", "-DC", "--defined-only", library).stdout
    left = functions_promised(include)
    for line in said.splitlines():
        name = re.match(r"\w+ \w commmap::(?:\w+::)*(\w+)\(", line)
        if name and name[1] in left:
            left.remove(name[1])
        else:
            yield f"shown: {line.partition(' ')[2]}"
    yield from (f"hidden: {name}" for name in left)


def test_shows_what_the_headers_mark_and_no_more(installed_at):
    """Each function that is marked COMMMAP_EXPORT, once."""
    assert len(functions_promised(ROOT / "include")) > 10
    assert list(symbol_faults(ROOT / "include", installed_at / f"lib/libcommmap.so.{MAJOR}.{MINOR}")) == []


MARKED = ["int one()", "void two(int first)", "void two(long first)"]


@pytest.mark.parametrize("source, found", [
    ("namespace commmap { int one() { return 1; } void two(int) {} void two(long) {} }", []),
    ("namespace commmap { int one() { return 1; } void two(int) {} void two(long) {} void three() {} }", ["shown: T commmap::three()"]),
    ("namespace commmap { int one() { return 1; } void two(int) {} void two(long) {} int four; }", ["shown: B commmap::four"]),
    ("namespace commmap { int one() { return 1; } void two(int) {} void two(long) {} } namespace other { void two(char) {} }",
     ["shown: T other::two(char)"]),
    ("namespace commmap { int one() { return 1; } void two(int) {} void two(long) {} void two(char) {} }", ["shown: T commmap::two(long)"]),
    ("namespace commmap { int one() { return 1; } void two(int) {} }", ["hidden: two"]),
    ('extern "C" int one() { return 1; } namespace commmap { void two(int) {} void two(long) {} }', ["shown: T one", "hidden: one"]),
])
def test_a_symbol_too_much_or_too_little_is_found(tmp_path, source, found):
    (tmp_path / "commmap").mkdir()
    (tmp_path / "commmap/all.hpp").write_text("namespace commmap {\n" + "".join(f"COMMMAP_EXPORT {function};\n" for function in MARKED) + "}\n")
    (tmp_path / "all.cpp").write_text(source)
    done = run("g++", "-std=c++20", "-shared", "-fPIC", "-nostdlib", "-o", tmp_path / "all.so", tmp_path / "all.cpp")
    assert done.returncode == 0, done.stderr
    assert list(symbol_faults(tmp_path, tmp_path / "all.so")) == found
