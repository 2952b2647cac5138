# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Devices for Slurm to give out: two of type gpu on each node, near one half of its sockets each: `up --devices`.

They are device files that every machine has. Slurm opens them only to learn what they are, and the tasks get their numbers
(CUDA_VISIBLE_DEVICES) and the CPUs near them, which is what a launcher has to leave alone.
"""

FILES = ("/dev/zero", "/dev/full")
TYPES = "GresTypes=gpu\n"
OF_A_NODE = f" Gres=gpu:{len(FILES)}"  # on its line in slurm.conf


def gres_conf(shape):
    return "".join(_near_sockets(node) for node in shape.nodes)


def _near_sockets(node):
    sockets, cores = node.cpus.sockets, node.cpus.cores
    each = max(1, sockets // len(FILES))  # whole ones: from 24.11 on Slurm takes nothing else
    text = ""
    for number, path in enumerate(FILES):
        first = min(number * each, sockets - each)
        text += f"NodeName={node.name} Name=gpu File={path} Cores={first * cores}-{(first + each) * cores - 1}\n"
    return text
