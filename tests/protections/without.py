"""Takes each protection of protections.yaml out of a copy of the sources, builds it, and runs its tests: each has to fail.

without.py WORK [WORDS]: WORK is the directory for the copy and its build, which is used again; WORDS choose the protections
whose file, purpose or tests have them in it. As root, for the tests on the emulated cluster.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class Protection:
    def __init__(self, entry):
        self.keeps, self.file, self.without, self.tests = entry["keeps"], entry["file"], entry["without"], entry["tests"]
        self.pattern = re.compile(r"\s+".join(re.escape(word) for word in entry["protection"].split()))

    def says(self, words):
        return all(any(word in text for text in (self.keeps, self.file, *self.tests)) for word in words)

    def taken_out_of(self, text):
        changed, count = self.pattern.subn(lambda _: self.without, text)
        if count != 1:
            raise ValueError(f"{self.file}: what keeps '{self.keeps}' is there {count} times; protections.yaml has to say it as it is now")
        return changed


def protections():
    return [Protection(entry) for entry in yaml.safe_load((HERE / "protections.yaml").read_text())]


def is_unit_test(test):
    return test.partition("::")[0].endswith("_test.cpp")


def target_of(test):
    """As commmap_test() in cmake/commmap_targets.cmake calls it."""
    return "test_" + test.partition("::")[0].removeprefix("tests/").removesuffix("_test.cpp").replace("/", "_")


class Copy:
    """Of the sources as they are, and what is built from it."""

    def __init__(self, work, tests):
        self.source, self.build = work / "source", work / "build"
        self.log = work / "log"
        self.targets = ["src/all", "etc/all", *sorted({target_of(test) for test in tests if is_unit_test(test)})]
        names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
        for name in names.stdout.split("\0"):
            if not name or not (ROOT / name).exists():
                continue
            here, there = ROOT / name, self.source / name
            if there.exists() and there.read_bytes() == here.read_bytes():
                continue
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(here, there)

    def _run(self, *words, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COMMMAP")}
        with open(self.log, "ab") as log:
            return subprocess.run(words, cwd=self.source, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**environment, **variables}, check=False).returncode

    def built(self):
        return (self._run("cmake", "--preset", "dev", "-B", str(self.build), "-DCOMMMAP_WARNINGS_AS_ERRORS=OFF") == 0
                and self._run("cmake", "--build", str(self.build), "--target", *self.targets) == 0)

    def passes(self, test):
        if is_unit_test(test):
            (path,) = self.build.rglob(target_of(test))
            return self._run("timeout", "120", str(path), f"--gtest_filter={test.partition('::')[2]}") == 0
        code = self._run("/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", test, COMMMAP_BUILD=str(self.build))
        if code not in (0, 1):
            raise ValueError(f"{test}: pytest ends with {code}; see {self.log}")
        return code == 0


def main(work, words):
    chosen = [protection for protection in protections() if protection.says(words)]
    if not chosen:
        sys.exit(f"no protection has the words {' '.join(words)} in it")
    tests = sorted({test for protection in chosen for test in protection.tests})
    copy = Copy(work, tests)
    if not copy.built():
        sys.exit(f"the copy cannot be built: see {copy.log}")
    failing = [test for test in tests if not copy.passes(test)]
    if failing:
        sys.exit("with all protections in place these fail: " + ", ".join(failing))
    print(f"{len(tests)} tests pass with all protections in place", flush=True)
    unnoticed = 0
    for protection in chosen:
        path = copy.source / protection.file
        original = path.read_text()
        try:
            path.write_text(protection.taken_out_of(original))
            if not copy.built():
                sys.exit(f"without what keeps '{protection.keeps}' the copy cannot be built: see {copy.log}")
            for test in protection.tests:
                passed = copy.passes(test)
                unnoticed += passed
                print(f"{'PASSES' if passed else 'fails'}\t{protection.keeps}\t{test}", flush=True)
        finally:
            path.write_text(original)
    sys.exit(f"{unnoticed} tests pass though what they are for was taken out" if unnoticed else 0)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
