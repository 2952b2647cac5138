#!/usr/bin/env python3
# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Writes the graph of the benchmark program `irregular`: clusters of ranks that exchange much, and
little between the clusters, with the vertices numbered at random.

    make_irregular.py --vertices 16 --cluster 4 --seed 7 > irregular16.graph
"""

import argparse
import random
import sys


def make_edges(vertices, cluster, rng):
    """Edge weights (bytes of one message) between vertices that are still numbered by cluster.

    Inside a cluster: a heavy ring and lighter chords. Between clusters: a few light edges, at least
    one from each cluster to the next, so that the graph is connected.
    """
    edges = {}

    def add(u, v, low, high):
        if u != v:
            edges.setdefault((min(u, v), max(u, v)), rng.randrange(low, high, 512))

    for first in range(0, vertices, cluster):
        members = range(first, min(first + cluster, vertices))
        for u in members:
            following = first + (u + 1 - first) % len(members)
            add(u, following, 24576, 40960)
        for u in members:
            for v in members:
                if u < v and rng.random() < 0.5:
                    add(u, v, 8192, 16384)
        if vertices > cluster:
            add(rng.choice(members), (first + cluster + rng.randrange(cluster)) % vertices, 1024, 4096)
    for _ in range(vertices // 2):
        u, v = rng.sample(range(vertices), 2)
        if u // cluster != v // cluster:
            add(u, v, 512, 4096)
    return edges


def renumber(edges, vertices, rng):
    new_number = list(range(vertices))
    rng.shuffle(new_number)
    return {(new_number[u], new_number[v]): weight for (u, v), weight in edges.items()}


def metis_text(edges, vertices, comment):
    neighbours = [[] for _ in range(vertices)]
    for (u, v), weight in edges.items():
        neighbours[u].append((v + 1, weight))
        neighbours[v].append((u + 1, weight))
    lines = [f"% {comment}", f"{vertices} {len(edges)} 001"]
    lines += [" ".join(f"{v} {weight}" for v, weight in sorted(row)) for row in neighbours]
    return "\n".join(lines) + "\n"


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--vertices", type=int, default=16)
    parser.add_argument("--cluster", type=int, default=4, help="vertices of one cluster")
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args(argv)
    if not 2 <= args.cluster <= args.vertices:
        parser.error("need 2 <= --cluster <= --vertices")

    rng = random.Random(args.seed)
    edges = renumber(make_edges(args.vertices, args.cluster, rng), args.vertices, rng)
    comment = (
        f"make_irregular.py --vertices {args.vertices} --cluster {args.cluster} --seed {args.seed};"
        " edge weight = bytes of one message"
    )
    sys.stdout.write(metis_text(edges, args.vertices, comment))


if __name__ == "__main__":
    main()
