#!/usr/bin/env python3
# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Lists what a change touches, so that slow checks look at that alone: changes.py [base] tidy|units|release

tidy     the sources that clang-tidy has to read, one a line; "all" where it has to read every source
units    the CMake targets that build the unit tests that the change can break, one a line; "all" for every test
release  the files that run inside Slurm or MPI, or test what does, one a line; "all" where any may have changed
base W   the commit that the change is measured from for one of these, or "all" where there is none

The base is where this branch left the main branch. On the main branch itself the base is the last commit of which everything was
looked at, and passed: bench/results/checked.json has that commit and its tree for each of the three. A commit that has got another
name since is found by its tree. COMMMAP_BASE names another base. Without a git repository everything counts as changed.
"""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("COMMMAP_ROOT") or pathlib.Path(__file__).resolve().parents[2])
CHECKED = "bench/results/checked.json"
KINDS = ("tidy", "units", "release")
MOST_SOURCES = 60  # clang-tidy reads all sources together in the time in which it reads these one by one
SOURCE, HEADER = (".c", ".cpp"), (".h", ".hpp", ".inc")
STRICT = re.compile(r"src/(spank_commmap|pmix_hooks)/")  # .clang-tidy there asks for more: a header is read from there if it can be
# of the plugin and the recorder, and of the tests with another release of Slurm
IN_SLURM = re.compile(r"src/(spank_commmap|pmix_hooks|core/(base|text|plan_reply|program|config|cpus|profile|inside))/|include/commmap/|src/CMakeLists.txt|tests/(slurm|testbed|support)/|"
                      r"tests/pmix_hooks/programs/|cmake/|CMake|scripts/(test$|lib/)|etc/")
# where no rule below can tell what a change reaches
REACHES_ALL = re.compile(r"CMakeLists.txt$|CMakePresets.json$|cmake/|(src|tests)/CMakeLists.txt$|src/pmix_hooks/wrappers/[^/]+\.py$|src/core/profile/recording/[^/]+\.(py|txt)$")
# tests that are no programs of unit tests, and what runs them
NO_UNIT = re.compile(r"tests/(cli|gates|mutations|slurm|support|testbed)/")


def git(*words):
    """Standard output; ends this program where git refuses, with what git says."""
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"scripts/lib/changes.py: git {words[0]}: {done.stderr.strip()}")
    return done.stdout


def commit(*words):
    """The commit that git names, or None."""
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def of_tree(tree):
    """The last commit up to HEAD that has this tree, or None."""
    lines = (line.split() for line in git("log", "--format=%T %H").splitlines())
    return next((name for found, name in lines if found == tree), None)


def last_checked(kind):
    """The commit of which everything was looked at, or None."""
    try:
        last = json.loads((ROOT / CHECKED).read_text(encoding="utf-8"))[kind]
        name, tree = last["commit"], last["tree"]
    except (FileNotFoundError, KeyError):
        return None
    except (ValueError, TypeError):
        print(f"scripts/lib/changes.py: {CHECKED} is damaged, so everything counts as changed; run scripts/test --whole {kind}", file=sys.stderr)
        return None
    known = commit("merge-base", "--is-ancestor", name, "HEAD") is not None
    return name if known else of_tree(tree)


def base(kind):
    """A commit, or None."""
    if os.environ.get("COMMMAP_BASE"):
        given = os.environ["COMMMAP_BASE"]
        return commit("rev-parse", "--verify", given + "^{commit}") or sys.exit(f"scripts/lib/changes.py: COMMMAP_BASE: no commit '{given}'")
    head = commit("rev-parse", "HEAD")
    if head is None:
        print("scripts/lib/changes.py: git knows no commit here, so everything counts as changed", file=sys.stderr)
        return None
    on_main = commit("symbolic-ref", "--short", "HEAD") == "main"
    for main in () if on_main else ("origin/main", "main"):
        left = commit("merge-base", "HEAD", main)
        if left and left != head:
            return left
    return last_checked(kind)


def changed(since):
    """Paths that differ from the commit, also those that are gone, with those that git does not know yet."""
    tracked = git("diff", "--name-only", "--no-renames", "-z", since)
    untracked = git("ls-files", "--others", "--exclude-standard", "-z")
    return sorted({name for text in (tracked, untracked) for name in text.split("\0") if name})


@functools.cache
def texts():
    """Every source and header of src, include and tests: path -> what is in it."""
    found = [path for top in ("src", "include", "tests") for path in (ROOT / top).rglob("*") if path.suffix in SOURCE + HEADER]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in found}


@functools.cache
def files():
    """Every source and header of src, include and tests: path -> the paths that it includes."""
    return {name: {there for word in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.MULTILINE)
                   for there in (f"src/{word}", f"include/{word}", f"tests/{word}", f"{name.rpartition('/')[0]}/{word}") if there in texts()}
            for name, text in texts().items()}


def readers_of(header):
    """Every file that includes it, also by way of other headers."""
    seen, new = set(), {header}
    while new:
        new = {name for name, included in files().items() if included & new} - seen
        seen |= new
    return seen


def to_tidy(paths):
    """Sources of src/, or None for all of them."""
    if any(path.rpartition("/")[2] in (".clang-tidy", "check-tidy") or REACHES_ALL.match(path) for path in paths):
        return None
    here = [path for path in paths if path.startswith(("src/", "include/")) and path in files()]
    chosen = {path for path in here if path.endswith(SOURCE)}
    for schema in (path for path in paths if path.startswith("src/") and path.endswith(".fbs")):
        header = pathlib.PurePath(schema).stem + "_generated.h"
        chosen |= {name for name, text in texts().items() if name.startswith("src/") and name.endswith(SOURCE) and f'/{header}"' in text}
    for header in (path for path in here if path.endswith(HEADER)):
        sources = [name for name in readers_of(header) if name.startswith("src/") and name.endswith(SOURCE)]
        if not sources:
            return None
        chosen.add(min(sources, key=lambda source, own=header.rpartition(".")[0]: (source.rpartition(".")[0] != own, not STRICT.match(source), source)))
    return sorted(chosen) if len(chosen) <= MOST_SOURCES else None


def module_of(path):
    """core/text of src/core/text/units.hpp, tests/core/text/units_test.cpp, and of what is in folders below."""
    words = path.split("/")[1:-1]
    return "/".join(words[:2] if words[:1] == ["core"] else words[:1])


def units(paths):
    """Targets as commmap_unit_test() in cmake/commmap_targets.cmake calls them, or None for all."""
    known = {module_of(str(path.relative_to(ROOT))) for path in (ROOT / "tests").rglob("*_test.cpp")}
    modules = set()
    for path in paths:
        top, _, rest = path.partition("/")
        own = module_of(path)
        if REACHES_ALL.match(path) or path.startswith("tests/support/") and path.endswith(HEADER):
            return None
        if path.startswith("docs/examples/"):
            modules.add("docs")
        elif path.startswith("tests/data/"):
            modules |= readers_of_data(rest.split("/")[1]) | {"fuzz"}
        elif path.startswith("tests/fuzz/"):
            modules.add("fuzz")
        elif top in ("src", "include", "tests"):
            modules |= {module_of(name) for name in readers_of(path)}
            if top in ("src", "include"):
                modules |= {own, "fuzz"}
            elif own in known and not (NO_UNIT.match(path) and path.endswith(".py")):
                modules.add(own)
            elif not NO_UNIT.match(path):
                return None
    return sorted("unit_tests_" + module.replace("/", "_") for module in modules & (known | {"fuzz", "docs"}))


def readers_of_data(kind):
    """Modules whose tests name tests/data/KIND."""
    return {module_of(name) for name, text in texts().items() if name.startswith("tests/") and f'"/{kind}/' in text}


def in_slurm(paths):
    return [path for path in paths if IN_SLURM.match(path)]


def main():
    *words, kind = sys.argv[1:] or [""]
    if kind not in KINDS or words not in ([], ["base"]):
        sys.exit(__doc__.strip())
    since = base(kind)
    if words:
        print(since or "all")
        return
    chosen = None if since is None else {"tidy": to_tidy, "units": units, "release": in_slurm}[kind](changed(since))
    print("\n".join(["all"] if chosen is None else chosen))


if __name__ == "__main__":
    main()
