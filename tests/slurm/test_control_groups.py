# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Binding where the kernel enforces what Slurm grants: Slurm's other task plug-ins, on nodes with the machine's own CPUs."""

import os

import pytest

import cluster as clusters
import confine

# rank, node, what the kernel lets it run on, what its control group has
WHERE = """#!/bin/bash
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    group=/sys/fs/cgroup$(sed -n 's,^0::,,p' /proc/self/cgroup) file=cpuset.cpus.effective
else
    group=/sys/fs/cgroup/cpuset/$(grep :cpuset: /proc/self/cgroup | sed 's,.*:cpuset:/[^/]*,,') file=cpuset.cpus
fi
echo $SLURM_PROCID $SLURMD_NODENAME $(grep Cpus_allowed_list /proc/self/status | cut -f2) $(cat $group/$file)
"""
PLUGINS = ["task/affinity,task/cgroup", "task/cgroup", "task/none"]


@pytest.fixture(name="confined", scope="module", params=PLUGINS)
def _confined(prefix, work, request):
    if not confine.has_cpusets():
        clusters.skip_but_in_vm("no control groups with cpusets here")
    if len(os.sched_getaffinity(0)) < 2:
        clusters.skip_but_in_vm("needs two CPUs")
    it = clusters.Cluster(f"groups{os.getpid()}", prefix, work)
    it.up("--real-cpus", "--set", f"TaskPlugin={request.param}")
    try:
        it.use_fake()
        it.plugin = request.param
        it.where = os.path.join(work, "where.sh")
        with open(it.where, "w", encoding="utf-8") as file:
            file.write(WHERE)
        os.chmod(it.where, 0o755)
        yield it
    finally:
        it.down()


def cpus(text):
    ends = [part.split("-") for part in text.split(",")]
    return {cpu for first, *last in ends for cpu in range(int(first), int((last or [first])[0]) + 1)}


class Run:
    def __init__(self, cluster, where):
        self.cluster, self.where = cluster, where

    def __call__(self, options, option="--commmap=auto", before="", allocation=None):
        """allocation: options of salloc, when they are others than srun's. {rank: (node, CPUs that it may run on, CPUs of its control group)}, standard error"""
        done = self.cluster.either(self.where, f"srun -Q {options} {option} {self.cluster.where}", allocation or options, before)
        ranks = {int(rank): (node, cpus(may), cpus(group)) for rank, node, may, group in (line.split() for line in done.lines)}
        return ranks, done


@pytest.fixture(name="run", params=["allocation", "standalone"])
def _run(confined, request):
    return Run(confined, request.param)


def nodes(ranks):
    return [node for _, (node, _, _) in sorted(ranks.items())]


def check_inside(ranks):
    for node, may, group in ranks.values():
        assert may and may <= group, ranks
        assert node.startswith("m")


def test_tasks_that_fill_their_nodes_have_a_cpu_each(run):
    """Also with task/none: the job has all CPUs of the machine, which are as many as its tasks."""
    plain, _ = run("-N2 -n4", option="")
    ranks, done = run("-N2 -n4")
    check_inside(ranks)
    assert nodes(ranks) == nodes(plain)[::-1], done
    if "affinity" not in run.cluster.plugin:
        assert all(len(may) == 2 for _, may, _ in plain.values()), plain
    per_node = {}
    for node, may, _ in ranks.values():
        assert len(may) == 1, ranks
        per_node.setdefault(node, set()).update(may)
    assert all(len(used) == 2 for used in per_node.values()), ranks


def test_part_of_a_node(run):
    """One CPU of two: bound to it where Slurm says which it is or confines the job, else left alone."""
    plain, _ = run("-N2 -n2", option="")
    ranks, done = run("-N2 -n2 --commmap=auto,verbose", option="")
    check_inside(ranks)
    assert nodes(ranks) == nodes(plain)[::-1], done
    for rank, (_, may, _) in ranks.items():
        if run.cluster.plugin == "task/none":
            assert may == set(range(2)) == plain[rank][1], (ranks, plain)
            assert "1 tasks of 1 CPU each do not match the 2 CPUs that Slurm lets them use" in done.err
        else:
            assert len(may) == 1, ranks
    if "cgroup" in run.cluster.plugin:
        assert all(len(group) == 1 for _, _, group in ranks.values()), ranks


def test_beside_another_job(run):
    """Which has the first CPU of each node: ours must not be bound to that."""
    if run.cluster.plugin == "task/none":
        pytest.skip("nothing keeps jobs apart")
    hold = os.path.join(run.cluster.work, "hold")
    if not os.path.exists(hold):
        os.mkfifo(hold)
    first = (f"srun -Q -N8 -n8 bash -c 'echo $SLURMD_NODENAME $(grep Cpus_allowed_list /proc/self/status | cut -f2) >> {hold}.held; cat {hold}' & "
             f"until [ $(cat {hold}.held 2>&- | wc -l) = 8 ]; do sleep 0.05; done; ")
    ranks, done = run("-N2 -n2", before=f"rm -f {hold}.held; " + first + "trap 'kill %1' EXIT; ")
    with open(f"{hold}.held", encoding="utf-8") as file:
        held = {node: cpus(text) for node, text in (line.split() for line in file)}
    check_inside(ranks)
    for node, may, _ in ranks.values():
        assert len(may) == 1, (ranks, done)
        assert not may & held[node], (ranks, held)


def test_several_cpus_a_task(run):
    # salloc -c of 24.11 sets SLURM_TRES_PER_TASK, with which a launch is left alone
    plain, _ = run("-N2 -n2 -c2", option="", allocation="-N2 --exclusive")
    ranks, done = run("-N2 -n2 -c2", allocation="-N2 --exclusive")
    check_inside(ranks)
    assert nodes(ranks) == nodes(plain)[::-1], done
    assert all(len(may) == 2 for _, may, _ in ranks.values()), ranks
