#!/usr/bin/env python3
"""Lists what a change touches, so that the dearer checks look at that alone: changes.py base|tidy|units

base   the commit that the change is measured from, or "all" where there is none
tidy   the sources that clang-tidy has to read, one a line; "all" where it has to read every source
units  the CMake targets that build the unit tests of the folders touched, one a line; "all" for every test

The base is where this branch left the main branch. On the main branch itself it is the commit of the last whole run
(bench/results/test-all.json): everything up to there was checked as a whole. COMMMAP_BASE names another one.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("COMMMAP_ROOT") or pathlib.Path(__file__).resolve().parents[2])
LAST_WHOLE_RUN = "bench/results/test-all.json"
MOST_SOURCES = 60  # clang-tidy reads all sources together in the time in which it reads these one by one


def git(*words):
    """Standard output, or None where git refuses."""
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def base():
    """A commit, or None."""
    if os.environ.get("COMMMAP_BASE"):
        return git("rev-parse", "--verify", "--quiet", os.environ["COMMMAP_BASE"] + "^{commit}")
    head = git("rev-parse", "HEAD")
    for main in ("origin/main", "main"):
        left = git("merge-base", "HEAD", main)
        if left and left != head:
            return left
    try:
        commit = json.loads((ROOT / LAST_WHOLE_RUN).read_text(encoding="utf-8"))["commit"]
    except (OSError, ValueError, KeyError):
        return None
    known = git("merge-base", "--is-ancestor", commit, "HEAD")
    return commit if known is not None else None


def changed(since):
    """Paths that differ from the commit, with those that git does not know yet."""
    tracked = git("diff", "--name-only", "--diff-filter=d", since) or ""
    untracked = git("ls-files", "--others", "--exclude-standard") or ""
    return sorted({line for text in (tracked, untracked) for line in text.splitlines()})


def includes(path):
    return set(re.findall(r'^\s*#\s*include\s+"([^"]+)"', (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE))


def reader_of(header, sources):
    """A source through which clang-tidy sees the header: its own, else the first that includes it."""
    own = [source for source in sources if source.rsplit(".", 1)[0] == header.rsplit(".", 1)[0]]
    name = header.removeprefix("src/")
    return (own or [source for source in sources if name in includes(source)] or [None])[0]


def to_tidy(paths):
    """Sources of src/, or None for all of them."""
    if ".clang-tidy" in paths:
        return None
    sources = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("*.c*") if path.suffix in (".c", ".cpp"))
    here = [path for path in paths if path.startswith("src/")]
    chosen = {path for path in here if path.endswith((".c", ".cpp"))}
    chosen |= {reader_of(path, sources) for path in here if path.endswith((".h", ".hpp"))} - {None}
    return sorted(chosen) if len(chosen) <= MOST_SOURCES else None


def units(paths):
    """Targets as commmap_unit_test() in cmake/commmap_targets.cmake calls them."""
    folders = {path.split("/", 1)[1].rsplit("/", 1)[0] for path in paths
               if re.fullmatch(r"(src|tests)/.+\.(c|cpp|h|hpp|inc|fbs)", path)}
    known = {str(path.parent.relative_to(ROOT / "tests")) for path in (ROOT / "tests").rglob("*_test.cpp")} | {"fuzz"}
    return sorted("unit_tests_" + folder.replace("/", "_") for folder in folders & known)


def main():
    what = sys.argv[1] if len(sys.argv) == 2 else ""
    if what not in ("base", "tidy", "units"):
        sys.exit(__doc__.splitlines()[0])
    since = base()
    if what == "base":
        print(since or "all")
        return
    chosen = None if since is None else {"tidy": to_tidy, "units": units}[what](changed(since))
    print("\n".join(["all"] if chosen is None else chosen))


if __name__ == "__main__":
    main()
