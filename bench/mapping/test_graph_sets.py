# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""pytest bench/mapping: the training and the test set of graphs, and their kinds, beside make_instance and by hand."""

import json
import os
from pathlib import Path

import graph_kinds as kinds
import graph_sets
import mapping_cases
import patience
import pytest

ROOT = Path(__file__).resolve().parents[2]
BINARIES = Path(os.environ.get("COMMMAP_BUILD", ROOT / "build/dev")) / "bench"
TREE = ["--tree", "8:2:8:8", "--distances", "1:10:100:1000"]


def rows_of(path):
    """By rank: {neighbour: weight}."""
    header, *lines = path.read_text().splitlines()
    words = [list(map(int, line.split())) for line in lines]
    rows = [dict(zip((to - 1 for to in row[::2]), row[1::2], strict=True)) for row in words]
    assert list(map(int, header.split())) == [len(rows), sum(map(len, rows)) // 2, 1]
    return rows


def weights_of(rows):
    """How many edges have a weight."""
    weights = [weight for rank, row in enumerate(rows) for to, weight in row.items() if rank < to]
    return {weight: weights.count(weight) for weight in set(weights)}


def written(path, ranks, edges, renumber_seed=None):
    kinds.write(path, ranks, edges, renumber_seed)
    return rows_of(path)


@pytest.mark.parametrize("kind, sides, steps, periodic", [
    ("stencil3d7", (16, 8, 8), kinds.axis_steps(3, {1: 1}), False),
    ("torus2d5", (32, 32), kinds.axis_steps(2, {1: 1}), True),
    ("stencil3d27", (16, 8, 8), kinds.halo_steps(3, 32), False),
], ids=lambda value: value if isinstance(value, str) else "")
def test_grids_are_make_instances(tmp_path, kind, sides, steps, periodic):
    ours = written(tmp_path / "ours", 1024, kinds.stencil(sides, steps, periodic))
    patience.run([BINARIES / "make_instance", kind, "--ranks", "1024", "-o", tmp_path / "theirs"], check=True)
    lines = [line for line in (tmp_path / "theirs").read_text().splitlines(True) if not line.startswith("%")]
    (tmp_path / "theirs").write_text("".join(lines))
    assert ours == rows_of(tmp_path / "theirs")


@pytest.mark.parametrize("make, ranks, weights", [
    (lambda: kinds.stencil((5,), {(1,): 3, (2,): 1}), 5, {3: 4, 1: 3}),
    (lambda: kinds.with_hole((3, 3), {(0, 1): 1, (1, 0): 1}, (1, 1)), 8, {1: 8}),
    # a square in four; then one of these in four; a cube in eight
    (lambda: kinds.tree_mesh(4, 2, 1), 4, {1: 4}),
    (lambda: kinds.tree_mesh(7, 2, 1), 7, {1: 4 + 4, 2: 2}),
    (lambda: kinds.tree_mesh(8, 3, 1), 8, {1: 12}),
    (lambda: kinds.preferential_attachment(4, 2, lambda _, count: [5] * count, 1), 4, {5: 4}),
    # all of it is water
    (lambda: kinds.ocean((3, 3), {(0, 1): 1, (1, 0): 2}, 9, 1), 9, {1: 6, 2: 6}),
    (lambda: kinds.small_world(7, 2, 0.0, lambda _, count: [3] * count, 1), 7, {3: 14}),
])
def test_edges_as_counted_by_hand(tmp_path, make, ranks, weights):
    here, there, weight = make()
    assert weights_of(written(tmp_path / "graph", ranks, (here, there, kinds.np.array(weight)))) == weights


def test_elements_are_dealt_to_ranks_alike(tmp_path):
    rows = written(tmp_path / "graph", 16, kinds.mesh_towards_wall(16, 2, 64, 2.0, 1))
    assert all(2 <= len(row) <= 12 for row in rows)  # a patch of the plane touches some others
    total = sum(sum(row.values()) for row in rows) // 2
    assert 16 * 8 < total < 16 * 64 * 3  # fewer than the mesh's 3 edges a point, more than one a patch


def test_an_ocean_is_a_part_of_a_grid():
    steps = kinds.axis_steps(2, {1: 1})
    here, there, weight = kinds.ocean((20, 16), steps, 200, 5)
    assert len(set(here) | set(there)) == 200
    assert 200 < len(weight) < len(kinds.stencil((20, 16), steps)[2])


def test_neighbours_are_the_nearest(tmp_path):
    rows = written(tmp_path / "graph", 300, kinds.nearest_neighbours(300, 2, 6, 1))
    assert all(len(row) >= 6 for row in rows)
    assert max(max(row.values()) for row in rows) == 2000  # two that are each other's nearest


def test_communities_talk_inside():
    here, there, _ = kinds.communities(1000, 20, 40, 10, 2, kinds.uniform, 1)
    assert len(here) == 1000 * 6
    far = abs(here - there) >= 40
    assert 800 < far.sum() < 1000  # of 1000 edges to anywhere


@pytest.mark.parametrize("name", graph_sets.SETS)
@pytest.mark.parametrize("ranks", graph_sets.SIZES)
def test_sets_are_large_enough(name, ranks):
    names = [graph.name for graph in graph_sets.SETS[name](ranks)]
    assert len(names) == len(set(names)) >= 30


def test_the_test_set_has_kinds_of_its_own():
    def kinds_of(name):
        return {graph.name.split()[0].rstrip(",") for graph in graph_sets.SETS[name](1024)}
    assert kinds_of("test") - kinds_of("training") == {"ocean", "neighbours", "communities", "small"}
    shared = {graph.name for graph in graph_sets.training(1024)} & {graph.name for graph in graph_sets.test(1024)}
    for name in shared:  # other sides, or other seeds
        one, other = graph_sets.find("training", 1024, name), graph_sets.find("test", 1024, name)
        assert (one.grid, one.renumber_seed) != (other.grid, other.renumber_seed)


@pytest.mark.parametrize("name_of_set, name", [(name, graph.name) for name in graph_sets.SETS for graph in graph_sets.SETS[name](1024)])
def test_each_graph_of_the_sets(tmp_path, name_of_set, name):
    """Is whole, is the same twice, and costs what the tiling says where it is a grid."""
    graph = graph_sets.find(name_of_set, 1024, name)
    rows = written(tmp_path / "graph", 1024, graph.make(), graph.renumber_seed)
    assert len(rows) == 1024
    for rank, row in enumerate(rows):
        assert all(to != rank and weight > 0 and rows[to][rank] == weight for to, weight in row.items())
    assert written(tmp_path / "again", 1024, graph.make(), graph.renumber_seed) == rows
    if graph.grid is None:
        return
    kinds.write(tmp_path / "graph", 1024, graph.make())
    tiled = patience.run([BINARIES / "box_tiling", *mapping_cases.tiling_words(graph.grid), *TREE, "-o", tmp_path / "mapping"],
                         capture_output=True, text=True, check=True)
    costs = patience.run([BINARIES / "evaluate_mapping", tmp_path / "graph", *TREE, tmp_path / "mapping"],
                         capture_output=True, text=True, check=True)
    assert json.loads(costs.stdout)["valid"] and json.loads(costs.stdout)["hop_bytes"] == json.loads(tiled.stdout)["hop_bytes"]


@pytest.mark.parametrize("words, why", [
    (["--sides", "4x0", "--step", "0,1:1"], "'4x0' has '0': expected 1 to 134217728"),
    (["--sides", "4x4", "--step", "1:1"], "'1:1' has 1 offsets, the grid 2 sides"),
    (["--sides", "4x4", "--step", "0,4:1"], "'0,4:1' is longer than a side of the grid"),
    (["--sides", "4x4", "--step", "0,1"], "'0,1' is no step like 1,0,0:64"),
])
def test_grids_that_cannot_be(words, why):
    done = patience.run([BINARIES / "box_tiling", *words, *TREE], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, f"box_tiling: {why}\n")
