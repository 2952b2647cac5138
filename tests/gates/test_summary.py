# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""scripts/lib/summary.py: how a test run ends."""

import json
import pathlib

import patience
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTEST = """<testsuites><testsuite name="pytest">
<testcase classname="tests.slurm.test_signals" name="test_one[a]" time="1.5"/>
<testcase classname="tests.slurm.test_signals" name="test_two" time="12.25"><failure message="assert 1 == 2&#10;more">trace</failure></testcase>
<testcase classname="tests.slurm.test_signals" name="test_three" time="0.1"><skipped message="no"/></testcase>
</testsuite></testsuites>"""
CTEST = """<testsuite name="Linux-c++">
<testcase name="core.base.units" classname="core.base.units" time="3.25" status="run"/>
<testcase name="core.base.file" classname="core.base.file" time="0.5" status="fail"><failure message=""/></testcase>
<testcase name="core.base.skipped" classname="core.base.skipped" time="0" status="notrun"><skipped/></testcase>
</testsuite>"""


@pytest.fixture(name="summary")
def _summary(tmp_path):
    def run(files, *words):
        results = tmp_path / "results"
        results.mkdir()
        for name, text in files.items():
            (results / name).write_text(text)
        return patience.run(["/usr/bin/python3", ROOT / "scripts/lib/summary.py", results, "--seconds", "100", "--commit", "1234", *words],
                              capture_output=True, text=True)
    return run


GOOD = CTEST.replace('status="fail"><failure message=""/></testcase>', 'status="run"/>')


def test_slowest_tests_and_parts_come_first(summary):
    done = summary({"slurm-22.05.xml": PYTEST.replace("<failure", "<rerun").replace("</failure", "</rerun"), "ctest.xml": GOOD, "parts": "3\t0\tbuilding\n40\t0\tend to end\n"})

    assert done.returncode == 0, done
    assert done.stderr.splitlines() == ["scripts/test: " + line for line in (
        "the 10 slowest tests:",
        "    12.2 s  slurm-22.05: tests/slurm/test_signals.py::test_two",
        "     3.2 s  ctest: core.base.units",
        "     1.5 s  slurm-22.05: tests/slurm/test_signals.py::test_one[a]",
        "     0.5 s  ctest: core.base.file",
        "     0.1 s  slurm-22.05: tests/slurm/test_signals.py::test_three",
        "     0.0 s  ctest: core.base.skipped",
        "seconds of each part (100 in all; parts run beside each other):",
        "    40 s    end to end",
        "     3 s    building",
        "0 retries",
        "all tests passed")]


def test_what_failed_is_named_last(summary):
    done = summary({"slurm-22.05.xml": PYTEST, "ctest.xml": CTEST, "parts": "3\t8\tunit tests\n"})

    assert done.returncode == 1
    assert done.stderr.splitlines()[-3:] == ["scripts/test: FAILED: " + line for line in (
        "ctest: core.base.file", "slurm-22.05: tests/slurm/test_signals.py::test_two assert 1 == 2", "unit tests (exit code 8)")]


@pytest.mark.parametrize("count, code", [(6, 0), (7, 1)])
def test_more_than_six_retries_fail_the_run(summary, count, code):
    lines = "".join(json.dumps({"what": f"test {number}", "why": "output was lost"}) + "\n" for number in range(count))

    done = summary({"ctest.xml": GOOD, "retries": lines})

    assert done.returncode == code, done
    assert f"scripts/test: {count} retries:\nscripts/test:     test 0: output was lost\n" in done.stderr
    assert ("FAILED: 7 retries, above the 6 that a run may need" in done.stderr) == (code == 1)


def test_a_run_without_tests_fails(summary):
    done = summary({"parts": "3\t0\tbuilding\n"})
    assert done.returncode == 1 and done.stderr.endswith("FAILED: no test ran\n"), done


def test_what_was_not_run_is_said(summary):
    done = summary({"ctest.xml": GOOD, "not_run": "Slurm 24.11: no network\n"})
    assert done.returncode == 0
    assert "scripts/test: NOT RUN: Slurm 24.11: no network\n" in done.stderr
    assert done.stderr.endswith("all tests passed, but for those that were not run\n")


def test_the_json_has_counts_parts_and_retries(summary, tmp_path):
    done = summary({"ctest.xml": GOOD, "parts": "3\t0\tunit tests\n", "retries": '{"what": "a", "why": "b"}\n'}, "--json", tmp_path / "out.json")

    assert done.returncode == 0, done
    document = json.loads((tmp_path / "out.json").read_text())
    assert document["passed"] and document["seconds"] == 100
    assert document["tests"] == {"ctest": {"passed": 2, "failed": 0, "skipped": 1}}
    assert document["parts"] == [{"part": "unit tests", "seconds": 3, "exit_code": 0}]
    assert document["retries"] == [{"what": "a", "why": "b"}] and document["not_run"] == []
    assert set(document["machine"]) >= {"cpu", "cpus"} and document["commit"] == "1234"


def test_a_run_that_failed_leaves_the_last_good_json(summary, tmp_path):
    (tmp_path / "out.json").write_text("good")

    done = summary({"ctest.xml": CTEST}, "--json", tmp_path / "out.json")

    assert (done.returncode, (tmp_path / "out.json").read_text()) == (1, "good")


def test_a_report_that_ends_in_its_middle_fails_the_run(summary):
    done = summary({"ctest.xml": GOOD, "slurm-22.05.xml": PYTEST[:100]})

    assert done.returncode == 1 and "FAILED: slurm-22.05: slurm-22.05.xml cannot be read: " in done.stderr, done


HEAD = patience.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
of_git = pytest.mark.skipif(not HEAD, reason="without git nothing is noted")
TIDY = {"parts": "3\t0\tgate: clang-tidy, all sources\n"}


@of_git
def test_what_was_checked_is_noted_beside_what_others_noted(summary, tmp_path):
    noted = tmp_path / "checked.json"
    noted.write_text('{"tidy": {"commit": "1", "tree": "2"}}')

    done = summary({"sanitizers.xml": GOOD}, "--commit", HEAD, "--checked", "units", "--checked-file", noted)

    assert done.returncode == 0 and f"scripts/test: noted in {noted}: units; commit the file\n" in done.stderr, done
    known = json.loads(noted.read_text())
    assert known["tidy"] == {"commit": "1", "tree": "2"} and known["units"]["commit"] == HEAD and len(known["units"]["tree"]) == 40


@of_git
@pytest.mark.parametrize("before", ["", "<<<<<<<", "7"])
def test_a_damaged_list_of_what_was_checked_is_written_anew(summary, tmp_path, before):
    (tmp_path / "checked.json").write_text(before)
    done = summary({"sanitizers.xml": GOOD}, "--commit", HEAD, "--checked", "units", "--checked-file", tmp_path / "checked.json")
    assert done.returncode == 0 and list(json.loads((tmp_path / "checked.json").read_text())) == ["units"], done


@of_git
@pytest.mark.parametrize("files, commit", [
    ({"sanitizers.xml": CTEST}, ""), ({"sanitizers.xml": GOOD, "not_run": "no network\n"}, ""), ({"sanitizers.xml": GOOD}, "+changes"), ({}, "")],
    ids=["a test failed", "something was left out", "there were changes", "no test ran"])
def test_what_was_not_checked_is_not_noted(summary, tmp_path, files, commit):
    done = summary(files, "--commit", HEAD + commit, "--checked", "units", "--checked-file", tmp_path / "checked.json")
    assert not (tmp_path / "checked.json").exists()
    assert done.returncode or "scripts/test: not noted in checked.json: something was not run, was not committed, or is not in git\n" in done.stderr


@of_git
@pytest.mark.parametrize("files, code", [(TIDY, 0), ({}, 1)])
def test_clang_tidy_has_no_report(summary, tmp_path, files, code):
    done = summary(files, "--commit", HEAD, "--checked", "tidy", "--checked-file", tmp_path / "checked.json")
    assert done.returncode == code and (tmp_path / "checked.json").exists() == (code == 0), done
