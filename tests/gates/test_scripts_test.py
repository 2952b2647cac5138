# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""scripts/test: its arguments, and what it runs."""

import json
import os
import pathlib
import re
import shutil

import patience
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("arguments, message", [
    (["--all", "unit"], "takes one part at most: --all, --vm, unit or slurm"),
    (["--release"], "--release needs a name: one of 22.05 24.11 26.05"),
    (["--release", "23.02"], "unknown release '23.02' of Slurm: expected one of 22.05 24.11 26.05"),
    (["--whole"], "--whole needs a kind of check: tidy, units or release"),
    (["--whole", "format"], "--whole needs a kind of check: tidy, units or release"),
    (["unit", "--whole", "tidy"], "--whole is a run of its own, without unit"),
    (["--minutes"], "--minutes needs a number of minutes: --minutes 45"),
    (["--minutes", "0"], "--minutes needs a number of minutes: --minutes 45"),
    (["--all", "--minutes", "45"], "--minutes is for the short run, not for all"),
    (["unit", "--release", "24.11"], "--release is for the part slurm, not for unit"),
    (["--relase", "24.11"], "unknown argument '--relase': expected --all, --vm, unit, slurm, --whole KIND, --release NAME or --minutes N (see scripts/test --help)"),
])
def test_wrong_arguments_of_scripts_test(arguments, message):
    done = patience.run([ROOT / "scripts/test", *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"scripts/test: {message}\n")


def test_scripts_and_testbed_know_the_same_releases():
    testbed = patience.run([ROOT / "tests/testbed/testbed", "root"], capture_output=True, text=True, check=True)
    script = f". {ROOT}/scripts/lib/common.sh; printf '%s\\n' \"${{RELEASES[@]}}\""
    assert patience.run(["bash", "-c", script], capture_output=True, text=True).stdout.split() == [line.split()[0] for line in testbed.stdout.splitlines()]
    help_text = patience.run([ROOT / "scripts/test", "--help"], capture_output=True, text=True, check=True).stdout
    assert "22.05, 24.11 or 26.05" in help_text


COMMON = """
require_root_on_debian_12() { :; }
install_packages() { :; }
build() { :; }
build_more() { :; }
install_tree() { echo /prefix; }
build_in_root() { :; }
build_old() { :; }
"""
# what the runners would run, and a report as they write it
PARTS = """
pytest_report() { note "${@:2}"; }
ctest_report() { note "ctest ${*:2}"; }
note() {
    echo "${COMMMAP_RELEASE:+$COMMMAP_RELEASE: }$*" >>"$RAN"
    echo '<testsuite><testcase name="a" classname="a" time="1"/></testsuite>' >"$RESULTS/a.xml"
}
"""
NOTHING = "exit 0"


class Stubbed:
    """scripts/test, with stand-ins for all that it runs."""

    def __init__(self, place):
        self.place, self.ran = place, place / "ran"
        shutil.copytree(ROOT / "scripts/lib", place / "scripts/lib")
        shutil.copy(ROOT / "scripts/test", place / "scripts/test")
        for name, text in (("common.sh", COMMON), ("parts.sh", PARTS)):
            with open(place / "scripts/lib" / name, "a", encoding="utf-8") as file:
                file.write(text)
        for name in ("tests/testbed", "tests/vm"):
            (place / name).mkdir(parents=True)
        (place / "bench/results").mkdir(parents=True)
        shutil.copy(ROOT / "bench/report.py", place / "bench/report.py")  # it asks git for the commit of the tree that it is in
        (place / "tests/support").symlink_to(ROOT / "tests/support")
        self.stands_for("scripts/lib/changes.py", "echo all")
        for name in ("scripts/check-tidy", "scripts/check-format", "scripts/fuzz", "scripts/mutations", "tests/testbed/testbed", "scripts/lib/hwloc-machines"):
            self.stands_for(name, NOTHING)
        self.stands_for("tests/vm/vm", """echo '<testsuite><testcase name="a" classname="a" time="1"/></testsuite>' >"$4/vm.xml\"""")

    def stands_for(self, name, script):
        path = self.place / name
        path.unlink(missing_ok=True)
        path.write_text(f'#!/bin/sh\n[ {name} = scripts/lib/changes.py ] || echo "{name.rpartition("/")[2]} $*" >>"$RAN"\n{script}\n')
        path.chmod(0o755)

    def run(self, *arguments, **variables):
        """From a commit of its own. Not strict because the run around it is."""
        for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "a"]):
            patience.run(["git", "-C", self.place, *words], check=True)
        around = {name: value for name, value in os.environ.items() if name != "COMMMAP_CI_STRICT"}
        done = patience.run(["bash", self.place / "scripts/test", *arguments], capture_output=True, text=True,
                              env={**around, "RAN": str(self.ran), **variables})
        return done, sorted(line.strip() for line in self.ran.read_text().splitlines())


@pytest.fixture(name="stubbed")
def _stubbed(tmp_path):
    return Stubbed(tmp_path)


@pytest.mark.parametrize("finds", ["check-format", "check-tidy", "fuzz", "mutations"])
def test_a_finding_fails_scripts_test(stubbed, finds):
    stubbed.stands_for(f"scripts/{finds}", "echo a finding >&2; exit 1")

    done, _ = stubbed.run("--all")

    assert done.returncode == 1 and "a finding\n" in done.stderr, done
    assert done.stderr.splitlines()[-1].startswith("scripts/test: FAILED: "), done


CHANGE = ["bench", "check-format", "check-tidy", "ctest --preset asan -L unit -R .", "ctest --preset test", "hwloc-machines", "tests/cli tests/support", "tests/gates"]
EMULATED = "tests/testbed -k not 24.11 and not 26.05"


@pytest.mark.parametrize("root, arguments, expected, last", [
    (NOTHING, [], [*CHANGE, EMULATED, "22.05", "testbed root 24.11", "tests/testbed -k 24.11", "24.11 -m release"], "all tests passed"),
    ("echo no network; exit 1", [], [*CHANGE, EMULATED, "22.05", "testbed root 24.11"], "all tests passed, but for those that were not run"),
    (NOTHING, ["unit"], CHANGE, "all tests passed"),
    (NOTHING, ["slurm"], [EMULATED, "22.05"], "all tests passed"),
    (NOTHING, ["--release", "26.05"], ["testbed root 26.05", "tests/testbed -k 26.05", "26.05"], "all tests passed"),
    (NOTHING, ["--whole", "tidy"], ["check-tidy"], "all tests passed"),
    (NOTHING, ["--whole", "units"], ["ctest --preset asan -L unit", "hwloc-machines"], "all tests passed"),
    (NOTHING, ["--whole", "release"], ["testbed root 24.11", "tests/testbed -k 24.11", "24.11"], "all tests passed"),
    (NOTHING, ["--vm"], ["vm tests/slurm/recording/test_memory_limits.py tests/slurm/test_control_groups.py"], "all tests passed"),
    (NOTHING, ["--all"], [*[line for line in CHANGE if "asan" not in line], "ctest --preset asan -L unit", "ctest --preset library -L unit", "ctest --preset dev -L unit|mpi", "tests/cli", "tests/gates/test_installed_files.py", "fuzz --each 60", "mutations", EMULATED, "22.05",
                          *[line for name in ("24.11", "26.05") for line in (f"testbed root {name}", f"tests/testbed -k {name}", name)]], "all tests passed"),
])
def test_what_scripts_test_runs(stubbed, root, arguments, expected, last):
    stubbed.stands_for("tests/testbed/testbed", root)

    done, ran = stubbed.run(*arguments)

    at_once = f"-j {os.cpu_count()}"
    words = [line.replace(f" {at_once}", "").replace(f"-n {os.cpu_count()} ", "", int(line.startswith("-n"))) for line in ran]
    words = [re.sub(r"^(\d\d\.\d\d): -rfEsx --tb=short -n \d+ --dist loadfile tests/slurm", r"\1", line) for line in words]
    words = [re.sub(r"^vm .*? tests/slurm", "vm tests/slurm", line) for line in words]
    assert (done.returncode, sorted(words)) == (0, sorted(expected)), done
    assert done.stderr.splitlines()[-1] == f"scripts/test: {last}"
    assert ("NOT RUN: Slurm 24.11: its root cannot be made, or not in 600 s: no network" in done.stderr) == ("but for" in last)


def test_a_release_that_was_not_run_fails_a_strict_run(stubbed):
    stubbed.stands_for("tests/testbed/testbed", "echo no network; exit 1")

    done, _ = stubbed.run(COMMMAP_CI_STRICT="1")

    assert done.returncode == 1 and "FAILED: not run, and COMMMAP_CI_STRICT is set: Slurm 24.11: its root cannot be made" in done.stderr, done


@pytest.mark.parametrize("arguments, changed, left_out", [
    ([], "src/a.cpp", ["26.05"]), ([], "", ["24.11", "26.05"]), (["--minutes", "50"], "", ["24.11", "26.05"]),
    # the whole run has all releases, and a part is not meant to
    (["--all"], "", []), (["unit"], "", []), (["slurm"], "", []), (["--release", "24.11"], "", []), (["--whole", "release"], "", []),
])
def test_a_release_that_a_strict_run_leaves_out_fails_it(stubbed, arguments, changed, left_out):
    stubbed.stands_for("scripts/lib/changes.py", f"[ $1 != release ] || echo {changed}")

    done, _ = stubbed.run(*arguments, COMMMAP_CI_STRICT="1")

    assert done.returncode == bool(left_out), done
    for kind in ("NOT RUN: ", "FAILED: not run, and COMMMAP_CI_STRICT is set: "):
        assert [line.removesuffix(" (exit code 1)") for line in done.stderr.splitlines() if f": {kind}" in line] == [f"scripts/test: {kind}Slurm {name}: the short run leaves it out" for name in left_out]


@pytest.mark.parametrize("tidy, units, release, expected", [
    ("echo src/a.cpp; echo src/b.cpp", "echo unit_tests_core_base; echo unit_tests_fuzz", "echo src/a.cpp", ["check-tidy src/a.cpp src/b.cpp", r"ctest --preset asan -L unit -R ^(core[._]base|fuzz)\."]),
    (":", ":", ":", []),
    ("echo all", "echo all", "exit 1", ["check-tidy", "ctest --preset asan -L unit -R ."]),
])
def test_clang_tidy_sanitizers_and_24_11_look_at_what_changed(stubbed, tidy, units, release, expected):
    stubbed.stands_for("scripts/lib/changes.py", f"case $1 in tidy) {tidy} ;; units) {units} ;; release) {release} ;; base) echo 1234567 ;; esac")

    done, ran = stubbed.run()

    assert done.returncode == 0, done
    assert [line.replace(f" -j {os.cpu_count()}", "") for line in ran if "tidy" in line or "asan" in line] == expected
    assert done.stderr.count("changed since 1234567") == (3 if expected == [] else 0)
    assert ("testbed root 24.11" in ran) == (release != ":")


@pytest.mark.parametrize("breaks, says", [
    ("build_more() { die 'no such thing'; }", "FAILED: building all of it (preset test) (exit code 1)"),
    ("build_in_root() { die 'no such thing'; }", "FAILED: building for Slurm 24.11 (exit code 1)"),
])
def test_a_build_that_fails_beside_fails_scripts_test(stubbed, breaks, says):
    with open(stubbed.place / "scripts/lib/parts.sh", "a", encoding="utf-8") as file:
        file.write(breaks + "\n")

    done, _ = stubbed.run()

    assert done.returncode == 1 and f"scripts/test: {says}" in done.stderr.splitlines(), done


def test_another_release_is_built_when_nothing_else_is(stubbed):
    with open(stubbed.place / "scripts/lib/parts.sh", "a", encoding="utf-8") as file:
        file.write("build_in_root() { [ -e $RESULTS/lane-beside ] || die 'something else is at work'; }\n")

    done, _ = stubbed.run()

    assert done.returncode == 0 and "building for Slurm 24.11" in done.stderr, done


@pytest.mark.parametrize("runner", ["pytest_report", "ctest_report"])
def test_a_runner_that_fails_without_a_report_fails_scripts_test(stubbed, runner):
    with open(stubbed.place / "scripts/lib/parts.sh", "a", encoding="utf-8") as file:
        file.write(f"{runner}() {{ return 9; }}\n")

    done, _ = stubbed.run()

    parts = ["gates can fail", "end to end with Slurm 22.05"] if runner == "pytest_report" else ["unit tests with sanitizers, what changed"]
    for part in parts:
        assert f"scripts/test: FAILED: {part} (exit code 9)" in done.stderr.splitlines(), done


def test_what_begins_too_late_is_not_run(stubbed):
    with open(stubbed.place / "scripts/lib/parts.sh", "a", encoding="utf-8") as file:
        file.write("SECONDS=60\n")

    done, ran = stubbed.run("--minutes", "1")

    assert done.returncode == 0 and done.stderr.splitlines()[-1] == "scripts/test: all tests passed, but for those that were not run", done
    left_out = ["unit tests with sanitizers, what changed", "gate: clang-tidy, what changed", "Slurm 24.11"]
    assert sorted(line for line in done.stderr.splitlines() if "NOT RUN" in line and "minutes" in line) == sorted(
        f"scripts/test: NOT RUN: {part}: the 1 minutes of this run were over" for part in left_out)
    assert not any("tidy" in line or "asan" in line or "24.11" in line for line in ran if "testbed root" not in line and "not 24.11" not in line)


@pytest.mark.parametrize("code", [143, 1])
def test_clang_tidy_ends_with_the_minutes(stubbed, code):
    stubbed.stands_for("scripts/check-tidy", f"trap 'exit {code}' TERM; while :; do sleep 0.1; done")
    with open(stubbed.place / "scripts/lib/parts.sh", "a", encoding="utf-8") as file:
        file.write("SECONDS=50\n")

    done, _ = stubbed.run("--minutes", "1")

    found_something = code == 1
    assert done.returncode == found_something, done
    assert ("FAILED: gate: clang-tidy, what changed (exit code 1)" in done.stderr) == found_something
    assert ("NOT RUN: clang-tidy has not read every source: the 1 minutes of this run were over" in done.stderr) != found_something


def test_without_the_root_of_a_release_a_whole_run_fails(stubbed):
    stubbed.stands_for("tests/testbed/testbed", "echo no network; exit 1")

    done, _ = stubbed.run("--all")

    assert done.returncode == 1 and "scripts/test: FAILED: the root of Slurm 26.05 (exit code 1)" in done.stderr.splitlines(), done
    assert not (stubbed.place / "bench/results/test-all.json").exists()


@pytest.mark.parametrize("arguments, kinds", [(["--all"], ["release", "tidy", "units"]), (["--whole", "tidy"], ["tidy"]), (["--whole", "units"], ["units"]),
                                              (["--whole", "release"], ["release"]), (["unit"], [])])
def test_scripts_test_notes_what_it_has_checked(stubbed, arguments, kinds):
    done, _ = stubbed.run(*arguments)

    noted = stubbed.place / "bench/results/checked.json"
    assert done.returncode == 0 and (sorted(json.loads(noted.read_text())) if noted.exists() else []) == kinds, done


PAGE = "| test | Slurm |\n|---|---|\n| `test_a.py::test_one` | 22.05 |\n"
SKIPPED = '<testsuite><testcase classname="tests.slurm.test_a" name="test_one" time="1"><skipped/></testcase></testsuite>'


@pytest.mark.parametrize("script, code, last", [
    (None, 0, "all tests passed, but for those that were not run"), ("raise SystemExit(2)", 1, "FAILED: end to end with Slurm 22.05 (exit code 1)")])
def test_rows_whose_tests_were_skipped_are_not_run(stubbed, script, code, last):
    for name in ("launch", "recorder"):
        (stubbed.place / "docs/user").mkdir(parents=True, exist_ok=True)
        (stubbed.place / f"docs/user/{name}.md").write_text(PAGE)
    with open(stubbed.place / "scripts/lib/parts.sh", "a", encoding="utf-8") as file:
        file.write(f"note() {{ echo '{SKIPPED}' >\"$RESULTS/slurm-22.05.xml\"; echo '{SKIPPED.replace('<skipped/>', '')}' >\"$RESULTS/a.xml\"; echo >>\"$RAN\"; }}\n")
    if script:
        (stubbed.place / "scripts/lib/release_columns.py").write_text(f"#!/usr/bin/python3\n{script}\n")

    done, _ = stubbed.run("slurm")

    assert (done.returncode, done.stderr.splitlines()[-1]) == (code, f"scripts/test: {last}"), done
    assert ("NOT RUN: launch.md:3: a test of this row was skipped or failed with Slurm 22.05: `test_a.py::test_one`" in done.stderr) == (script is None)


def test_reports_are_kept_where_they_are_wanted(stubbed):
    done, _ = stubbed.run("unit", COMMMAP_REPORTS=str(stubbed.place / "kept/here"))
    assert done.returncode == 0 and [path.name for path in (stubbed.place / "kept/here").iterdir()] == ["a.xml"], done


def test_a_place_for_reports_that_is_none_is_refused_first(stubbed):
    done = patience.run(["bash", stubbed.place / "scripts/test", "unit"], capture_output=True, text=True,
                        env={**os.environ, "RAN": str(stubbed.ran), "COMMMAP_REPORTS": "/dev/null/x"})
    assert done.returncode == 1 and done.stderr.endswith("COMMMAP_REPORTS: '/dev/null/x' is no directory and cannot be made one\n"), done
    assert not stubbed.ran.exists()


def test_a_lane_that_is_killed_fails_scripts_test(stubbed):
    with open(stubbed.place / "scripts/lib/parts.sh", "a", encoding="utf-8") as file:
        file.write("in_this_group() { kill -KILL $BASHPID; }\n")

    done, _ = stubbed.run("unit")

    assert done.returncode == 1 and "scripts/test: FAILED: what runs beside (beside) ended early (exit code 137)" in done.stderr, done


def test_changes_that_cannot_be_listed_fail_scripts_test(stubbed):
    stubbed.stands_for("scripts/lib/changes.py", "exit 1")

    done, ran = stubbed.run("unit")

    assert done.returncode == 1 and "FAILED: gate: clang-tidy, what changed (exit code 1)" in done.stderr, done
    assert [line for line in ran if "tidy" in line or "asan" in line] == []


def test_scripts_test_says_that_there_are_no_machines(stubbed):
    stubbed.stands_for("scripts/lib/hwloc-machines", "echo no network; exit 1")

    done, _ = stubbed.run("unit")

    assert done.returncode == 0
    assert "NOT RUN: CPU binding on the topologies of other machines: no network" in done.stderr
