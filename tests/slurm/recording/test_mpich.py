# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""MPICH over PMI-2: a changed order must not cost it the memory that ranks of a node share."""

import re

import pytest

from cluster import SHARED, need


def ranks(done):
    """rank -> (host, how many share memory, what is mapped)"""
    assert done.code == 0, done
    found = {}
    for line in done.lines:
        rank, host, share, mapped = re.fullmatch(r"rank (\d+) of 16 on (m\d): (\d+) share, (.*)", line).groups()
        found[int(rank)] = (host, int(share), mapped)
    return found


PLAIN = {rank: (f"m{rank // 2}", 2, "mapped") for rank in range(16)}
# neighbours apart: m7 m6 ... m0 m7 m6 ... m0
PLACED = {rank: (f"m{7 - rank % 8}", 2, "mapped") for rank in range(16)}


@pytest.mark.parametrize("where", ["allocation", "standalone"])
def test_shared_memory_is_used(cluster, programs, where):
    need(SHARED)
    cluster.use_fake()

    def run(option):
        if where == "allocation":
            return ranks(cluster.job(f"FAKE_PLAN=swap srun -n16 --mpi=pmi2 {option} {programs['shared']}"))
        return ranks(cluster.login("srun", "-Q", "-N8", "-n16", "--mpi=pmi2", option, programs["shared"],
                                   COMMMAP_PROFILE_DIR=cluster.some_profiles(), FAKE_PLAN="swap"))
    assert run("--commmap=off") == PLAIN
    assert run("--commmap=auto") == PLACED


def test_by_default(cluster, programs):
    """No --mpi: the environment says it."""
    need(SHARED)
    cluster.use_fake()
    done = cluster.job(f"srun -n16 --commmap=auto {programs['shared']}", SLURM_MPI_TYPE="pmi2", FAKE_PLAN="swap")
    assert ranks(done) == PLACED


def test_no_variable_is_left(cluster):
    cluster.use_fake()
    done = cluster.job("srun -n16 --mpi=pmi2 --commmap=auto env")
    assert done.code == 0 and "COMMMAP" not in done.out and "PROC_MAPPING" not in done.out
