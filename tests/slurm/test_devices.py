# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""GPUs: a task stays on the CPUs near its devices, which Slurm chose. The devices are device files that any machine has."""

import os
import shlex

import pytest

import cluster as clusters

WHERE = "echo $SLURM_PROCID $SLURMD_NODENAME $SLURM_LOCALID devices=$CUDA_VISIBLE_DEVICES $(taskset -cp $$ | sed s/.*://)"


@pytest.fixture(name="devices", scope="module")
def _devices(prefix, work):
    it = clusters.Cluster(f"devices{os.getpid()}", prefix, work)
    it.up("--devices", shape=os.path.join(clusters.HERE, "shapes", "2x8-smt.yaml"))  # one device near each package
    try:
        it.use_fake()
        yield it
    finally:
        it.down()


class Run:
    def __init__(self, cluster, where):
        self.cluster, self.where = cluster, where

    def __call__(self, options, option):
        """{rank: (node, what its place on the node is)}, standard error"""
        done = self.cluster.either(self.where, f"srun -Q {options} {option} bash -c {shlex.quote(WHERE)}", "-N2 -n8 --gres=gpu:2")
        return {int(line.split()[0]): (line.split()[1], tuple(line.split()[2:])) for line in done.lines}, done


@pytest.fixture(name="run", params=["allocation", "standalone"])
def _run(devices, request):
    return Run(devices, request.param)


def by_place(ranks):
    """node -> the places of its tasks"""
    nodes = {}
    for node, place in ranks.values():
        nodes.setdefault(node, set()).add(place)
    return nodes


@pytest.mark.parametrize("options", [
    "-N2 -n8 --gres=gpu:2", "-N2 -n8", "-N2 -n8 --gpus-per-node=2", "-N2 -n4 --gpus-per-task=1", "-N2 -n8 --gpus=4",
    "-N2 -n4 --gpus-per-task=1 --gpu-bind=closest", "-N2 -n2 --gres=gpu:1", "-N2 -n4 --ntasks-per-gpu=1 --gpus=4",
])
def test_tasks_stay_near_their_devices(run, options):
    if "g" not in options and run.where == "standalone":
        pytest.skip("a job without devices")
    plain, before = run(options, "--commmap=off")
    auto, after = run(options, "--commmap=auto")
    assert all("devices=0" in place or "devices=1" in place or "devices=0,1" in place for _, place in plain.values()), before
    assert by_place(auto) == by_place(plain), after
    nodes = [auto[rank][0] for rank in sorted(auto)]
    if nodes == [plain[rank][0] for rank in sorted(plain)]:
        # left alone: the user is told so
        assert len(after.said) == 1 and "launching as without commmap" in after.said[0], after
    else:
        assert nodes == sorted(nodes, reverse=True) and len(after.said) <= 1, after
