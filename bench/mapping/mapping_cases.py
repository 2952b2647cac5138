# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What bench_mapping.py maps onto what."""

import math
import sys
from pathlib import Path
from typing import NamedTuple

import graph_sets

IRREGULAR = ["rgg2d", "rgg3d", "delaunay", "amr", "powerlaw"]
STENCILS = ["stencil2d5", "stencil3d7", "stencil3d27", "torus2d5", "torus3d7", "stencil4d9"]
PATTERNS = ["cg", "pencils", "butterfly", "hypercube", "alltoall", "isolated"]
KINDS = [*IRREGULAR, *STENCILS, *PATTERNS]
NUMBERINGS = ["row-major", "renumbered"]
GROUPS = ["irregular", "stencil", "pattern", "partly filled"]
NODE_HEIGHT = 2  # a node is a group of groups of PUs
MOST_ALLTOALL = 2048
POWERS_OF_TWO = ["butterfly", "hypercube"]


class Machine(NamedTuple):
    tree: str
    filling: str  # full, partly filled or uneven
    available: str = ""  # as --available takes it; empty: all


def arities(tree):
    return [int(number) for number in tree.split(":")]


def num_pus(tree):
    return math.prod(arities(tree))


def uneven(tree, ranks):
    """The PUs that are left when node j lacks its last j % m ones, with the largest m that leaves enough for the ranks."""
    size = math.prod(arities(tree)[:NODE_HEIGHT])
    nodes = num_pus(tree) // size

    def left(m):
        return num_pus(tree) - sum(j % m for j in range(nodes))

    m = max(m for m in range(1, size + 1) if left(m) >= ranks)
    return Machine(tree, "uneven", ",".join(f"{j * size}-{(j + 1) * size - 1 - j % m}" for j in range(nodes)))


MACHINES = {
    1024: [Machine("8:2:8:8", "full"), Machine("8:2:8:9", "partly filled"), uneven("8:2:8:10", 1024)],
    14000: [Machine("16:2:32:16", "partly filled"), uneven("16:2:32:16", 14000)],
    16384: [Machine("16:2:32:16", "full")],
    131072: [Machine("32:2:64:32", "full")],
    1048576: [Machine("64:2:128:64", "full")],
}
SIZES = list(MACHINES)


class Instance(NamedTuple):
    """A communication graph."""

    name: str
    group: str  # where its ratios are counted, on full machines
    make: list  # the command, but for the file
    tiling: list  # what tells box_tiling the grid; empty: it is none


def group_of(kind):
    return "irregular" if kind in IRREGULAR else "stencil" if kind in STENCILS else "pattern"


def instances_of_kinds(build, kinds, numberings, ranks):
    for kind in kinds:
        if not has_kind(kind, ranks):
            continue
        for numbering in numberings:
            options = ["--renumber"] if numbering == "renumbered" else []
            yield Instance(f"{kind} {numbering}", group_of(kind),
                           [build / "bench/make_instance", kind, "--ranks", ranks, "--seed", 1, *options, "-o"],
                           [kind, "--ranks", ranks] if kind in STENCILS else [])


SETS = list(graph_sets.SETS)
SIZES_OF_SETS = graph_sets.SIZES


def instances_of_set(name, ranks):
    for graph in graph_sets.SETS[name](ranks):
        yield Instance(graph.name, "stencil" if graph.group == "grid" else graph.group,
                       [sys.executable, Path(graph_sets.__file__), "write", name, ranks, graph.name],
                       tiling_words(graph.grid) if graph.grid else [])


def tiling_words(grid):
    steps = [word for offset, weight in grid.steps.items() for word in ("--step", f"{','.join(map(str, offset))}:{weight}")]
    return ["--sides", "x".join(map(str, grid.sides)), *steps, *(["--periodic"] if grid.periodic else [])]


def has_kind(kind, ranks):
    if kind in POWERS_OF_TWO:
        return ranks & (ranks - 1) == 0
    return kind != "alltoall" or ranks <= MOST_ALLTOALL
