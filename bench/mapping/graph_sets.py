# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The graphs that the engine's constants are chosen with (training), and those that it is judged by (test).

    graph_sets.py list SET RANKS                 names, one a line
    graph_sets.py write SET RANKS NAME FILE      the graph, in METIS's format

Both sets have 1024 and 16384 ranks. The test set has other seeds, sides and weights, and kinds that the training set has not:
oceans, nearest neighbours, communities, small worlds. Nobody looks at the test set's costs before the engine has its last
change; a test set that was looked at becomes a part of the training set.
"""

import sys
from typing import Callable, NamedTuple, Optional

import graph_kinds as kinds

SIZES = (1024, 16384)


class Grid(NamedTuple):
    """What box_tiling needs to know of a whole grid."""
    sides: tuple
    steps: dict
    periodic: bool


class Graph(NamedTuple):
    name: str
    group: str  # grid or irregular
    make: Callable  # -> edges
    renumber_seed: Optional[int]  # None: in its own order
    grid: Optional[Grid] = None  # of a whole one


def grid(name, sides, steps, periodic, renumber_seed):
    return Graph(name, "grid", lambda: kinds.stencil(sides, steps, periodic), renumber_seed, Grid(sides, steps, periodic))


def irregular(name, make, renumber_seed):
    return Graph(name, "irregular", make, renumber_seed)


def attachment(ranks, links, law, seed):
    return irregular(f"attachment, {links} links, {law.__name__}", lambda: kinds.preferential_attachment(ranks, links, law, seed), seed)


def chung_lu(ranks, degree, exponent, law, seed, renumber_seed):
    return irregular(f"Chung-Lu, exponent {exponent}, {law.__name__}", lambda: kinds.chung_lu(ranks, degree, exponent, law, seed), renumber_seed)


def rmat(ranks, degree, parts, law, seed):
    return irregular(f"R-MAT {parts[0]}, {law.__name__}", lambda: kinds.rmat(ranks, degree, parts, law, seed), seed + 1)


def tree(ranks, dimensions, seed, renumber_seed):
    return irregular(f"{'quad' if dimensions == 2 else 'oc'}tree {seed}", lambda: kinds.tree_mesh(ranks, dimensions, seed), renumber_seed)


def elements(ranks, dimensions, points, power, seed):
    return irregular(f"elements {dimensions}D, power {power}",
                     lambda: kinds.mesh_towards_wall(ranks, dimensions, points, power, int(seed + power)), seed + 1)


def first_training(ranks):
    small = ranks == 1024
    flat, cube, slab = ((32, 32), (16, 8, 8), (32, 16, 2)) if small else ((128, 128), (32, 32, 16), (64, 64, 4))
    graphs = []
    for cells in (1, 4, 8, 16, 64):
        graphs.append(grid(f"halo 3D, {cells} cells", cube, kinds.halo_steps(3, cells), False, 100 + cells))
    graphs += [
        grid("halo 2D, 1 cell", flat, kinds.halo_steps(2, 1), False, 110),
        grid("halo 2D, 8 cells, own order", flat, kinds.halo_steps(2, 8), False, None),
        grid("halo 3D, 8 cells, own order", cube, kinds.halo_steps(3, 8), False, None),
        grid("halo 3D, 8 cells, periodic", cube, kinds.halo_steps(3, 8), True, 111),
        grid("faces 3D, slab", slab, kinds.axis_steps(3, {1: 1}), False, 112),
        grid("faces 2D, periodic", flat, kinds.axis_steps(2, {1: 1}), True, 113),
        grid("faces 3D, periodic", cube, kinds.axis_steps(3, {1: 1}), True, 114),
        grid("two fields 3D, strides 1 and 2", cube, kinds.axis_steps(3, {1: 4, 2: 1}), False, 115),
        grid("two fields 2D, strides 1 and 4", flat, kinds.axis_steps(2, {1: 2, 4: 1}), False, 116),
    ]
    for links, law in ((2, kinds.zipf), (4, kinds.uniform), (6, kinds.zipf), (8, kinds.zipf)):
        graphs.append(attachment(ranks, links, law, 200 + links))
    for exponent, law in ((2.2, kinds.zipf), (2.5, kinds.uniform), (3.0, kinds.zipf)):
        graphs.append(chung_lu(ranks, 10, exponent, law, int(210 + 10 * exponent), 211))
    for parts, law in (((0.57, 0.19, 0.19, 0.05), kinds.zipf), ((0.45, 0.22, 0.22, 0.11), kinds.uniform), ((0.5, 0.1, 0.1, 0.3), kinds.zipf)):
        graphs.append(rmat(ranks, 12, parts, law, 220))
    for seed in range(231, 237):
        graphs.append(tree(ranks, 2, seed, seed if seed % 2 else None))
    return graphs


def first_test(ranks):
    # The test set until 718d11b; docs/developer/mapping-engine.md, bench/results/mapping-test.csv has its table.
    small = ranks == 1024
    flat, cube, long = ((64, 16), (16, 16, 4), (64, 4, 4)) if small else ((256, 64), (64, 16, 16), (256, 8, 8))
    holes = (((12, 12, 8), (8, 4, 4)), ((40, 32), (16, 16))) if small else (((32, 32, 18), (16, 16, 8)), ((160, 128), (64, 64)))
    graphs = []
    for cells in (1, 4, 8, 16, 64):
        graphs.append(grid(f"halo 3D, {cells} cells", cube, kinds.halo_steps(3, cells), False, 500 + cells))
    graphs += [
        grid("halo 3D, 2 cells, own order", cube, kinds.halo_steps(3, 2), False, None),
        grid("halo 3D, 8 cells, long", long, kinds.halo_steps(3, 8), False, 510),
        grid("halo 3D, 16 cells, periodic", cube, kinds.halo_steps(3, 16), True, 511),
        grid("halo 2D, 1 cell", flat, kinds.halo_steps(2, 1), False, 512),
        grid("halo 2D, 64 cells, periodic, own order", flat, kinds.halo_steps(2, 64), True, None),
        grid("faces 3D, long, periodic", long, kinds.axis_steps(3, {1: 1}), True, 513),
        grid("faces 2D", flat, kinds.axis_steps(2, {1: 1}), False, 514),
        grid("two fields 3D, strides 1 and 2", cube, kinds.axis_steps(3, {1: 2, 2: 1}), False, 515),
        grid("two fields 2D, strides 1 and 3", flat, kinds.axis_steps(2, {1: 8, 3: 1}), False, 516),
        Graph("halo 3D, 8 cells, hole", "irregular", lambda: kinds.with_hole(holes[0][0], kinds.halo_steps(3, 8), holes[0][1]), 520),
        Graph("faces 2D, hole", "irregular", lambda: kinds.with_hole(holes[1][0], kinds.axis_steps(2, {1: 1}), holes[1][1]), 521),
    ]
    for links, law in ((3, kinds.zipf), (6, kinds.zipf), (5, kinds.uniform)):
        graphs.append(attachment(ranks, links, law, 600 + links))
    for exponent, law in ((2.1, kinds.uniform), (2.7, kinds.zipf), (3.5, kinds.zipf)):
        graphs.append(chung_lu(ranks, 8, exponent, law, int(610 + 10 * exponent), 611))
    for parts, law in (((0.6, 0.15, 0.15, 0.1), kinds.zipf), ((0.4, 0.25, 0.25, 0.1), kinds.uniform)):
        graphs.append(rmat(ranks, 10, parts, law, 620))
    graphs += [tree(ranks, 2, seed, seed) for seed in (631, 632)]
    graphs += [tree(ranks, 3, seed, seed if seed % 2 else None) for seed in (641, 642, 643)]
    for dimensions, power in ((2, 2.0), (2, 4.0), (3, 3.0)):
        graphs.append(elements(ranks, dimensions, 16, power, 650))
    return graphs


def training(ranks):
    return [*first_training(ranks), *(graph._replace(name=f"{graph.name} (B)") for graph in first_test(ranks))]


def test(ranks):
    small = ranks == 1024
    flat, cube, plate = ((128, 8), (32, 8, 4), (16, 32, 2)) if small else ((512, 32), (32, 64, 8), (128, 32, 4))
    graphs = []
    for cells in (1, 2, 6, 12, 32):
        graphs.append(grid(f"halo 3D, {cells} cells", cube, kinds.halo_steps(3, cells), False, 700 + cells))
    graphs += [
        grid("halo 3D, 8 cells, plate, own order", plate, kinds.halo_steps(3, 8), False, None),
        grid("halo 3D, 4 cells, periodic", cube, kinds.halo_steps(3, 4), True, 710),
        grid("halo 2D, 1 cell", flat, kinds.halo_steps(2, 1), False, 711),
        grid("halo 2D, 16 cells, periodic", flat, kinds.halo_steps(2, 16), True, 712),
        grid("faces 3D, periodic", cube, kinds.axis_steps(3, {1: 1}), True, 713),
        grid("faces 2D, own order", flat, kinds.axis_steps(2, {1: 1}), False, None),
        grid("two fields 3D, strides 1 and 2", cube, kinds.axis_steps(3, {1: 3, 2: 1}), False, 714),
        grid("two fields 2D, strides 1 and 4", flat, kinds.axis_steps(2, {1: 4, 4: 1}), False, 715),
    ]
    sea = (48, 40) if small else (180, 160)
    for cells in (1, 16):
        graphs.append(irregular(f"ocean 2D, {cells} cells", lambda cells=cells: kinds.ocean(sea, kinds.halo_steps(2, cells), ranks, 720 + cells),
                                720 + cells))
    deep = (24, 20, 4) if small else (72, 60, 8)
    graphs.append(irregular("ocean 3D, faces", lambda: kinds.ocean(deep, kinds.axis_steps(3, {1: 1}), ranks, 730), 730))
    for links, law in ((4, kinds.zipf), (7, kinds.uniform)):
        graphs.append(attachment(ranks, links, law, 740 + links))
    for exponent, law in ((2.3, kinds.zipf), (3.2, kinds.uniform)):
        graphs.append(chung_lu(ranks, 12, exponent, law, int(750 + 10 * exponent), 751))
    for parts, law in (((0.55, 0.2, 0.15, 0.1), kinds.zipf), ((0.42, 0.23, 0.23, 0.12), kinds.uniform)):
        graphs.append(rmat(ranks, 14, parts, law, 760))
    graphs += [tree(ranks, 2, seed, seed) for seed in (771, 772)]
    graphs += [tree(ranks, 3, seed, seed) for seed in (781, 782)]
    for dimensions, power in ((2, 3.0), (3, 2.0)):
        graphs.append(elements(ranks, dimensions, 12, power, 790))
    for dimensions, count in ((2, 6), (3, 10)):
        graphs.append(irregular(f"neighbours {dimensions}D, {count} nearest",
                                lambda dimensions=dimensions, count=count: kinds.nearest_neighbours(ranks, dimensions, count, 800 + count), 801))
    for inside, law in ((8, kinds.uniform), (12, kinds.zipf)):
        graphs.append(irregular(f"communities, {inside} inside, {law.__name__}",
                                lambda inside=inside, law=law: kinds.communities(ranks, 12, 90, inside, 2, law, 810 + inside), 811))
    for moved, law in ((0.02, kinds.uniform), (0.2, kinds.zipf)):
        graphs.append(irregular(f"small world, {moved} moved, {law.__name__}",
                                lambda moved=moved, law=law: kinds.small_world(ranks, 4, moved, law, int(820 + 100 * moved)), 821))
    return graphs


SETS = {"training": training, "test": test}


def find(name_of_set, ranks, name):
    return next(graph for graph in SETS[name_of_set](ranks) if graph.name == name)


def main():
    work, name_of_set, ranks, *rest = sys.argv[1:]
    if work == "list":
        print("\n".join(graph.name for graph in SETS[name_of_set](int(ranks))))
    else:
        graph = find(name_of_set, int(ranks), rest[0])
        kinds.write(rest[1], int(ranks), graph.make(), graph.renumber_seed)


if __name__ == "__main__":
    main()
