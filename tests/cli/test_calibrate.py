# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What `commmap calibrate` says without a job. tests/slurm/test_calibrate.py measures."""

import os
import pathlib
import shutil

import patience
import pytest

PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
CLUSTER = """version: 1
links: {port: {bandwidth: 100 Mbit/s, latency: 60 us}, trunk: {bandwidth: 1 Gbit/s}}
node_classes: {dual: {hwloc: {synthetic: "core:2 pu:1"}, link: port}}
switches:
  core: {switches: [s0, s1]}
  s0: {nodes: "m[0-4]", class: dual, link: trunk}
  s1: {nodes: "m[5-7]", class: dual, link: trunk}
"""


@pytest.fixture(name="calibrate")
def _calibrate(tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER, encoding="utf-8")

    def run(*words, program=PREFIX / "bin/commmap", **variables):
        return patience.run([program, "calibrate", "cluster.yaml", *words], capture_output=True, text=True, cwd=tmp_path,
                            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **variables})
    return run


def refused(done, *parts):
    assert done.returncode == 1 and done.stdout == "", done
    assert done.stderr.startswith("commmap: ") and done.stderr.count("\n") == 1, done
    for part in parts:
        assert part in done.stderr, done


def test_a_dry_run_lists_measurements_and_their_duration(calibrate):
    done = calibrate("--dry-run")

    assert done.returncode == 0 and done.stderr == "", done
    lines = done.stdout.splitlines()
    assert lines[0] == "ports of class 'dual' (link 'port'), 8 of them"
    assert "round trips m0>m1, 1 B to 4 MiB" in lines[1]
    assert "uplinks of switches below the root (link 'trunk'), 2 of them" in lines
    total = sum(float(line.split(" s ")[0]) for line in lines if line.startswith("  "))
    assert lines[-1].startswith("14 measurements, about ")
    assert abs(int(lines[-1].split()[3]) - total) <= 2, lines[-1]


def test_a_dry_run_in_a_job_is_about_its_nodes(calibrate):
    done = calibrate("--dry-run", SLURM_JOB_NODELIST="m0,m5")

    assert "not measured, no two nodes of class 'dual' hang on one switch" in done.stdout, done
    assert "round trips m0>m5" in done.stdout, done


def test_without_a_job_it_says_how_to_get_one(calibrate):
    refused(calibrate(), "no job to measure in", "salloc -N 8 --exclusive commmap calibrate", "--dry-run")


def test_a_list_of_nodes_is_no_job(calibrate):
    refused(calibrate("--nodelist=m[0-1]"), "no job to measure in")


def test_one_node_has_no_link(calibrate):
    refused(calibrate(SLURM_JOB_NODELIST="m0"), "-N 2")


def test_a_node_that_the_file_lacks_is_named(calibrate):
    refused(calibrate(SLURM_JOB_NODELIST="m0,x7"), "node 'x7' of the job is not in cluster.yaml")


def test_a_file_that_is_not_there(calibrate, tmp_path):
    (tmp_path / "cluster.yaml").unlink()
    refused(calibrate("--dry-run"), "cluster.yaml")


def test_without_srun_it_says_so(calibrate, tmp_path):
    refused(calibrate(SLURM_JOB_NODELIST="m[0-7]", PATH=str(tmp_path)), "cannot start 'srun'")


def test_without_the_measuring_program_it_says_so(calibrate, tmp_path):
    alone = shutil.copy(PREFIX / "bin/commmap", tmp_path)
    refused(calibrate(SLURM_JOB_NODELIST="m[0-7]", program=alone), "commmap-measure' is not there", "--measure-program")
