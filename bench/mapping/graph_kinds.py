# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Kinds of communication graphs that make_instance has not, from numpy and scipy: the same arguments, the same graph.

Each function gives edges as three arrays: rank, rank, weight (whole numbers from 1). Edges between the same two ranks count
together, those of a rank with itself do not count.
"""

import heapq
import itertools

import numpy as np
from scipy.spatial import Delaunay


def halo_steps(dimensions, cells):
    """Offset -> weight of a stencil with corners whose blocks have `cells` cells a side: what one cell deep halos hold.

    Of two opposite offsets the one whose first number other than 0 is 1. A face of a block of 8^3 cells has 64, an edge 8, a
    corner 1.
    """
    steps = {}
    for offset in itertools.product((-1, 0, 1), repeat=dimensions):
        axes = sum(map(abs, offset))
        if offset > (0,) * dimensions:
            steps[offset] = cells ** (dimensions - axes)
    return steps


def axis_steps(dimensions, weight_of_distance):
    """Offset -> weight: along each axis to each of these distances. A field of stride 2 talks two ranks far."""
    return {tuple(distance if axis == at else 0 for at in range(dimensions)): weight
            for axis in range(dimensions) for distance, weight in weight_of_distance.items()}


def stencil(sides, steps, periodic=False):
    """Ranks on a grid in row-major order."""
    ranks = np.arange(np.prod(sides)).reshape(sides)
    rows = []
    for offset, weight in steps.items():
        if periodic:
            there = np.roll(ranks, [-distance for distance in offset], axis=range(len(sides)))
            here = ranks
        else:
            here = ranks[tuple(slice(max(0, -distance), side - max(0, distance)) for distance, side in zip(offset, sides))]
            there = ranks[tuple(slice(max(0, distance), side - max(0, -distance)) for distance, side in zip(offset, sides))]
        rows.append((here.ravel(), there.ravel(), np.full(here.size, weight)))
    return tuple(map(np.concatenate, zip(*rows)))


def with_hole(sides, steps, hole):
    """A stencil without the ranks of a box of these sides in its middle; those that are left are numbered anew, in order."""
    inside = np.zeros(sides, bool)
    inside[tuple(slice((side - gap) // 2, (side - gap) // 2 + gap) for side, gap in zip(sides, hole))] = True
    number = np.cumsum(~inside.ravel()) - 1
    here, there, weight = stencil(sides, steps)
    kept = ~(inside.ravel()[here] | inside.ravel()[there])
    return number[here[kept]], number[there[kept]], weight[kept]


def ocean(sides, steps, ranks, seed):
    """A stencil of which land is left out: points on a torus where smooth noise is high, until `ranks` are left; each a rank.

    What is not joined with the largest water is land too. Land is as in a model of the ocean: coasts, islands, straits.
    """
    from scipy import ndimage
    rng = np.random.default_rng(seed)
    noise = ndimage.gaussian_filter(rng.random(sides[:2]), min(sides[:2]) / 12, mode="nearest")
    depth = np.broadcast_to(noise[..., None], (*sides[:2], sides[2] if len(sides) > 2 else 1)).reshape(sides)
    order = np.argsort(depth.ravel(), kind="stable")
    for count in range(ranks, depth.size + 1, max(1, ranks // 256)):
        water = np.zeros(depth.size, bool)
        water[order[:count]] = True
        parts, _ = ndimage.label(water.reshape(sides))
        largest = parts == np.bincount(parts.ravel())[1:].argmax() + 1
        if largest.sum() >= ranks:
            break
    kept = np.flatnonzero(largest.ravel())[:ranks]
    number = np.full(depth.size, -1)
    number[kept] = np.arange(len(kept))
    here, there, weight = stencil(sides, steps)
    both = (number[here] >= 0) & (number[there] >= 0)
    return number[here[both]], number[there[both]], weight[both]


def nearest_neighbours(ranks, dimensions, count, seed):
    """Each point exchanges with its `count` nearest ones, more the nearer they are; points lie in clusters.

    Ranks of a particle code after it has balanced its load. The weights fall with the distance from 1000 down.
    """
    from scipy.spatial import cKDTree
    rng = np.random.default_rng(seed)
    centres = rng.random((12, dimensions))
    spread = 0.03 + 0.1 * rng.random(12)
    cluster = rng.integers(12, size=ranks)
    points = centres[cluster] + spread[cluster, None] * rng.standard_normal((ranks, dimensions))
    distance, other = cKDTree(points).query(points, count + 1)
    weight = np.maximum(1, (1000 * distance[:, 1:2] / distance[:, 1:]).astype(np.int64))
    return np.repeat(np.arange(ranks), count), other[:, 1:].ravel(), weight.ravel()


def communities(ranks, smallest, largest, inside, outside, weights, seed):
    """Groups of so many ranks, each rank with about `inside` partners in its own and `outside` anywhere.

    Source: Girvan, Newman, "Community structure in social and biological networks", PNAS 99, 2002 (planted partitions).
    """
    rng = np.random.default_rng(seed)
    group = np.zeros(ranks, np.int64)
    first = [0]
    while first[-1] < ranks:
        group[first[-1]:] = len(first) - 1
        first.append(first[-1] + int(rng.integers(smallest, largest + 1)))
    first[-1] = ranks
    begin, end = np.array(first)[group], np.array(first)[group + 1]
    own = np.repeat(np.arange(ranks), inside // 2)
    partner = begin[own] + (rng.random(len(own)) * (end - begin)[own]).astype(np.int64)
    far = np.repeat(np.arange(ranks), outside // 2)
    here = np.concatenate([own, far])
    return here, np.concatenate([partner, rng.integers(ranks, size=len(far))]), weights(rng, len(here))


def small_world(ranks, near, moved, weights, seed):
    """A ring of ranks joined with the `near` next ones on each side; this share of the edges ends anywhere instead.

    Source: Watts, Strogatz, "Collective dynamics of small-world networks", Nature 393, 1998.
    """
    rng = np.random.default_rng(seed)
    here = np.repeat(np.arange(ranks), near)
    there = (here + np.tile(np.arange(1, near + 1), ranks)) % ranks
    anywhere = rng.random(len(here)) < moved
    there[anywhere] = rng.integers(ranks, size=anywhere.sum())
    return here, there, weights(rng, len(here))


def zipf(rng, count, exponent=2.0, largest=1000):
    return np.minimum(rng.zipf(exponent, count), largest)


def uniform(rng, count, largest=1000):
    return rng.integers(1, largest + 1, count)


def preferential_attachment(ranks, links, weights, seed):
    """Each rank after the first ones links to `links` earlier ones, drawn by their number of links.

    Source: Barabasi, Albert, "Emergence of scaling in random networks", Science 286, 1999.
    """
    rng = np.random.default_rng(seed)
    ends = list(range(links))  # each rank as often as it has links
    here, there = [], []
    for rank in range(links, ranks):
        drawn = set()
        while len(drawn) < links:
            drawn.add(ends[rng.integers(len(ends))])
        here += [rank] * links
        there += sorted(drawn)
        ends += [rank] * links + sorted(drawn)
    return np.array(here), np.array(there), weights(rng, len(here))


def chung_lu(ranks, degree, exponent, weights, seed):
    """Random pairs, each rank drawn by its expected degree; those follow a power law with this exponent.

    Source: Chung, Lu, "Connected components in random graphs with given expected degree sequences", 2002.
    """
    rng = np.random.default_rng(seed)
    expected = (np.arange(ranks) + 10.0) ** (-1.0 / (exponent - 1.0))
    count = ranks * degree // 2
    here, there = rng.choice(ranks, (2, count), p=expected / expected.sum())
    return here, there, weights(rng, count)


def rmat(ranks, degree, parts, weights, seed):
    """parts: the chances of the four quarters of the matrix, which add up to 1. `ranks` is a power of two.

    Source: Chakrabarti, Zhan, Faloutsos, "R-MAT: A recursive model for graph mining", SDM 2004.
    """
    rng = np.random.default_rng(seed)
    count = ranks * degree // 2
    here, there = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for _ in range(ranks.bit_length() - 1):
        quarter = rng.choice(4, count, p=parts)
        here, there = 2 * here + quarter // 2, 2 * there + quarter % 2
    return here, there, weights(rng, count)


def _distance_from_sphere(centre, radius):
    def distance(point):
        return abs(sum((a - b) ** 2 for a, b in zip(point, centre)) ** 0.5 - radius)
    return distance


def tree_mesh(ranks, dimensions, seed):
    """A quadtree (2 dimensions) or an octree (3) refined towards a circle or a sphere; each leaf is a rank, in the tree's order.

    Leaves that touch exchange the area of their common face. The mesh begins with a row of so many unit cells that the
    number of leaves comes out.
    """
    children = 2**dimensions
    roots = 1 + (ranks - 1) % (children - 1)
    rng = np.random.default_rng(seed)
    radius = 0.3
    centre = [radius + rng.random() * ((roots if axis == 0 else 1) - 2 * radius) for axis in range(dimensions)]
    distance = _distance_from_sphere(centre, radius)
    leaves = set()  # (depth, corner): the side is 2^-depth, the corner in units of that
    queue = []

    def add(depth, corner):
        leaves.add((depth, corner))
        middle = [(at + 0.5) / 2**depth for at in corner]
        heapq.heappush(queue, (-(0.5**depth) / (distance(middle) + 1 / 32), depth, corner))

    for root in range(roots):
        add(0, (root,) + (0,) * (dimensions - 1))
    while len(leaves) < ranks:
        _, depth, corner = heapq.heappop(queue)
        leaves.remove((depth, corner))
        for child in itertools.product((0, 1), repeat=dimensions):
            add(depth + 1, tuple(2 * at + more for at, more in zip(corner, child)))
    deepest = max(depth for depth, _ in leaves)
    number = {leaf: rank for rank, leaf in enumerate(sorted(leaves, key=lambda leaf: _along_the_curve(leaf, deepest)))}
    rows = []
    for depth, corner in leaves:
        for axis, step in itertools.product(range(dimensions), (1, -1)):
            there = _leaf_at(leaves, depth, tuple(at + (step if along == axis else 0) for along, at in enumerate(corner)))
            # the smaller of two leaves names their face; of equal ones the one in front
            if there and (there[0] < depth or step > 0):
                rows.append((number[depth, corner], number[there], 2 ** ((deepest - depth) * (dimensions - 1))))
    return tuple(map(np.array, zip(*rows)))


def _along_the_curve(leaf, deepest):
    depth, corner = leaf
    corner = [at << (deepest - depth) for at in corner]
    return [[at >> level & 1 for at in corner] for level in range(deepest + 8, -1, -1)]


def _leaf_at(leaves, depth, corner):
    """The leaf of this depth, or a larger one, that has this place; None: outside, or smaller ones."""
    while depth >= 0:
        if (depth, corner) in leaves:
            return depth, corner
        depth, corner = depth - 1, tuple(at >> 1 for at in corner)
    return None


def mesh_towards_wall(ranks, dimensions, points_of_rank, power, seed):
    """The matrix of linear finite elements on a mesh that is finer towards a wall, its rows dealt to ranks.

    Points are jittered; the height above the wall is a uniform one to the given power. A triangulation has the matrix's
    entries. Rows are halved along the longer side until each rank has its own, as a solver deals them; ranks exchange as
    often as entries join them. `ranks` is a power of two.
    """
    rng = np.random.default_rng(seed)
    points = rng.random((ranks * points_of_rank, dimensions))
    points[:, -1] **= power
    rank = np.zeros(len(points), np.int64)
    _halve(points, np.arange(len(points)), ranks, 0, rank)
    corners = Delaunay(points).simplices
    pairs = np.concatenate([corners[:, [a, b]] for a, b in itertools.combinations(range(dimensions + 1), 2)])
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)  # elements share edges
    return rank[pairs[:, 0]], rank[pairs[:, 1]], np.ones(len(pairs), np.int64)


def _halve(points, which, parts, first, rank):
    if parts == 1:
        rank[which] = first
        return
    axis = np.argmax(np.ptp(points[which], axis=0))
    order = which[np.argsort(points[which, axis], kind="stable")]
    half = len(order) // 2
    _halve(points, order[:half], parts // 2, first, rank)
    _halve(points, order[half:], parts // 2, first + parts // 2, rank)


def write(path, ranks, edges, renumber_seed=None):
    """In METIS's format. With a seed the ranks have random numbers."""
    from scipy.sparse import coo_array
    here, there, weight = edges
    if renumber_seed is not None:
        number = np.random.default_rng(renumber_seed).permutation(ranks)
        here, there = number[here], number[there]
    apart = here != there
    half = coo_array((weight[apart], (here[apart], there[apart])), shape=(ranks, ranks))
    matrix = (half + half.T).tocsr()
    matrix.sum_duplicates()
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{ranks} {matrix.nnz // 2} 001\n")
        for begin, end in zip(matrix.indptr, matrix.indptr[1:]):
            file.write(" ".join(f"{to + 1} {value}" for to, value in zip(matrix.indices[begin:end], matrix.data[begin:end])) + "\n")
