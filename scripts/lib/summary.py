#!/usr/bin/env python3
# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Ends a test run: the slowest tests, the seconds of each part, every retry, and what failed.

summary.py RESULTS --seconds N --commit C [--json FILE] [--checked KIND...]: RESULTS is the directory that scripts/lib/parts.sh
fills. FILE is written when the run passed; a run that failed leaves the last good one. --checked notes in bench/results/checked.json
that everything of these kinds was looked at (changes.py), if the run passed, left nothing out, and began without uncommitted changes.
Exits with 1 when a part or a test failed, or when tests were tried again more often than MOST_RETRIES times.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "bench"), str(ROOT / "tests" / "support")]

import report
import retries

MOST_RETRIES = 6
SLOWEST = 10


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def parts_of(results):
    """Of the file `parts`: name, seconds and exit code of each, in the order in which they ended."""
    rows = [line.split("\t", 2) for line in lines_of(results / "parts")]
    return [{"part": name, "seconds": int(seconds), "exit_code": int(status)} for seconds, status, name in rows]


def tests_of(results):
    """Of all JUnit reports: name, seconds, outcome and message of each test. A report that ends in its middle is one that failed."""
    tests = []
    for path in sorted(results.glob("*.xml")):
        try:
            tests += tests_in(path)
        except xml.etree.ElementTree.ParseError as error:
            tests.append({"report": path.stem, "test": path.name, "seconds": 0.0, "outcome": "failed", "message": f"cannot be read: {error}"})
    return tests


def tests_in(path):
    """One report. Its file's name tells which runner, and which release of Slurm, it is of."""
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        bad = next((case.find(kind) for kind in ("failure", "error") if case.find(kind) is not None), None)
        skip = case.find("skipped")
        skipped = skip is not None or case.get("status") in ("notrun", "disabled")
        known_fault = skip is not None and skip.get("type") == "pytest.xfail"
        folder = (case.get("classname") or "").replace(".", "/")
        name = case.get("name") if folder == case.get("name").replace(".", "/") else f"{folder}.py::{case.get('name')}"
        yield {"report": path.stem, "test": name, "seconds": float(case.get("time") or 0),
               "outcome": "failed" if bad is not None or case.get("status") == "fail" else
               "known fault" if known_fault else "skipped" if skipped else "passed",
               "message": ((bad.get("message") or "").splitlines() or [""])[0][:300] if bad is not None else ""}


def counts(tests):
    return {outcome: sum(test["outcome"] == outcome for test in tests) for outcome in ("passed", "failed", "skipped")}


def text_of(seconds, parts, tests, tried_again, not_run):
    """The lines that end the run's output."""
    lines = [f"the {SLOWEST} slowest tests:"]
    for test in sorted(tests, key=lambda each: -each["seconds"])[:SLOWEST]:
        lines.append(f"{test['seconds']:8.1f} s  {test['report']}: {test['test']}")
    lines.append(f"seconds of each part ({seconds} in all; parts run beside each other):")
    lines += [f"{part['seconds']:6d} s    {part['part']}" for part in sorted(parts, key=lambda each: -each["seconds"])]
    lines.append(f"{len(tried_again)} retries" + (":" if tried_again else ""))
    lines += [f"    {each['what']}: {each['why']}" for each in tried_again]
    lines += [f"NOT RUN: {line}" for line in not_run]
    return lines


def failures_of(parts, tests, tried_again):
    """A line for each thing that fails the run."""
    lines = [f"FAILED: {test['report']}: {test['test']} {test['message']}".rstrip() for test in tests if test["outcome"] == "failed"]
    lines += [f"FAILED: {part['part']} (exit code {part['exit_code']})" for part in parts if part["exit_code"]]
    if len(tried_again) > MOST_RETRIES:
        lines.append(f"FAILED: {len(tried_again)} retries, above the {MOST_RETRIES} that a run may need: see above")
    return lines


def note_checked(kinds, commit, into):
    """Notes a commit and its tree for each kind. Without git nothing can be compared with them: nothing is noted, and false returned."""
    asked = subprocess.run(["git", "-C", str(ROOT), "rev-parse", commit + "^{tree}"], capture_output=True, text=True, check=False)
    if asked.returncode:
        return False
    try:
        known = dict(json.loads(into.read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        known = {}
    tree = asked.stdout.strip()
    known.update({kind: {"commit": commit, "tree": tree} for kind in kinds})
    into.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, required=True)
    parser.add_argument("--commit", required=True, help="what was tested, as it was when the run began")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--checked", nargs="+", default=[], metavar="KIND")
    parser.add_argument("--checked-file", type=pathlib.Path, default=ROOT / "bench/results/checked.json")
    arguments = parser.parse_args()
    parts, tests = parts_of(arguments.results), tests_of(arguments.results)
    tried_again, not_run = retries.read(arguments.results / "retries"), lines_of(arguments.results / "not_run")
    failures = failures_of(parts, tests, tried_again)
    for line in text_of(arguments.seconds, parts, tests, tried_again, not_run) + failures:
        print(f"scripts/test: {line}", file=sys.stderr)
    if arguments.json and tests and not failures:
        document = {"machine": report.machine(), "commit": arguments.commit, "seconds": arguments.seconds,
                    "passed": True, "tests": {name: counts([test for test in tests if test["report"] == name])
                                                      for name in sorted({test["report"] for test in tests})},
                    "parts": parts, "retries": tried_again, "not_run": not_run}
        arguments.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    # clang-tidy alone has no report
    ran = tests or arguments.checked == ["tidy"] and any(part["part"].startswith("gate: clang-tidy") for part in parts)
    if arguments.checked and ran and not failures:
        whole = not not_run and re.fullmatch("[0-9a-f]{40}", arguments.commit)
        noted = whole and note_checked(arguments.checked, arguments.commit, arguments.checked_file)
        print("scripts/test: " + (f"noted in {arguments.checked_file}: {' '.join(arguments.checked)}; commit the file" if noted else
                                  "not noted in checked.json: something was not run, was not committed, or is not in git"), file=sys.stderr)
    if not ran:
        print("scripts/test: FAILED: no test ran", file=sys.stderr)
    if failures or not ran:
        sys.exit(1)
    but = ", but for those that were not run" if not_run else ""
    print(f"scripts/test: all tests passed{but}", file=sys.stderr)


if __name__ == "__main__":
    main()
