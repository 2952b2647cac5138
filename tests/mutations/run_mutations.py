# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Makes each mutation of mutations.yaml in a copy of the sources, builds the copy, and runs the tests: each has to fail.

run_mutations.py WORK [WORDS]: WORK is the directory for the copy and its build, which is used again; WORDS choose the mutations
whose file, purpose or tests have them in it. As root, for the tests on the emulated cluster. Before and after all that, with
everything in place, the tests have to pass: a machine on which nothing works proves nothing.
"""

import enum
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "tests" / "support"))

import patience
import retries

HOUR = 3600
SECONDS_OF_A_UNIT_TEST = 120
NO_END = 124  # as timeout(1) says it

# of a unit test: what is taken out may be what keeps it from taking all of the machine's
MOST_MEMORY_KIB = 4 << 20


class End(enum.Enum):
    PASSED = "PASSES"
    FAILED = "fails"
    SKIPPED = "not run here"
    BROKEN = "?"


class Mutation:
    def __init__(self, entry):
        self.keeps, self.file, self.mutant, self.tests = entry["keeps"], entry["file"], entry["mutant"], entry["tests"]
        self.pattern = re.compile(r"\s+".join(re.escape(word) for word in entry["source"].split()))

    def says(self, words):
        return all(any(word in text for text in (self.keeps, self.file, *self.tests)) for word in words)

    def made_in(self, text):
        changed, count = self.pattern.subn(lambda _: self.mutant, text)
        if count != 1:
            raise ValueError(f"{self.file}: what keeps '{self.keeps}' is there {count} times; mutations.yaml has to say it as it is now")
        return changed


def mutations():
    return [Mutation(entry) for entry in yaml.safe_load((HERE / "mutations.yaml").read_text())]


def is_unit_test(test):
    return test.partition("::")[0].endswith("_test.cpp")


def target_of(test):
    """As commmap_test() in cmake/commmap_targets.cmake calls it."""
    return "test_" + test.partition("::")[0].removeprefix("tests/").removesuffix("_test.cpp").replace("/", "_")


def targets_of(tests):
    """What the tests need. A unit test's target has all that it runs; other tests have what is installed and helpers of their own."""
    targets = {target_of(test) for test in tests if is_unit_test(test)}
    others = [test for test in tests if not is_unit_test(test)]
    if others:
        targets |= {"src/all", "etc/all"}
    targets |= {f"bench_{test.split('/')[1]}" for test in others if test.startswith("bench/")}
    if any(map(needs_prefix, others)):
        targets.add("tests/cli/all")
    return sorted(targets)


def needs_prefix(test):
    """Tests of the program commmap run what is installed. Other tests install what they need."""
    return test.startswith("tests/cli/")


def end_of_pytest(report):
    """Of the file that --junitxml writes. A cluster that does not start is an error, and no failure."""
    if not report.exists():
        return End.BROKEN
    suite = xml.etree.ElementTree.parse(report).getroot().find("testsuite")
    tests, failures, errors, skipped = (int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped"))
    if errors or not tests:
        return End.BROKEN
    return End.FAILED if failures else End.SKIPPED if skipped == tests else End.PASSED


class Copy:
    """Of the sources as they are, and what is built from it."""

    def __init__(self, work):
        self.source, self.build = work / "source", work / "build"
        self.prefix = work / "prefix"
        self.log, self.report = work / "log", work / "report.xml"
        listed = patience.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
        names = {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}
        for there in [path for path in self.source.rglob("*") if path.is_file()]:
            if str(there.relative_to(self.source)) not in names:
                there.unlink()
        for name in names:
            here, there = ROOT / name, self.source / name
            if there.exists() and there.read_bytes() == here.read_bytes():
                continue
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(here, there)

    def _run(self, *words, seconds=HOUR, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COMMMAP")}
        with open(self.log, "ab") as log:
            try:
                return patience.run(words, seconds=seconds, cwd=self.source, stdin=subprocess.DEVNULL, stdout=log, stderr=log, whole_group=True,
                                    env={**environment, **variables}).returncode
            except subprocess.TimeoutExpired:
                return NO_END

    def configured(self):
        """A build configures itself again where a mutation changes how."""
        return self._run("cmake", "--preset", "test", "-B", str(self.build), "-DCOMMMAP_WARNINGS_AS_ERRORS=OFF") == 0

    def built_for(self, tests):
        return self._run("cmake", "--build", str(self.build), "--target", *targets_of(tests)) == 0

    def end_of(self, test, complete=False):
        """complete: there is no mutation. Retries count only then: with a mutation a test is meant to fail."""
        self.report.unlink(missing_ok=True)
        more = {retries.VARIABLE: os.environ[retries.VARIABLE]} if complete and retries.VARIABLE in os.environ else {}
        if needs_prefix(test):
            more["COMMMAP_PREFIX"] = str(self.prefix)
            if self._run("cmake", "--install", str(self.build), "--prefix", str(self.prefix)) != 0:
                return End.BROKEN
        if not is_unit_test(test):
            self._run("/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={self.report}", test,
                      COMMMAP_BUILD=str(self.build), **more)
            return end_of_pytest(self.report)
        (path,) = self.build.rglob(target_of(test))
        code = self._run("sh", "-c", f'ulimit -v {MOST_MEMORY_KIB}; exec "$0" "$@"', str(path), f"--gtest_filter={test.partition('::')[2]}",
                         f"--gtest_output=xml:{self.report}", seconds=SECONDS_OF_A_UNIT_TEST, **more)
        # a test that crashes, or has no end, leaves no report
        return End.PASSED if code == 0 and 'tests="0"' not in self.report.read_text() else End.BROKEN if code in (0, 126, 127) else End.FAILED


def check(copy, tests):
    """All pass; gives those that cannot be run here."""
    ends = {test: copy.end_of(test, complete=True) for test in tests}
    wrong = [test for test, end in ends.items() if end in (End.FAILED, End.BROKEN)]
    if wrong:
        sys.exit("without a mutation these do not pass: " + ", ".join(wrong) + f"; see {copy.log}")
    return {test for test, end in ends.items() if end is End.SKIPPED}


def main(work, words):
    chosen = [mutation for mutation in mutations() if mutation.says(words)]
    if not chosen:
        sys.exit(f"no mutation has the words {' '.join(words)} in it")
    tests = sorted({test for mutation in chosen for test in mutation.tests})
    copy = Copy(work)
    if not (copy.configured() and copy.built_for(tests)):
        sys.exit(f"the copy cannot be built: see {copy.log}")
    skipped = check(copy, tests)
    print(f"{len(tests) - len(skipped)} tests pass without a mutation", flush=True)
    wrong = 0
    for mutation in chosen:
        path = copy.source / mutation.file
        original = path.read_text()
        try:
            path.write_text(mutation.made_in(original))
            if not copy.built_for(mutation.tests):
                sys.exit(f"with the mutation of what keeps '{mutation.keeps}' the copy cannot be built: see {copy.log}")
            for test in mutation.tests:
                end = End.SKIPPED if test in skipped else copy.end_of(test)
                wrong += end in (End.PASSED, End.BROKEN)
                print(f"{end.value}\t{mutation.keeps}\t{test}", flush=True)
        finally:
            path.write_text(original)
    if not copy.built_for(tests):
        sys.exit(f"the copy cannot be built any more: see {copy.log}")
    check(copy, tests)
    sys.exit(f"{wrong} tests do not fail, or cannot be run, where their mutation is made" if wrong else 0)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
