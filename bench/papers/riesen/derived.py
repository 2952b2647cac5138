# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What NAS Parallel Benchmarks send, worked out from class and rank count alone.

Nothing here is counted, and no code is shared with bench/papers/npb: each side is a check of the other. derive() gives the
messages of all ranks together and the collective calls of one rank. Lengths are in elements, as MPI calls say them.
Source: NASA Ames Research Center, the NAS Parallel Benchmarks (NAS-95-020), releases 3.3.1 and 3.4.
"""

import collections
import dataclasses
import itertools
import math

DOUBLE, INTEGER, COMPLEX = 8, 4, 16  # bytes of an element
CG = {"S": (1400, 15), "W": (7000, 15), "A": (14000, 15), "B": (75000, 75), "C": (150000, 75)}  # rows, iterations
FT = {"S": (64**3, 6), "W": (128 * 128 * 32, 6), "A": (256 * 256 * 128, 6), "B": (512 * 256 * 256, 20), "C": (512**3, 20)}  # points, iterations
IS_BUCKETS = {"S": 512, "W": 1024, "A": 1024, "B": 1024, "C": 1024}
MG = {"S": (32, 4), "W": (128, 4), "A": (256, 4), "B": (256, 20), "C": (512, 20)}  # side, iterations
SP = {"S": (12, 100), "W": (36, 400), "A": (64, 400), "B": (102, 400), "C": (162, 400)}


@dataclasses.dataclass
class Derived:
    """messages: (source, destination, elements, bytes of one) -> how many. collectives: (operation, elements, bytes) -> calls."""

    ranks: int
    messages: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    collectives: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    def send(self, source, destination, elements, times=1, element=DOUBLE):
        self.messages[source, destination, elements, element] += times

    def call(self, operation, elements=0, times=1, element=DOUBLE):
        self.collectives[operation, elements, element] += times


def shares(total, parts):
    """A total dealt to parts: the first ones have one more where it cannot be divided evenly."""
    return [total // parts + (part < total % parts) for part in range(parts)]


def _cg(out, problem_class):
    rows, iterations = CG[problem_class]
    solves = iterations + 1  # one to touch all pages
    high = 2 ** (int(math.log2(out.ranks)) // 2)
    wide = out.ranks // high
    halves = wide // high  # 2: two processes share what one of a square grid has
    of_row = shares(rows, high)
    for rank in range(out.ranks):
        row, column = divmod(rank, wide)
        own = of_row[row]
        piece = own if halves == 1 else shares(own, 2)[rank % 2]
        for bit in range(int(math.log2(wide))):
            partner = row * wide + (column ^ 1 << bit)
            out.send(rank, partner, 1, solves * (2 + 2 * 25))  # r.r before the loop, p.q and r.r in it, |x - Az| behind it
            out.send(rank, partner, 2, solves)  # both norms
            out.send(rank, partner, own - piece if halves == 2 and bit == 0 else piece, solves * 26)
        if wide > 1:
            if halves == 1:
                transposed = column * high + row
            else:
                square = divmod(rank // 2, high)
                transposed = 2 * (square[1] * high + square[0]) + rank % 2
            out.send(rank, transposed, piece, solves * 26)
    out.call("barrier")
    out.call("reduce", 1)


def _ep(out, _):
    out.call("barrier")
    out.call("allreduce", 1, 3)
    out.call("allreduce", 10)


def _ft(out, problem_class):
    points, iterations = FT[problem_class]
    out.call("bcast", 1, 4, INTEGER)
    out.call("alltoall", points // out.ranks**2, iterations + 2, COMPLEX)
    out.call("barrier")
    out.call("reduce", 1, iterations, COMPLEX)


def _is(out, problem_class):
    """What goes to whom in MPI_Alltoallv depends on the keys: it is not derived."""
    out.call("allreduce", IS_BUCKETS[problem_class] + 5, 11, INTEGER)
    out.call("alltoall", 1, 11, INTEGER)
    out.call("alltoallv", 0, 11, INTEGER)
    out.call("reduce", 1)
    out.call("reduce", 1, 1, INTEGER)
    for rank in range(out.ranks - 1):
        out.send(rank, rank + 1, 1, 1, INTEGER)


class _Multigrid:
    """Ranks on a grid of three dimensions. Coarse levels have fewer points than processes: some processes have none there."""

    def __init__(self, out, side):
        self.out = out
        bits = int(math.log2(out.ranks))
        self.grid = [2 ** (bits // 3), 2 ** ((bits - bits // 3) // 2), 0]
        self.grid[2] = out.ranks // (self.grid[0] * self.grid[1])
        self.finest = int(math.log2(side))

    def coordinates(self, rank):
        return rank % self.grid[0], rank // self.grid[0] % self.grid[1], rank // (self.grid[0] * self.grid[1])

    def rank(self, at):
        x, y, z = (each % sides for each, sides in zip(at, self.grid))
        return x + self.grid[0] * (y + self.grid[1] * z)

    def points(self, axis, at, level):
        """Processes that have a point on a level are those whose number is the last of as many as there are to a point."""
        side, sides = 2**level, self.grid[axis]
        if side >= sides:
            return side // sides
        return int((at + 1) % (sides // side) == 0)

    def stride(self, axis, level):
        """To the next process with points."""
        return max(1, self.grid[axis] // 2**level)

    def has(self, at, level):
        return all(self.points(axis, at[axis], level) for axis in range(3))

    def exchange(self, level, times):
        for rank in range(self.out.ranks):
            at = self.coordinates(rank)
            if not self.has(at, level):
                continue
            own = [self.points(axis, at[axis], level) for axis in range(3)]
            lengths = own[1] * own[2], (own[0] + 2) * own[2], (own[0] + 2) * (own[1] + 2)
            for axis, direction in itertools.product(range(3), (-1, 1)):
                there = list(at)
                there[axis] += direction * self.stride(axis, level)
                self.out.send(rank, self.rank(there), lengths[axis], times)

    def expand(self, level, times):
        """Who has its last point on the level below gives layers to the process between, which has none there."""
        for rank in range(self.out.ranks):
            at = self.coordinates(rank)
            own = [self.points(axis, at[axis], level) + 2 for axis in range(3)]
            for axis in range(3):
                if self.grid[axis] <= 2 ** (level - 1) or not self.points(axis, at[axis], level - 1):
                    continue
                plane = own[(axis + 1) % 3] * own[(axis + 2) % 3]
                for direction, layers in ((1, 2), (-1, 1)):
                    there = list(at)
                    there[axis] += direction * self.stride(axis, level)
                    self.out.send(rank, self.rank(there), layers * plane, times)


def _mg(out, problem_class):
    side, iterations = MG[problem_class]
    grids = _Multigrid(out, side)
    cycles = iterations + 1
    for level in range(1, grids.finest):  # restricted residual, then residual and smoother, or the smoother alone
        grids.exchange(level, cycles * (3 if level > 1 else 2))
    grids.exchange(grids.finest, 2 * cycles + 2 + cycles + 2)  # in cycles; charges; residuals behind cycles, and before them
    for level in range(2, grids.finest + 1):
        grids.expand(level, cycles)
    out.call("barrier", times=6)  # at the start, before the time is taken, two for each set of charges
    out.call("bcast", 1, 5, INTEGER)
    out.call("bcast", 8, 1, INTEGER)
    out.call("allreduce", 1, 2 * 20 + 2 * 4)  # charges, norms
    out.call("allreduce", 4, 2 * 20, INTEGER)
    out.call("reduce", 1)


def _sp(out, problem_class):
    side, iterations = SP[problem_class]
    width = math.isqrt(out.ranks)
    sides = shares(side, width)
    steps = iterations + 1
    for rank in range(out.ranks):
        row, column = divmod(rank, width)
        cells = [((column + k) % width, (row - k) % width, k) for k in range(width)]
        neighbours = {1: (row * width + (column + 1) % width, (row + 1) % width * width + column, (row + 1) % width * width + (column - 1) % width),
                      -1: (row * width + (column - 1) % width, (row - 1) % width * width + column, (row - 1) % width * width + (column + 1) % width)}
        for axis, direction in itertools.product(range(3), (1, -1)):
            others = [other for other in range(3) if other != axis]
            last = width - 1 if direction == 1 else 0
            inner = [cell for cell in cells if cell[axis] != last]
            if width > 1:
                face = sum(10 * math.prod(sides[cell[other]] for other in others) for cell in inner)
                out.send(rank, neighbours[direction][axis], face, steps + 1)  # and one where results are checked
            for cell in inner:
                lines = math.prod(sides[cell[other]] - (cell[other] == 0) - (cell[other] == width - 1) for other in others)
                out.send(rank, neighbours[direction][axis], (22 if direction == 1 else 10) * lines, steps)
    out.call("bcast", 1, 1, INTEGER)
    out.call("bcast", 1)
    out.call("bcast", 3, 1, INTEGER)
    out.call("barrier", times=2)
    out.call("allreduce", 5, 2)
    out.call("reduce", 1)


_BENCHMARKS = {"cg": _cg, "ep": _ep, "ft": _ft, "is": _is, "mg": _mg, "sp": _sp}
NAMES = tuple(_BENCHMARKS)


def derive(benchmark, problem_class, ranks, release=2):
    out = Derived(ranks)
    _BENCHMARKS[benchmark](out, problem_class)
    if release >= 3:  # whether timers are wanted
        out.call("bcast", 1, 1, INTEGER)
    return out
