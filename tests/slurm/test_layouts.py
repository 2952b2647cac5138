# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What commmap takes for Slurm's own layout is what Slurm makes of the same command line.

The planner is asked for a number of tasks on a list of nodes (fake_planner.py writes down what it was asked, and keeps
Slurm's placement); the same launch without commmap shows the truth. A launch that commmap leaves alone must say why.
"""

import json
import os

import pytest

from cluster import RELEASE
from fake_planner_args import counts_of, nodes_of
from places import WHERE, places

PLANNED = [
    "", "-n16", "-n11", "-n8", "-N8", "-N8 -n13", "--ntasks-per-node=2", "-N8 --ntasks-per-node=2", "-n16 --ntasks-per-node=2",
    "-n8 --ntasks-per-node=1", "-c1", "-n8 -c2", "-n16 -c1", "-N2 -n4 -w m[2-3]", "-N2 -n3 -w m6,m1", "-n16 -w m3", "-N7 -n14 -x m3",
    "-N7 -n9 -x m0", "-N3 -n6 -r2", "-N2 -n4 -r6", "-n16 --exact", "-n8 --exact", "-n12 --exact", "-n12 --overlap",
    "-n8 --exclusive", "-N8 -n12 --mem=100",
]
OPEN = ["-N4-8 -n16", "-n3", "-N2 -n4", "-n16 -O", "-n8 -m cyclic"]
STANDALONE = ["-n16", "-N8 -n11", "-n3", "-N2 -n3", "-N2-4 -n6", "-N8 -n8 -c2", "-N2 -n4 -w m6,m1", "-N7 -n9 -x m0", "-N4 --ntasks-per-node=2"]


@pytest.fixture(autouse=True)
def _fake(cluster):
    cluster.use_fake()


@pytest.mark.parametrize("options", PLANNED + OPEN)
def test_in_an_allocation(cluster, work, options):
    def run(more, **variables):
        return cluster.job(f"srun {options} {more} bash -c {WHERE}", **variables)
    # from 24.11 on --relative takes nodes in turn where more are left than are wanted; in 26.05 it follows the switches
    open_there = {"22.05": "no option", "24.11": "-r2", "26.05": "-r"}[RELEASE.name]
    planned = options in PLANNED and open_there not in options
    compare(run, f"{work}/asked", planned)


@pytest.mark.parametrize("options", STANDALONE)
def test_standalone(cluster, work, options):
    def run(more, **variables):
        return cluster.login("srun", "-Q", *options.split(), *more.split(), "bash", "-c", WHERE.strip("'"),
                             COMMMAP_PROFILE_DIR=cluster.some_profiles(), **variables)
    compare(run, f"{work}/asked", planned=True)


def compare(run, asked, planned):
    if os.path.exists(asked):
        os.remove(asked)
    plain = run("")
    kept = run("--commmap=auto", FAKE_PLAN="keep", FAKE_ASKED=asked)
    found = {rank: node for rank, (node, _) in places(plain).items()}
    assert len(places(kept)) == len(found)
    request = {}
    if os.path.exists(asked):
        with open(asked, encoding="utf-8") as file:
            request = json.load(file)
    assert (request.get("keep") == "none") == planned, kept
    if not planned:
        assert len(kept.said) == 1, kept
        found = {rank: node for rank, (node, _) in places(kept).items()}  # the next step may get other nodes
    if not request:
        return
    # where only CPUs are planned, the layout is what Slurm itself told
    assert request["ntasks"] == len(found)
    nodes = nodes_of(request["nodelist"])
    if request["layout"] and request["layout"] != "topology":
        expected = [nodes[index] for index in counts_of(request["layout"], "x")]
    else:
        expected = dealt(nodes, counts_of(request["cpus_per_node"], "(x"), request["cpus_per_task"], len(found))
    truth = [found[rank] for rank in range(len(found))]
    if request["layout"] == "topology":  # the order is that of the switches
        expected, truth = sorted(expected), sorted(truth)
    assert expected == truth


def dealt(nodes, cpus, cpus_per_task, tasks):
    """Counts dealt out in turn, ranks in blocks: slurm_step_layout.c, _task_layout_block."""
    counts = [0] * len(nodes)
    while sum(counts) < tasks:
        before = sum(counts)
        for index in range(len(nodes)):
            if sum(counts) < tasks and counts[index] < cpus[index] // cpus_per_task:
                counts[index] += 1
        assert sum(counts) > before, "more tasks than CPUs"
    return [node for node, count in zip(nodes, counts) for _ in range(count)]
