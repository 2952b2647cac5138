# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What two papers measured, as far as it can be had here: programs, ranks and shape of the cluster.

Sweeney et al., Figs. 7 and 9: MG, RF-CTH and UMT2K on eight nodes of two CPUs (8x2). RF-CTH is not public, and UMT2K is not in
Debian. Programs with the patterns that the paper describes stand for them:
- RF-CTH on an odd number of ranks, but for 15: a one-dimensional array, one neighbour after the other (Fig. 8a);
- on 4 to 14 ranks, even: a ladder, with 75 % more on the steps than along the sides (Fig. 8b); the paper calls others than 8
  "a two or three dimensional array", and prints no sizes;
- on 15 and 16 ranks: arrays of two and three dimensions;
- UMT2K, whose mesh is unstructured: graphs of clusters whose vertices are numbered at random.

Khoroshevsky and Kurnosov, Table 1: HPL, CG and MG on four nodes of four CPUs (4x4-100m).
"""

from estimate.configurations import Configuration, irregular_graph
from recorder import hpcc

SWEENEY, TMMGP = "sweeney", "tmmgp"
RANKS_OF_MG = (2, 4, 8, 16)
RANKS_OF_RFCTH = range(3, 17)
RANKS_OF_UMT = (5, 8, 9, 11, 12, 15, 16)


def ladder(steps):
    """The graph of two sides of `steps` ranks, numbered step by step: 75 % more between the two ranks of a step."""
    along, across = 32768, 57344
    rows = []
    for rank in range(2 * steps):
        edges = {rank ^ 1: across} | {other: along for other in (rank - 2, rank + 2) if 0 <= other < 2 * steps}
        rows.append(" ".join(f"{other + 1} {weight}" for other, weight in sorted(edges.items())))
    return f"{2 * steps} {steps + 2 * (steps - 1)} 001\n" + "\n".join(rows) + "\n"


def _sweeney(kind, ranks, command, **more):
    return Configuration(f"{kind}-{ranks}", "8x2", ranks, -(-ranks // 2), tuple(command.split()), mappers=(SWEENEY,), **more)


def _rfcth(ranks):
    if ranks == 16:
        return _sweeney("rfcth", ranks, "halo3d --grid 2x2x4 --in-turn --message-bytes 65536 --iterations 16")
    if ranks == 15:
        return _sweeney("rfcth", ranks, "halo2d --grid 3x5 --in-turn --message-bytes 65536 --iterations 20")
    if ranks % 2:
        return _sweeney("rfcth", ranks, f"halo3d --grid {ranks}x1x1 --in-turn --message-bytes 65536 --iterations 45")
    return _sweeney("rfcth", ranks, "irregular ladder.graph --iterations 60", files={"ladder.graph": ladder(ranks // 2)})


def _umt(ranks):
    return _sweeney("umt2k", ranks, "irregular random.graph --scale 4 --iterations 14", files={"random.graph": irregular_graph(ranks, 4, ranks)})


def of_sweeney():
    return [*(_sweeney("mg", ranks, "npb/npb_messages mg --class A", own_clock=False) for ranks in RANKS_OF_MG), *map(_rfcth, RANKS_OF_RFCTH),
            *map(_umt, RANKS_OF_UMT)]


def of_khoroshevsky():
    def full(kind, command, **more):
        return Configuration(kind, "4x4-100m", 16, 4, tuple(command.split()), own_clock=False, mappers=(TMMGP,), limit_s=60.0, **more)

    hpl = {"hpccinf.txt": hpcc.settings(size=" ".join(["240"] * 12), block=20, rows=4, columns=4).replace(
        "1            # of problems sizes", "12           # of problems sizes")}
    return [full("hpl", "hpcc", files=hpl, foreign=True, preload=("short_hpcc",)), full("cg", "npb/npb_messages cg --class W"),
            full("mg", "npb/npb_messages mg --class A")]


def all_configurations():
    return [*of_sweeney(), *of_khoroshevsky()]
