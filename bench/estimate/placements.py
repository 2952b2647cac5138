# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The placements of a configuration: the node of each rank, as Slurm, chance, commmap and a long search choose it."""

import json
import os
import random
from pathlib import Path

from compare import commmap_cmds
from compare.demo import checked

NAMES = ("block", "cyclic", "random", "auto", "best")
_ANNEALING_EVALUATIONS = 1_000_000  # as of the demonstration


def of_slurm(distribution, ranks):
    """Asks the tasks of a step, within the job."""
    lines = checked([*commmap_cmds.srun(ranks, f"--distribution={distribution}"), "sh", "-c",
                     'echo "$SLURM_PROCID $SLURMD_NODENAME"']).splitlines()
    return [node for _, node in sorted((int(rank), node) for rank, node in map(str.split, lines))]


def at_random(block, name):
    """@param block  as many ranks on each node; the same name gives the same placement"""
    return random.Random(name).sample(block, len(block))


def of_mapper(mapper, job):
    """@param job  what names profile, cluster and nodes"""
    more = ["--evaluations", str(_ANNEALING_EVALUATIONS)] if mapper == "anneal" else []
    document = json.loads(checked(["commmap", "map", "--mapper", mapper, *more, *job, "--format", "json"]))
    return [one["node"] for one in sorted(document["placement"], key=lambda one: one["rank"])]


def job_of(profile, nodelist, cpus_per_node, ranks):
    return ["--profile", str(profile), "--ntasks", str(ranks), "--nodelist", nodelist, "--cpus-per-node", cpus_per_node]


def own_job(profile, ranks):
    return job_of(profile, os.environ["SLURM_JOB_NODELIST"], os.environ["SLURM_JOB_CPUS_PER_NODE"], ranks)


def mappers():
    lines = checked(["commmap", "map", "--list-mappers"]).splitlines()
    return [line.split()[0] for line in lines if line.strip()]


def write_hostfile(path, nodes):
    Path(path).write_text("".join(node + "\n" for node in nodes), encoding="utf-8")


def distinct(placements):
    """Of placements by name, the first name of each: {name: name of the first that is the same}."""
    first = {}
    return {name: first.setdefault(tuple(nodes), name) for name, nodes in placements.items()}
