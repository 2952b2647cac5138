# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What happens around a launch while it is planned: nodes go down, planning hangs, others of a job array launch too."""

import contextlib
import os

import patience
import pytest

from cluster import FAKE_PLANNER
from places import BLOCK, WHERE, places
from launches import queue

TAIL = "; launching as without commmap"
DOWN = "scontrol update nodename=m3 state=down reason=test"
TASK = "bash -c 'echo $SLURM_PROCID $SLURMD_NODENAME'"


@pytest.fixture(autouse=True)
def _fake(cluster):
    cluster.use_fake()


@contextlib.contextmanager
def node_comes_back(cluster):
    try:
        yield
    finally:
        patience.run(cluster.exec_words("scontrol", "update", "nodename=m3", "state=resume"), capture_output=True)
        patience.until(lambda: queue(cluster) == "" and set(cluster.login("sinfo", "-h", "-N", "-o", "%T").lines) == {"idle"}, 90, "all nodes idle")


def test_node_goes_down_in_an_allocation(cluster):
    """The job goes on without it (--no-kill). A launch on the other nodes runs; one that names it waits, plain as well."""
    for command, before in (("srun", DOWN), ("srun --commmap=auto", "true")):
        with node_comes_back(cluster):
            done = cluster.job(f"{before}; {command} -N6 -n12 -w m[0-2,4-6] {TASK}", "--no-kill",
                               COMMMAP_PROFILE_DIR=cluster.some_profiles(), FAKE_RUN=DOWN)
        assert done.code == 0 and len(done.lines) == 12, done
        assert done.said == [], done


def test_node_goes_down_in_a_job_of_its_own(cluster):
    """Slurm ends the job, with a plain srun and with a planned one; nothing stays behind."""
    for option in ("", "--commmap=auto"):
        with node_comes_back(cluster):
            # a plain srun has its step and no task yet when its prolog runs
            how = ["--prolog", f"{cluster.work}/down.sh"] if not option else [option]
            with open(f"{cluster.work}/down.sh", "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{DOWN}\n")
            os.chmod(f"{cluster.work}/down.sh", 0o755)
            done = cluster.login("srun", "-N8", "-n16", *how, "sleep", "1000", seconds=120, COMMMAP_PROFILE_DIR=cluster.some_profiles(),
                                 FAKE_RUN=DOWN)
        assert done.code != 0, done


@pytest.mark.parametrize("standalone", [False, True])
def test_hanging_planner_costs_plan_seconds(cluster, standalone):
    cluster.use(f"program={FAKE_PLANNER}")  # with the limit that nobody chose
    how = {"COMMMAP_PROFILE_DIR": cluster.some_profiles(), "FAKE_PLAN": "hang"}
    if standalone:
        done = cluster.login("srun", "-Q", "-N8", "-n16", "--commmap=auto", "bash", "-c", WHERE.strip("'"), **how)
    else:
        done = cluster.job(f"srun -n16 --commmap=auto bash -c {WHERE}", **how)
    assert places(done) == BLOCK
    assert len(done.said) == 1 and done.said[0].endswith(f"took longer than 1 s{TAIL}"), done


def test_job_array(cluster, work):
    """Four jobs at once on two nodes each: each is placed in its own."""
    found = {}
    for option in ("", "--commmap=auto"):
        script = f"#!/bin/bash\nsrun -N2 -n4 {option} bash -c {WHERE}\n"
        done = cluster.login("sbatch", "-Q", "--wait", "--array=0-3", "-N2", "-n4", "-o", f"{work}/array-%a", stdin=script)
        assert done.code == 0, done
        for task in range(4):
            with open(f"{work}/array-{task}", encoding="utf-8") as file:
                text = file.read()
            assert "commmap" not in text
            found[option, task] = {int(rank): (node, cpus) for rank, node, cpus in map(str.split, text.splitlines())}
    for (option, task), ranks in found.items():
        low, high = sorted({node for node, _ in ranks.values()})
        block = {0: (low, "0"), 1: (low, "1"), 2: (high, "0"), 3: (high, "1")}
        assert ranks == (dict(zip(range(4), reversed(block.values()))) if option else block), (option, task)
    assert sorted({node for (option, _), ranks in found.items() if option for node, _ in ranks.values()}) == [f"m{n}" for n in range(8)]


def test_nested_in_a_job_of_its_own(cluster):
    """A step inside a task of a placed standalone launch is nobody's business, and is Slurm's own."""
    nested = "[ $SLURM_PROCID = 0 ] || exit 0; srun -N1 -n1 --overlap -w $SLURMD_NODENAME hostname; srun -n2 --overlap hostname | wc -l"
    for option, node in (("--commmap=off", "m0"), ("--commmap=auto", "m7")):
        done = cluster.login("srun", "-Q", "-N8", "-n16", option, "bash", "-c", nested, COMMMAP_PROFILE_DIR=cluster.some_profiles())
        assert done.code == 0 and done.lines == [node, "2"] and done.said == [], done
