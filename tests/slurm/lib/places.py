# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Where the ranks of a step of 16 run: the command that tells, the table of its output, and tables to expect."""

from cluster import NODES

WHERE = "'echo $SLURM_PROCID $SLURMD_NODENAME $(taskset -cp $$ | sed s/.*://)'"
REVERSED = {rank: (NODES[7 - rank // 2], str(1 - rank % 2)) for rank in range(16)}
BLOCK = {rank: (NODES[rank // 2], str(rank % 2)) for rank in range(16)}


def places(done):
    """rank -> (node, CPUs)"""
    assert done.code == 0, done
    found = {}
    for line in done.lines:
        rank, node, cpus = line.split()
        found[int(rank)] = (node, cpus)
    return found
