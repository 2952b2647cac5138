# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""`commmap calibrate --check` with a stand-in for srun that answers as the measuring program does. tests/slurm/test_calibrate_check.py measures."""

import json
import os
import pathlib
import re

import documented
import patience
import pytest

PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
CLUSTER = """version: 1
links: {port: {bandwidth: 100 Mbit/s, latency: 60 us}}
node_classes: {dual: {hwloc: {synthetic: "core:2 pu:1"}, link: port}}
switches:
  core: {switches: [s0, s1]}
  s0: {nodes: "m[0-4]", class: dual, link: port}
  s1: {nodes: "m[5-7]", class: dual, link: port}
"""
# Streams between switches share an uplink; FAULTS are names of ports and nodes with their share, WHEN the steps that have them.
SRUN = """#!/usr/bin/python3
import os, pathlib, sys
step = pathlib.Path("steps")
number = len(step.read_text()) if step.exists() else 0
step.write_text("x" * (number + 1))
faults = dict(word.split("=") for word in os.environ.get("FAULTS", "").split()) if str(number) in os.environ.get("WHEN", "0 1").split() else {}
print("library Open MPI v4.1.4")
for index, line in enumerate(sys.stdin):
    if number == int(os.environ.get("STOP_IN", "-1")) and index == 3:
        sys.exit(9)
    pattern, length, *pairs = line.split()
    pairs = [pair.split(">") for pair in pairs]
    side = lambda node: int(node[1:]) >= 5
    across = {way: sum((side(a), side(b)) == way for a, b in pairs) for way in ((False, True), (True, False))}
    for number_of_pair, (a, b) in enumerate(pairs):
        value = 12e6 * min(float(faults.get("out:" + a, 1)), float(faults.get("in:" + b, 1)))
        value = min(value, 12e6 * float(faults.get("trunk", 1)) / max(1, across.get((side(a), side(b)), 1)))
        if pattern == "work":
            value = 0.1 / float(faults.get("cpu:" + a, 1))
        print("measured-pair", index, number_of_pair, length, *[value * factor for factor in (1, 0.999, 0.998, 0.997, 0.996)])
"""
JOB = {"SLURM_JOB_NODELIST": "m[0-7]", "SLURM_JOB_ID": "7"}


@pytest.fixture(name="check")
def _check(tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER, encoding="utf-8")
    (tmp_path / "bin").mkdir()
    srun = tmp_path / "bin/srun"
    srun.write_text(SRUN, encoding="utf-8")
    srun.chmod(0o755)

    def run(*words, **variables):
        (tmp_path / "steps").unlink(missing_ok=True)
        return patience.run([PREFIX / "bin/commmap", "calibrate", "cluster.yaml", "--check", "--measure-program", "/bin/true", *words], capture_output=True,
                            text=True, cwd=tmp_path, env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "HOME": str(tmp_path), **variables})
    run.steps = lambda: len((tmp_path / "steps").read_text(encoding="utf-8"))
    return run


def test_a_clean_cluster_has_one_line_and_one_step(check):
    done = check(**JOB)

    assert (done.returncode, done.stderr) == (0, ""), done
    assert re.fullmatch(r"8 nodes, 2 uplinks checked in \d+ s: no outlier\n", done.stdout), done
    assert check.steps() == 1


@pytest.mark.parametrize("fault,beginning,end", [
    ("out:m3=0.7", "node m3: sends at 8.40 MB/s, 70 % of the 12.0 MB/s of 6 streams of its kind (measured twice: 8.40 MB/s, 8.40 MB/s; 30 times their spread)",
     "look at its cable or port, the other direction is fine"),
    ("in:m6=0.7", "node m6: receives at 8.40 MB/s", "the other direction is fine"),
    ("out:m1=0.7 in:m1=0.5", "node m1: sends at 8.40 MB/s", "look at its cable or port"),
    ("cpu:m4=0.7", "node m4: computes at 70 % of the speed of 8 nodes of its kind (measured twice: 142 ms, 142 ms, others 99.6 ms", "something else runs on them"),
    ("trunk=0.5", "from switch 's0' to 's1' at 6.00 MB/s, 51 % of the 11.8 MB/s that the file says", "no third switch could tell which it is"),
])
def test_an_outlier_is_named_in_one_line(check, fault, beginning, end):
    done = check(**JOB, FAULTS=fault)

    first, last = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (1, ""), done
    assert first.startswith(beginning) and first.endswith(end), first
    assert re.fullmatch(r"8 nodes, 2 uplinks checked in \d+ s: 1 outlier", last)
    assert check.steps() == 2


def test_swapped_nodes_are_named_together(check, tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER.replace("m[0-4]", "m[0-2],m6,m4").replace("m[5-7]", "m5,m3,m7"), encoding="utf-8")

    done = check(**JOB)

    assert done.returncode == 1, done
    first, last = done.stdout.splitlines()
    assert first.startswith("nodes m3 and m6: each hangs on the other's switch ('s1', 's0' by the file), or their names are swapped; "), first
    assert last.endswith(": 1 outlier")


def test_what_is_slow_once_is_not_named(check):
    done = check(**JOB, FAULTS="out:m3=0.5 cpu:m4=0.5 trunk=0.6", WHEN="0")

    assert (done.returncode, done.stdout.count("\n"), check.steps()) == (0, 1, 2), done


def test_json_has_the_documented_keys(check):
    done = check("--json", FAULTS="out:m3=0.7", **JOB)

    document = json.loads(done.stdout)
    assert done.returncode == 1 and document["complete"] is True, done
    assert document["outliers"][0]["nodes"] == ["m3"] and document["outliers"][0]["values"][0]["share"] == pytest.approx(0.7, abs=0.01)
    documented.check(document, "admin/check.md", "JSON of a check:")


def test_names_that_are_no_utf_8_do_not_end_a_check(check, tmp_path):
    long_name = "x" + "\u00e4" * 60  # quoted() cuts it inside a character
    (tmp_path / "cluster.yaml").write_text(CLUSTER.replace("s0", long_name), encoding="utf-8")

    done = check("--json", FAULTS="trunk=0.5", **JOB)

    assert (done.returncode, done.stderr) == (1, ""), done
    assert json.loads(done.stdout)["outliers"][0]["kind"] == "path"


def test_a_step_that_ends_early_is_a_failed_check(check):
    done = check(**JOB, STOP_IN="0")

    assert done.returncode == 2, done
    # the step ended in its fourth round, before any uplink
    assert re.fullmatch(r"[0-7] nodes, 0 uplinks checked in \d+ s, not all of it: no outlier", done.stdout.splitlines()[-1]), done
    assert done.stderr == "commmap: 'srun' ended with exit code 9\n", done


def test_what_was_found_before_a_second_step_ended_counts(check):
    done = check(**JOB, FAULTS="out:m1=0.5 cpu:m4=0.7", STOP_IN="1")

    assert done.returncode in (1, 2) and "not all of it" in done.stdout, done
    assert done.stderr == "commmap: 'srun' ended with exit code 9\n", done


def test_a_dry_run_lists_rounds_and_needs_no_job(check):
    done = check("--dry-run", "--at-once", "2")

    assert (done.returncode, done.stderr) == (0, ""), done
    lines = done.stdout.splitlines()
    assert lines[0] == "ports: m0>m1 m2>m3"
    assert lines[-1].startswith("20 measurements, about ") and lines[-1].endswith("what is slow is measured again")


def failed(done, *parts):
    assert done.returncode == 2 and done.stdout == "", done
    for part in parts:
        assert part in done.stderr, done
    assert done.stderr.startswith("commmap: ") and done.stderr.count("\n") == 1, done


def test_without_a_job_the_check_failed(check):
    failed(check(), "no job to measure in")


def test_one_node_has_nothing_to_check(check):
    failed(check(SLURM_JOB_NODELIST="m0"), "-N 2")


def test_a_node_that_the_file_lacks(check):
    failed(check(SLURM_JOB_NODELIST="m0,x7"), "node 'x7' of the job is not in cluster.yaml")


def test_a_file_that_is_not_there(check, tmp_path):
    (tmp_path / "cluster.yaml").unlink()
    failed(check(**JOB), "cluster.yaml")


def test_without_srun(check, tmp_path):
    (tmp_path / "bin/srun").unlink()
    failed(check(**{**JOB, "PATH": str(tmp_path)}), "cannot start 'srun'")


@pytest.mark.parametrize("words", [("--at-once", "0"), ("--at-once", "-1"), ("--at-once", "two"), ("--output", "links.yaml")])
def test_bad_options(check, words):
    failed(check(*words, **JOB))


@pytest.mark.parametrize("word", [("--json",), ("--at-once", "2")])
def test_options_of_a_check_need_it(word, tmp_path):
    done = patience.run([PREFIX / "bin/commmap", "calibrate", "cluster.yaml", *word], capture_output=True, text=True, cwd=tmp_path,
                        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)})
    failed(done, "--check")
