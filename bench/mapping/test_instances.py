# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""pytest bench/mapping: the instances, the evaluator and the box tilings, on cases that can be checked by hand.

COMMMAP_BUILD  directory of the build [build/dev]
"""

import itertools
import json
import os
import random
import subprocess
from fractions import Fraction
from pathlib import Path

import patience
import pytest

ROOT = Path(__file__).resolve().parents[2]
BINARIES = Path(os.environ.get("COMMMAP_BUILD", ROOT / "build/dev")) / "bench"

STENCILS = ["stencil2d5", "stencil3d7", "stencil3d27", "stencil4d9", "torus2d5", "torus3d7"]
DRAWN = ["rgg2d", "rgg3d", "delaunay", "amr", "powerlaw"]
KINDS = [*STENCILS, "cg", "pencils", "butterfly", "hypercube", "alltoall", "isolated", *DRAWN]


def run(name, *words):
    return patience.run([BINARIES / name, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def output_of(name, *words):
    done = run(name, *words)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def refusal(name, *words):
    """The one line that a program says instead."""
    done = run(name, *words)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(name + ": ")
    return line.removeprefix(name + ": ")


def read_rows(path):
    """By rank: {neighbour: weight}; neighbours must ascend."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("%")]
    ranks, edges, form = lines[0].split()
    rows = []
    for line in lines[1:]:
        numbers = [int(word) for word in line.split()]
        assert numbers[::2] == sorted(set(numbers[::2]))
        rows.append({to - 1: weight for to, weight in zip(numbers[::2], numbers[1::2], strict=True)})
    assert (len(rows), sum(map(len, rows)), form) == (int(ranks), 2 * int(edges), "001")
    return rows


def make(tmp_path, kind, ranks, *options):
    path = tmp_path / f"{kind}.graph"
    assert output_of("make_instance", kind, "--ranks", ranks, *options, "-o", path) == ""
    return path


def instance(tmp_path, kind, ranks, *options):
    return read_rows(make(tmp_path, kind, ranks, *options))


def edges_of(rows):
    return {(u, v): weight for u, row in enumerate(rows) for v, weight in row.items() if u < v}


def weights_of(rows):
    """How many edges have a weight."""
    weights = list(edges_of(rows).values())
    return {weight: weights.count(weight) for weight in set(weights)}


def write_graph(path, ranks, edges):
    rows = [[] for _ in range(ranks)]
    for (u, v), weight in edges.items():
        rows[u].append(f"{v + 1} {weight}")
        rows[v].append(f"{u + 1} {weight}")
    path.write_text("\n".join([f"{ranks} {len(edges)} 001", *map(" ".join, rows)]) + "\n")
    return path


def write_mapping(path, pus):
    path.write_text("".join(f"{pu}\n" for pu in pus))
    return path


@pytest.mark.parametrize("ranks", [1, 2, 64])
@pytest.mark.parametrize("kind", KINDS)
def test_each_edge_is_at_both_ends_and_none_at_its_own(tmp_path, kind, ranks):
    rows = instance(tmp_path, kind, ranks)

    assert len(rows) == ranks
    for rank, row in enumerate(rows):
        assert all(to != rank and weight > 0 and rows[to][rank] == weight for to, weight in row.items())


@pytest.mark.parametrize(("kind", "ranks", "weights"), [
    # 3x2, 4x3, 3x2x2, 2x2x2x1
    ("stencil2d5", 6, {1: 7}),
    ("stencil2d5", 12, {1: 17}),
    ("stencil3d7", 12, {1: 2 * 4 + 3 * 2 + 3 * 2}),
    ("stencil3d7", 7, {1: 6}),  # a prime: a row
    ("stencil4d9", 8, {1: 12}),
    # 3x3x3: three directions across faces, six across edges, four across corners
    ("stencil3d27", 27, {1024: 3 * 2 * 3 * 3, 32: 6 * 2 * 2 * 3, 1: 4 * 2 * 2 * 2}),
    ("torus2d5", 9, {1: 18}),
    ("torus2d5", 4, {2: 4}),  # 2x2: neighbours both ways
    ("torus2d5", 3, {1: 3}),  # 3x1: a ring, and nobody has itself for a neighbour
    ("torus3d7", 27, {1: 81}),
    # two rows of four: rings of four, and two transposed pairs outside of the diagonal
    ("cg", 8, {1: 8 + 2}),
    # 4x4: as rows, and each pair outside of the diagonal
    ("cg", 16, {1: 16 + 6}),
    # 4x3: four rows with three pairs, three columns with six
    ("pencils", 12, {1: 4 * 3 + 3 * 6}),
    # two planes of 32x32
    ("pencils", 2048, {1: 2 * 2 * 32 * 32 * 31 // 2 + 1024}),
    ("hypercube", 8, {1: 12}),
    ("butterfly", 8, {4: 4, 2: 4, 1: 4}),
    ("alltoall", 5, {1: 10}),
    ("isolated", 9, {1: 4}),
    # 3x3: twelve sides and four diagonals; then without the last corner, then without two of the last row
    ("delaunay", 9, {1: 16}),
    ("delaunay", 8, {1: 14}),
    ("delaunay", 7, {1: 11}),
    # a square in four; then one of these in four
    ("amr", 4, {1: 4}),
    ("amr", 7, {1: 4 + 4, 2: 2}),
])
def test_edges_as_counted_by_hand(tmp_path, kind, ranks, weights):
    assert weights_of(instance(tmp_path, kind, ranks)) == weights
    assert weights_of(instance(tmp_path, kind, ranks, "--weight", 10)) == {10 * weight: count for weight, count in weights.items()}


def test_grids_are_in_row_major_order(tmp_path):
    rows = instance(tmp_path, "stencil3d7", 24)  # 4x3x2

    assert sorted(rows[0]) == [1, 2, 6]
    assert sorted(rows[23]) == [17, 21, 22]


def test_cg_partners(tmp_path):
    rows = instance(tmp_path, "cg", 8)

    assert [sorted(row) for row in rows] == [[1, 2], [0, 3], [0, 3, 4], [1, 2, 5], [2, 5, 6], [3, 4, 7], [4, 7], [5, 6]]


def test_butterfly_exchanges_most_with_the_nearest(tmp_path):
    assert instance(tmp_path, "butterfly", 8)[0] == {1: 4, 2: 2, 4: 1}


def test_pencils_have_at_most_64_partners(tmp_path):
    assert max(map(len, instance(tmp_path, "pencils", 4096))) == 64
    assert max(map(len, instance(tmp_path, "pencils", 4099))) == 2  # a prime: a row of planes of one rank


@pytest.mark.parametrize(("kind", "least", "most"), [("rgg2d", 7, 8), ("rgg3d", 9, 12)])
def test_random_geometric_degrees_and_weights(tmp_path, kind, least, most):
    rows = instance(tmp_path, kind, 4000, "--weight", 3)

    assert least < sum(map(len, rows)) / 4000 < most
    weights = set(edges_of(rows).values())
    assert weights == {3 * factor for factor in range(1, 101)}


@pytest.mark.parametrize("kind", ["rgg2d", "rgg3d"])
def test_random_geometric_graphs_are_alike_at_all_borders(tmp_path, kind):
    first = last = 0  # degrees in the first cells and in the last, over some seeds: one varies by a tenth
    for seed in range(1, 7):
        degrees = [len(row) for row in instance(tmp_path, kind, 20000, "--seed", seed)]
        first += sum(degrees[:1000])
        last += sum(degrees[-1000:])

    assert abs(first - last) < 0.05 * first


def test_random_geometric_ranks_near_in_number_are_near(tmp_path):
    rows = instance(tmp_path, "rgg2d", 4000)

    # 39x39 cells: a neighbour is in the same row of cells, or the next, or the one before
    assert all(abs(u - v) < 4000 * 3 / 39 for u, v in edges_of(rows))


def test_delaunay_degrees(tmp_path):
    rows = instance(tmp_path, "delaunay", 2500)

    assert {len(row) for row in rows} == set(range(2, 9))
    assert sum(map(len, rows)) == 2 * (2 * 50 * 49 + 49 * 49)


@pytest.mark.parametrize("ranks", range(1, 30))
def test_adaptive_meshes_have_as_many_leaves_as_asked_for(tmp_path, ranks):
    rows = instance(tmp_path, "amr", ranks)

    assert len(rows) == ranks
    reached, border = {0}, [0]
    while border:
        border = [to for rank in border for to in rows[rank] if to not in reached]
        reached.update(border)
    assert len(reached) == ranks  # a mesh is in one piece


def test_adaptive_meshes_are_finer_somewhere(tmp_path):
    weights = set(edges_of(instance(tmp_path, "amr", 4096)).values())

    assert weights == {1 << level for level in range(len(weights))}
    assert 3 <= len(weights) <= 6


@pytest.mark.parametrize("ranks", [1000, 1024])
def test_power_law_has_hubs_and_four_draws_a_rank(tmp_path, ranks):
    rows = instance(tmp_path, "powerlaw", ranks)

    assert sum(edges_of(rows).values()) == 4 * ranks
    degrees = sorted(map(len, rows))
    assert degrees[-1] > 5 * sum(degrees) / ranks
    assert degrees[0] == 0


def test_isolated_ranks_are_the_second_half(tmp_path):
    rows = instance(tmp_path, "isolated", 24)

    assert [len(row) > 0 for row in rows] == 12 * [True] + 12 * [False]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_file(tmp_path, kind):
    options = ("--seed", 5, "--renumber")

    assert make(tmp_path, kind, 64, *options).read_bytes() == make(tmp_path, kind, 64, *options).read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_another_seed_changes_what_is_drawn(tmp_path, kind):
    same = instance(tmp_path, kind, 64) == instance(tmp_path, kind, 64, "--seed", 2)

    assert same == (kind not in DRAWN)


def surroundings(rows):
    """What does not depend on the numbers of the ranks: of each its weights, and those of its neighbours."""
    own = [sorted(row.values()) for row in rows]
    return sorted((own[rank], sorted((weight, own[to]) for to, weight in row.items())) for rank, row in enumerate(rows))


@pytest.mark.parametrize("kind", KINDS)
def test_renumbering_is_a_permutation(tmp_path, kind):
    numbered = instance(tmp_path, kind, 64, "--seed", 3)
    renumbered = instance(tmp_path, kind, 64, "--seed", 3, "--renumber")

    assert surroundings(renumbered) == surroundings(numbered)
    assert (renumbered == numbered) == (kind == "alltoall")


@pytest.mark.parametrize(("words", "problem"), [
    (("cg", "--ranks", 12), "this kind needs a power of two of ranks, not 12"),
    (("butterfly", "--ranks", 12), "this kind needs a power of two of ranks, not 12"),
    (("alltoall", "--ranks", 2049), "alltoall has at most 2048 ranks, not 2049"),
    (("ring", "--ranks", 4), "no kind 'ring', there are: " + " ".join(
        ["stencil2d5", "stencil3d7", "stencil3d27", "stencil4d9", "torus2d5", "torus3d7", "cg", "pencils", "butterfly", "hypercube",
         "rgg2d", "rgg3d", "delaunay", "amr", "powerlaw", "alltoall", "isolated"])),
    (("cg", "--ranks", 0), "--ranks"),
    (("cg",), "--ranks"),
    (("cg", "--ranks", 4, "--weight", 1 << 32), "--weight"),
])
def test_instances_that_cannot_be_made(tmp_path, words, problem):
    assert refusal("make_instance", *words, "-o", tmp_path / "none").startswith(problem)
    assert not (tmp_path / "none").exists()


def test_a_file_that_cannot_be_written(tmp_path):
    place = tmp_path / "missing" / "graph"

    assert refusal("make_instance", "cg", "--ranks", 4, "-o", place) == f"cannot write '{place}': No such file or directory"
    assert refusal("make_instance", "cg", "--ranks", 4, "-o", "/dev/full") == "cannot write '/dev/full': No space left on device"


def random_machine(rng):
    arities = [rng.randint(1, 4) for _ in range(rng.randint(1, 4))]
    distances = sorted(rng.randint(0, 20) for _ in arities)
    sizes = [1, *itertools.accumulate(arities, lambda pus, arity: pus * arity)]
    return arities, distances, sizes


def random_edges(rng, ranks, largest):
    pairs = list(itertools.combinations(range(ranks), 2))
    return {pair: rng.randint(1, largest) for pair in rng.sample(pairs, rng.randint(0, len(pairs)))}


def slow_evaluation(edges, ranks, distances, sizes, pus):
    """Hop-bytes twice, as the sum over the edges and over the links."""
    def distance(p, q):
        return next(d for d, size in zip([0, *distances], sizes, strict=True) if p // size == q // size)

    link_costs = [Fraction(0)]
    for height, (below, above) in enumerate(itertools.pairwise([0, *distances])):
        for group in range(sizes[-1] // sizes[height]):
            load = sum(w for (u, v), w in edges.items()
                       if (pus[u] // sizes[height] == group) != (pus[v] // sizes[height] == group))
            link_costs.append(load * Fraction(above - below, 2))
    rank_times = [sum(w * distance(pus[u], pus[v]) for (u, v), w in edges.items() if rank in (u, v)) for rank in range(ranks)]
    return {"hop_bytes": sum(w * distance(pus[u], pus[v]) for (u, v), w in edges.items()), "of_links": sum(link_costs),
            "port_cost": max(link_costs), "process_time": max(rank_times),
            "used_groups": [len({pu // size for pu in pus}) for size in sizes[1:]]}


def tree_words(arities, distances):
    return ["--tree", ":".join(map(str, arities)), "--distances", ":".join(map(str, distances))]


def evaluate(graph, mapping, *words):
    (line,) = output_of("evaluate_mapping", graph, mapping, *words).splitlines()
    return json.loads(line)


@pytest.mark.parametrize("seed", range(40))
def test_costs_against_a_slow_evaluation(tmp_path, seed):
    rng = random.Random(seed)
    arities, distances, sizes = random_machine(rng)
    ranks = rng.randint(1, sizes[-1])
    available = sorted(rng.sample(range(sizes[-1]), rng.randint(ranks, sizes[-1])))
    pus = rng.sample(available, ranks)
    edges = random_edges(rng, ranks, rng.choice([3, 1000, 1 << 40]))

    found = evaluate(write_graph(tmp_path / "graph", ranks, edges), write_mapping(tmp_path / "mapping", pus),
                     *tree_words(arities, distances), "--available", ",".join(map(str, available)))

    expected = slow_evaluation(edges, ranks, distances, sizes, pus)
    assert expected.pop("of_links") == expected["hop_bytes"]
    expected["port_cost"] = float(expected["port_cost"])
    assert found == {"valid": True, "why": "", **expected}


def test_costs_above_64_bits_are_exact(tmp_path):
    # 0 and 1 in one pair of PUs, 2 in the other
    graph = write_graph(tmp_path / "graph", 3, {(0, 1): 1 << 63, (0, 2): 1 << 63, (1, 2): 1})
    mapping = write_mapping(tmp_path / "mapping", [0, 1, 2])

    text = output_of("evaluate_mapping", graph, mapping, *tree_words([2, 2], [1, 4294967295]))

    far = 4294967295
    hop_bytes = 2**63 + 2**63 * far + far
    port = (2**63 + 1) * (far - 1) // 2  # the link of either pair
    time = 2**63 + 2**63 * far
    assert text == (f'{{"valid":true,"why":"","hop_bytes":{hop_bytes},"port_cost":{port},"process_time":{time},'
                    '"used_groups":[2,1]}\n')


def test_half_a_byte_of_port_cost(tmp_path):
    graph = write_graph(tmp_path / "graph", 2, {(0, 1): 7})

    text = output_of("evaluate_mapping", graph, write_mapping(tmp_path / "mapping", [1, 0]), *tree_words([2], [1]))

    assert '"port_cost":3.5,' in text


@pytest.mark.parametrize(("text", "why"), [
    ("0\n1\n", "has 2 lines, the graph has 3 ranks"),
    ("0\n1\n2\n3\n", "has 4 lines, the graph has 3 ranks"),
    ("", "has 0 lines, the graph has 3 ranks"),
    ("0\n1\n0\n", "line 3: PU 0 is taken by an earlier rank"),
    ("0\n1\n8\n", "line 3: PU 8 does not exist, there are 8"),
    ("0\n6\n1\n", "line 2: PU 6 is not available"),
    ("0\n-1\n2\n", "line 2 is not a PU number: '-1'"),
    ("0\n\n2\n", "line 2 is not a PU number: ''"),
    ("0\n1 \n2\n", "line 2 is not a PU number: '1 '"),
    ('0\n1\n"\\\n', "line 3 is not a PU number: '\"\\'"),
    ("0\n1\n99999999999999999999\n", "line 3 is not a PU number: '99999999999999999999'"),
])
def test_invalid_mappings_are_named(tmp_path, text, why):
    graph = write_graph(tmp_path / "graph", 3, {(0, 1): 1})
    (tmp_path / "mapping").write_text(text)

    found = evaluate(graph, tmp_path / "mapping", *tree_words([4, 2], [1, 2]), "--available", "0-5,7")

    assert found == {"valid": False, "why": why, "hop_bytes": None, "port_cost": None, "process_time": None, "used_groups": None}


def test_a_mapping_need_not_end_its_last_line(tmp_path):
    (tmp_path / "mapping").write_text("3\n2\n1")

    assert evaluate(write_graph(tmp_path / "graph", 3, {}), tmp_path / "mapping", *tree_words([4], [1]))["valid"]


@pytest.mark.parametrize(("text", "problem"), [
    ("", "line 1: the header 'ranks edges 001' is missing"),
    ("2 1\n2\n1\n", "line 1: the header is not 'ranks edges 001' (weights of edges and nothing else)"),
    ("2 1 011\n1 2 5\n1 1 5\n", "line 1: the header is not 'ranks edges 001' (weights of edges and nothing else)"),
    ("999999999 1 001\n", "line 1: 999999999 ranks are more than 134217728"),
    ("% a comment\n2 1 001\n2 x\n1 5\n", "line 3: not a whole number below 2^64: 'x'"),
    ("2 1 001\n2 5.0\n1 5\n", "line 2: not a whole number below 2^64: '5.0'"),
    ("2 1 001\n2\n1 5\n", "line 2: the last neighbour has no weight"),
    ("2 1 001\n3 5\n1 5\n", "line 2: rank 3 cannot be a neighbour"),
    ("2 1 001\n1 5\n1 5\n", "line 2: rank 1 cannot be a neighbour"),
    ("2 1 001\n2 9223372036854775809\n1 5\n", "line 2: the weight 9223372036854775809 is above 2^63"),
    ("2 2 001\n2 5 2 5\n1 5 1 5\n", "line 2: rank 2 is a neighbour twice"),
    ("2 1 001\n2 5\n", "line 3: the line of rank 2 is missing"),
    ("2 1 001\n2 5\n1 5\n\n1 5\n", "line 5: more lines than ranks"),
    ("2 2 001\n2 5\n1 5\n", "the header promises 2 edges, the lines have 2 ends of edges"),
])
def test_graphs_that_cannot_be_read(tmp_path, text, problem):
    graph = tmp_path / "graph"
    graph.write_text(text)
    mapping = write_mapping(tmp_path / "mapping", [0, 1])

    line = refusal("evaluate_mapping", graph, mapping, *tree_words([2], [1]))

    assert line == f"graph '{graph}'{', ' if problem.startswith('line') else ': '}{problem}"


@pytest.mark.parametrize(("rows", "edge"), [
    (["2 5", "1 4", ""], (1, 2)),
    (["2 5", "3 5", ""], (1, 2)),
    (["", "1 5 3 5", "", "", ""][:3], (2, 1)),
    (["3 5", "3 1", "1 5 2 2"], (2, 3)),
    (["2 5", "1 5 3 5", "1 5"], (2, 3)),
])
def test_edges_without_an_equal_one_back(tmp_path, rows, edge):
    graph = tmp_path / "graph"
    ends = sum(len(row.split()) // 2 for row in rows)
    graph.write_text("\n".join([f"3 {ends // 2} 001", *rows]) + "\n")
    mapping = write_mapping(tmp_path / "mapping", [0, 1, 2])

    line = refusal("evaluate_mapping", graph, mapping, *tree_words([3], [1]))

    assert line == f"graph '{graph}': the edge from rank {edge[0]} to rank {edge[1]} has no equal one back"


@pytest.mark.parametrize(("words", "problem"), [
    (["--tree", "2:x", "--distances", "1:2"], "--tree '2:x': 'x' is not a whole number (example: 8:2:8)"),
    (["--tree", "2:0", "--distances", "1:2"], "--tree '2:0' has an empty group or more than 134217728 PUs"),
    (["--tree", "65536:65536", "--distances", "1:2"], "--tree '65536:65536' has an empty group or more than 134217728 PUs"),
    (["--tree", "2:2", "--distances", "1"], "--distances '1' has 1 numbers, --tree '2:2' has 2"),
    (["--tree", "2:2", "--distances", "2:1"], "--distances '2:1' decreases or reaches 2^32"),
    (["--tree", "2:2", "--distances", "1:4294967296"], "--distances '1:4294967296' decreases or reaches 2^32"),
    ([*tree_words([2], [1]), "--available", "0-2"], "--available: '0-2' is not a range of the 2 PUs (example: 0-63,70)"),
    ([*tree_words([2], [1]), "--available", "1-0"], "--available: '1-0' is not a range of the 2 PUs (example: 0-63,70)"),
    ([*tree_words([2], [1]), "--available", "0,,1"], "--available: '' is not a range of the 2 PUs (example: 0-63,70)"),
])
def test_machines_that_cannot_be(tmp_path, words, problem):
    graph = write_graph(tmp_path / "graph", 1, {})

    assert refusal("evaluate_mapping", graph, write_mapping(tmp_path / "mapping", [0]), *words) == problem


def test_files_that_are_not_there(tmp_path):
    graph = write_graph(tmp_path / "graph", 1, {})
    missing = tmp_path / "missing"

    for words in ((missing, graph), (graph, missing)):
        line = refusal("evaluate_mapping", *words, *tree_words([2], [1]))
        assert line == f"cannot read '{missing}': No such file or directory"


def tile(kind, ranks, *words):
    (line,) = output_of("box_tiling", kind, "--ranks", ranks, *words).splitlines()
    return json.loads(line)


def test_boxes_by_hand():
    # 4x4 with 24 edges: in four boxes of 2x2 are 16 of them
    assert tile("stencil2d5", 16, *tree_words([4, 4], [1, 10])) == {"hop_bytes": 16 * 1 + 8 * 10, "sides": [[2, 2], [4, 4]]}
    # a row of 7 in the first of two groups
    assert tile("stencil2d5", 7, *tree_words([7, 2], [1, 10])) == {"hop_bytes": 6, "sides": [[7, 1], [7, 1]]}


@pytest.mark.parametrize(("arities", "distances"), [
    ([2, 4], [1, 5]), ([2, 2, 2], [1, 4, 6]), ([4, 4], [1, 3]), ([1, 2, 1, 4], [0, 1, 5, 5])])
@pytest.mark.parametrize("kind", ["stencil2d5", "stencil3d27", "torus3d7"])
def test_no_other_placement_on_the_first_eight_pus_is_better(tmp_path, kind, arities, distances):
    edges = edges_of(instance(tmp_path, kind, 8))
    sizes = [1, *itertools.accumulate(arities, lambda pus, arity: pus * arity)]
    by_pus = [[next(d for d, size in zip([0, *distances], sizes, strict=True) if p // size == q // size) for q in range(8)] for p in range(8)]

    best = min(sum(w * by_pus[pus[u]][pus[v]] for (u, v), w in edges.items()) for pus in itertools.permutations(range(8)) if pus[0] == 0)

    assert tile(kind, 8, *tree_words(arities, distances))["hop_bytes"] == best


@pytest.mark.parametrize(("arities", "distances"), [
    ([8, 2, 4], [1, 10, 100]), ([2] * 6, [1, 2, 3, 5, 8, 13]), ([4, 16], [0, 7]), ([64], [5]), ([16, 8, 8], [1, 10, 100]), ([4, 4, 5], [1, 2, 3])])
@pytest.mark.parametrize("kind", STENCILS)
def test_box_tilings_cost_what_the_evaluator_says(tmp_path, kind, arities, distances):
    words = tree_words(arities, distances)
    tiling = tile(kind, 64, *words, "--weight", 3, "-o", tmp_path / "mapping")

    found = evaluate(make(tmp_path, kind, 64, "--weight", 3), tmp_path / "mapping", *words)

    assert found["valid"], found["why"]
    assert found["hop_bytes"] == tiling["hop_bytes"]
    volume = 1
    for arity, sides in zip(arities, tiling["sides"], strict=True):
        product = 1
        for side in sides:
            product *= side
        volume = min(64, volume * arity)
        assert product == volume


@pytest.mark.parametrize(("kind", "ranks", "arities"), [
    ("stencil2d5", 12, [8, 2]),  # the second group would have 4 ranks
    ("stencil3d7", 30, [4, 8]),
    ("torus2d5", 36, [4, 2, 8]),
])
def test_groups_that_would_not_be_filled_alike(tmp_path, kind, ranks, arities):
    assert tile(kind, ranks, *tree_words(arities, arities[:1] * len(arities)), "-o", tmp_path / "mapping") == {"hop_bytes": None}
    assert not (tmp_path / "mapping").exists()


def test_tilings_that_cannot_be():
    assert refusal("box_tiling", "stencil2d5", "--ranks", 9, *tree_words([8], [1])) == "9 ranks are more than the tree's 8 PUs"
    assert refusal("box_tiling", "cg", "--ranks", 8, *tree_words([8], [1])) == "no stencil or torus: 'cg'"
