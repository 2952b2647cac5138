# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""pytest bench/mapping: the mappers that commmap's are compared with, and what the comparison counts.

COMMMAP_BUILD  a build directory [build/dev]
"""

import json
import math
import os
import random
import sys
from pathlib import Path

import bench_mapping
import mapping_cases
import mapping_mappers
import mapping_summary
import patience
import pytest

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("COMMMAP_BUILD", HERE.parents[1] / "build/dev"))
PEERS = BUILD / "bench"
GRAPH = "3 2 001\n2 5\n1 5 3 7\n2 7\n"
STRICT = [("peer_metis", "--form", "recursive"), ("peer_metis", "--form", "strong"), ("peer_metis", "--form", "kway"),
          ("peer_scotch", "--strategy", "default", "--repair"),
          ("peer_scotch", "--strategy", "quality", "--balance", "0.05", "--repair"),
          ("peer_simple", "--form", "identity"), ("peer_simple", "--form", "round-robin"), ("peer_simple", "--form", "random")]


def run(program, graph, tree, *options, available=""):
    """The mapping; the program's JSON line is checked."""
    mapping = graph.parent / "mapping"
    limits = ["--available", available] if available else []
    distances = ":".join(str(10**height) for height in range(len(tree.split(":"))))
    done = patience.run([PEERS / program, graph, "--tree", tree, "--distances", distances, *limits, *options, "-o", mapping],
                        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]).keys() == {"name", "user_s", "wall_s", "peak_mib"}
    return [int(line) for line in mapping.read_text().split("\n")[:-1]]


def write_graph(path, vertices, edges):
    """edges: (from, to) -> weight, from below to."""
    around = [[] for _ in range(vertices)]
    for (one, other), weight in edges.items():
        around[one].append(f"{other + 1} {weight}")
        around[other].append(f"{one + 1} {weight}")
    path.write_text(f"{vertices} {len(edges)} 001\n" + "".join(" ".join(line) + "\n" for line in around))
    return path


def random_graph(path, vertices, edges, seed):
    """Some vertices far busier than others, some without any edge, some weights huge."""
    chance = random.Random(seed)
    pairs = {tuple(sorted(int(vertices * chance.random()**2) for _ in range(2))) for _ in range(edges)}
    return write_graph(path, vertices, {pair: chance.choice([1, 100, 2**40]) for pair in pairs if pair[0] != pair[1]})


def path_graph(path, vertices):
    return write_graph(path, vertices, {(v, v + 1): 1 for v in range(vertices - 1)})


@pytest.mark.parametrize("command", STRICT, ids=" ".join)
@pytest.mark.parametrize("ranks, tree, available", [
    (48, "4:2:3:2", ""), (41, "4:2:3:2", ""), (23, "5:3:2", "1,3-11,14,16-28"), (24, "1:24", ""), (7, "1:7:1", ""), (2, "2:2", "0,3"),
    (500, "7:3:5:5", ""), pytest.param(240, "7:3:5:5", ",".join(f"{9 * i}-{9 * i + i % 9}" for i in range(58)), id="holes")])
def test_each_rank_has_a_pu_of_its_own(tmp_path, command, ranks, tree, available):
    graph = random_graph(tmp_path / "graph", ranks, 4 * ranks, seed=ranks)
    for options in ([], ["--spread"]):
        mapping = run(command[0], graph, tree, *command[1:], *options, available=available)
        assert len(mapping) == len(set(mapping)) == ranks
        allowed = set(range(mapping_cases.num_pus(tree)))
        if available:
            allowed = {pu for piece in available.split(",") for pu in range(int(piece.split("-")[0]), int(piece.split("-")[-1]) + 1)}
        assert set(mapping) <= allowed


@pytest.mark.parametrize("form", ["recursive", "strong", "kway"])
def test_metis_uses_the_first_pus_or_as_many_of_each_group(tmp_path, form):
    graph = random_graph(tmp_path / "graph", 90, 400, seed=1)
    assert sorted(run("peer_metis", graph, "5:4:6", "--form", form)) == list(range(90))
    spread = run("peer_metis", graph, "5:4:6", "--form", form, "--spread")
    assert [sum(pu // 20 == group for pu in spread) for group in range(6)] == [15] * 6
    assert {sum(pu // 5 == group for pu in spread) for group in range(24)} == {3, 4}


@pytest.mark.parametrize("command", STRICT[:5], ids=" ".join)
def test_a_path_is_cut_once_for_each_pair_of_groups(tmp_path, command):
    """What every mapper that looks at messages must find."""
    mapping = run(command[0], path_graph(tmp_path / "graph", 16), "4:2:2", *command[1:])
    distance = [next((100, 10, 1)[h] for h, size in enumerate((8, 4, 1)) if p // size != q // size) for p, q in zip(mapping, mapping[1:])]
    assert distance.count(100) == 1 and distance.count(10) == 2


def test_simple_orders(tmp_path):
    graph = path_graph(tmp_path / "graph", 6)
    assert run("peer_simple", graph, "2:2:2", "--form", "identity") == [0, 1, 2, 3, 4, 5]
    assert run("peer_simple", graph, "2:2:2", "--form", "identity", available="1-3,5-7") == [1, 2, 3, 5, 6, 7]
    assert run("peer_simple", graph, "2:2:2", "--form", "round-robin") == [0, 4, 1, 5, 2, 3]
    one, same, other = (run("peer_simple", graph, "2:2:2", "--form", "random", "--seed", seed) for seed in "115")
    assert one == same != other and sorted(one) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("text, options, problem", [
    (GRAPH, ["--tree", "2:x"], "--tree '2:x': 'x' is not a whole number"),
    (GRAPH, ["--tree", "2:2", "--distances", "2:1"], "decreases or reaches 2^32"),
    (GRAPH, ["--tree", "2:1"], "3 ranks are more than the 2 PUs"),
    (GRAPH, ["--available", "2-4"], "'2-4' is not a range of the 4 PUs"),
    (GRAPH.replace("3 2", "3 1"), [], "the header promises 1 edges, the lines have 4 ends of edges"),
    (GRAPH.replace("2 7", "2 8"), [], "the edge from rank 2 to rank 3 has no equal one back"),
    (GRAPH.replace("3 7", "4 7"), [], "line 3: rank 4 cannot be a neighbour"),
    (GRAPH.replace("3 7", "3"), [], "line 3: the last neighbour has no weight"),
    (GRAPH[:-4], [], "line 4: the line of rank 3 is missing"),
    ("", [], "line 1: the header 'ranks edges 001' is missing"), (None, [], "cannot read")])
def test_wrong_input_is_one_line(tmp_path, text, options, problem):
    if text is not None:
        (tmp_path / "graph").write_text(text)
    given = {"--tree": "2:2", "--distances": "1:2", **dict(zip(options[::2], options[1::2]))}
    done = patience.run([PEERS / "peer_simple", tmp_path / "graph", "--form", "identity", "-o", tmp_path / "mapping",
                         *(word for pair in given.items() for word in pair)], capture_output=True, text=True)
    assert done.returncode == 1 and problem in done.stderr and done.stderr.count("\n") == 1


def test_trees_hold_their_ranks():
    for ranks, machines in mapping_cases.MACHINES.items():
        for machine in machines:
            pus = mapping_cases.num_pus(machine.tree)
            if machine.available:
                pieces = [piece.split("-") for piece in machine.available.split(",")]
                sizes = [int(to) - int(begin) + 1 for begin, to in pieces]
                assert min(sizes) >= 1 and len(set(sizes)) > 2
                assert sum(sizes) >= ranks
            assert (pus == ranks) == (machine.filling == "full") and pus >= ranks


def test_ratio_and_geometric_mean():
    assert mapping_summary.ratio(3, 4) == 0.75
    assert mapping_summary.ratio(0, 0) == 1.0 and mapping_summary.ratio(1, 0) == math.inf
    assert mapping_summary.geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    assert mapping_summary.geometric_mean([0.0, 8.0]) == 0.0


def mapped(mapper, hop_bytes, *, ranks=1024, valid=True, user_s=1.0, **more):
    return {"instance": "rgg2d renumbered", "ranks": ranks, "tree": "t", "filling": "full", "group": "irregular", "mapper": mapper,
            "valid": valid, "hop_bytes": hop_bytes, "port_cost": hop_bytes // 2, "process_time": 1, "user_s": user_s, **more}


def test_summaries_compare_with_the_best_valid_mapping():
    rows = [mapped("commmap", 80, user_s=3.0), mapped("metis strong", 100, user_s=2.0), mapped("scotch default", 10, valid=False),
            mapped("box tiling", 160, valid=False),
            mapped("commmap", 400, ranks=16384), mapped("metis strong", 200, ranks=16384), mapped("identity", 100, ranks=16384)]

    found = mapping_summary.summaries(rows, ["commmap"], ["irregular", "stencil"])

    means = {(row["ratio"], row["ranks"]): row["geometric_mean"] for row in found[:-1]}
    best = "hop_bytes to the best of the others"
    assert (means[best, 1024], means[best, 16384]) == (0.8, 4.0)
    assert means[best, "all"] == pytest.approx(math.sqrt(3.2))
    assert means["hop_bytes to METIS strong", 16384] == 2.0
    assert means["hop_bytes to box tiling", 1024] == 0.5
    assert means["user_s to METIS strong", 1024] == 1.5
    assert found[-1] == {"mapper": "commmap", "mappings": 2, "not_valid": 0}


def means_of(found):
    return {(row["ratio"], row["ranks"]): row["geometric_mean"] for row in found if "ratio" in row}


def test_summaries_of_port_cost_compare_with_the_lowest_port_cost_and_name_the_worst():
    rows = [mapped("ours", 90, port_cost=30), mapped("metis strong", 80, port_cost=60, lowest_port_cost=20), mapped("random", 900, port_cost=24),
            mapped("scotch default", 1, port_cost=1, valid=False),
            mapped("ours", 90, port_cost=30, instance="amr renumbered"), mapped("random", 900, port_cost=40, instance="amr renumbered")]

    found = mapping_summary.summaries(rows, ["ours"], ["irregular"], {"ours": "port_cost"})

    assert found[0] == {"ratio": "port_cost to the best of the others", "mapper": "ours", "group": "irregular", "ranks": 1024, "instances": 2,
                        "geometric_mean": pytest.approx(math.sqrt(1.5 * 0.75)), "lowest": 0.75, "highest": 1.5,
                        "worst": "rgg2d renumbered, 1024 ranks"}
    means = means_of(found)
    assert means["port_cost to METIS strong", 1024] == 1.5 and means["hop_bytes to METIS strong", 1024] == 90 / 80
    assert ("process_time to METIS strong", 1024) not in means and ("port_cost to METIS recursive", 1024) not in means


class Asked:
    """What row_of() reads of one way to ask a mapper."""

    def __init__(self, filling, hop_bytes, port_cost, valid=True):
        self.filling, self.valid, self.costs = filling, valid, {"hop_bytes": hop_bytes, "port_cost": port_cost, "process_time": 7}

    def row(self, case):
        return {**case, "taken": self.filling, **self.costs}


def test_a_row_has_the_lowest_cost_of_both_fillings():
    row = bench_mapping.row_of([Asked("block", 10, 9), Asked("spread", 12, 4), Asked("wrong", 1, 1, valid=False)], {"ranks": 5})

    assert (row["taken"], row["hop_bytes"], row["port_cost"]) == ("block", 10, 9)
    assert (row["lowest_port_cost"], row["lowest_process_time"]) == (4, 7)
    assert row["spread_hop_bytes"] == 12
    without = bench_mapping.row_of([Asked("spread", 1, 1, valid=False), Asked("block", 1, 1)], {})
    assert without["spread_hop_bytes"] is None and without["lowest_port_cost"] == 1
    assert bench_mapping.row_of([Asked("block", 1, 1, valid=False)], {})["lowest_port_cost"] is None


def test_summaries_compare_with_those_that_spread():
    rows = [mapped("ours", 90), mapped("metis strong", 91, spread_hop_bytes=120), mapped("random", 900, spread_hop_bytes=None),
            mapped("ours", 90, instance="amr renumbered"), mapped("metis strong", 91, instance="amr renumbered")]

    found = [row for row in mapping_summary.summaries(rows, ["ours"], ["irregular"]) if row.get("ratio", "").endswith("that spread")]

    assert [(row["geometric_mean"], row["instances"]) for row in found] == [(pytest.approx(0.75), 1)]


def test_times_of_threads_are_compared_for_each_instance():
    def run(mapper, wall_s, instance, **more):
        return mapped(mapper, 10, instance=instance, wall_s=wall_s, runs=3, **more)

    rows = [run("ours", 4.0, "a"), run("ours 2 threads", 2.0, "a", user_s=1.25), run("ours", 1.0, "b"), run("ours 2 threads", 2.0, "b", port_cost=6),
            run("ours", 1.0, "c"), run("ours 2 threads", 0.0, "c", valid=False), run("metis strong", 0.1, "a")]

    one, other, *means, validity = mapping_summary.thread_summaries(rows, "ours 2 threads", "ours", ["irregular", "stencil"])

    assert one == {"instance": "a", "ranks": 1024, "tree": "t", "filling": "full", "mapper": "ours 2 threads", "runs": 3, "wall_s": 2.0,
                   "wall_s_of_1_thread": 4.0, "wall_s_to_1_thread": 0.5, "same_costs": True}
    assert (other["instance"], other["wall_s_to_1_thread"], other["same_costs"]) == ("b", 2.0, False)
    assert means_of(means) == {("wall_s to 1 thread", 1024): pytest.approx(1.0), ("user_s to 1 thread", 1024): pytest.approx(math.sqrt(1.25))}
    assert validity == {"mapper": "ours 2 threads", "mappings": 3, "not_valid": 1}


def test_an_ablation_compares_the_objective_and_the_time_with_the_full_engine():
    rows = [mapped("ours", 10, port_cost=4), mapped("ours without chains", 9, port_cost=8, user_s=0.5), mapped("metis strong", 1),
            mapped("ours", 10, port_cost=4, ranks=16384), mapped("ours without chains", 9, port_cost=4, ranks=16384, valid=False)]

    *means, validity = mapping_summary.ablation_summaries(rows, "ours without chains", "ours", "port_cost", ["irregular"])

    assert means_of(means) == {("port_cost to the full engine", 1024): 2.0, ("user_s to the full engine", 1024): 0.5}
    assert validity["not_valid"] == 1


def grown(ranks, tree, user_s, peak_mib, **more):
    return mapped("ours", 1, ranks=ranks, tree=tree, user_s=user_s, edges=3 * ranks, peak_mib=peak_mib, **more)


def test_growth_is_the_exponent_of_time_and_memory():
    sizes = [(2**k, f"{2 ** (k - 3)}:8", 3 * 2**k * k) for k in (10, 14, 20)]
    rows = [grown(ranks, tree, 1e-6 * x**1.5, 1e-3 * x) for ranks, tree, x in sizes]
    beside = [grown(128, "9:16", 1.0, 1.0, filling="partly filled"), grown(256, "2:128", 50.0, 1.0, valid=False),
              mapped("metis strong", 1, ranks=512, tree="2:256", user_s=3.0, edges=9, peak_mib=1.0), grown(64, "64", None, 1.0)]
    few = [{**row, "instance": "amr renumbered"} for row in rows[:2]]

    (row,) = mapping_summary.growth_summaries([*rows, *beside, *few], "ours")

    assert row == {"growth": "rgg2d renumbered", "mapper": "ours", "time_exponent": pytest.approx(1.5), "memory_exponent": pytest.approx(1.0),
                   "last_time_exponent": pytest.approx(1.5), "last_memory_exponent": pytest.approx(1.0), "points": 3,
                   "ranks": "1024,16384,1048576"}


def test_an_exponent_is_a_least_squares_fit_in_logarithms():
    assert mapping_summary.exponent([(1, 1), (2, 4), (4, 4), (8, 16)]) == pytest.approx(1.2)


@pytest.mark.parametrize("text, edges", [("3 2 001\n", 2), ("% by hand\n%\n5 70 001\n2 1\n", 70)])
def test_edges_are_read_from_the_header(tmp_path, text, edges):
    (tmp_path / "graph").write_text(text)
    assert bench_mapping.edges_of(tmp_path / "graph") == edges


def test_peers_are_left_out_by_name_family_and_size():
    def asked(ranks, left_out=(), **limits):
        mappers = mapping_mappers.left_after(mapping_mappers.others(BUILD, **limits), left_out)
        return [mapper.name for mapper in mappers if mapper.runs(mapping_cases.Machine("t", "full"), ranks)]

    simple = ["identity", "round-robin", "random"]
    assert asked(1024, ["metis kway", "scotch", "random"]) == ["metis recursive", "metis strong", "identity", "round-robin"]
    assert asked(1048576) == ["metis recursive", "metis strong", "metis kway", *simple]
    assert asked(1048576, peer_ranks=131072) == ["metis recursive", *simple]
    assert asked(131072, peer_ranks=131072) == asked(1048576)
    assert asked(1024, peer_ranks=131072) == mapping_mappers.PEERS


def test_others_are_run_once_with_a_million_ranks_and_commmap_three_times():
    mappers = {mapper.name: mapper for mapper in [*mapping_mappers.others(BUILD), *mapping_mappers.ours("commmap", ["hop-bytes"], ["fast"])]}

    def rounds(ranks):
        return [bench_mapping.rounds_of(ranks, mappers[name]) for name in ("commmap hop-bytes fast", "metis recursive", "identity")]

    assert (rounds(16384), rounds(131072), rounds(1048576)) == ([5, 5, 1], [3, 3, 1], [3, 1, 1])


def test_variants_differ_from_the_full_engine_by_one_option():
    mappers = mapping_mappers.ours("commmap", ["port-cost"], ["fast"], threads=[1, 2], ablation=True)

    full, threads, *ablated = mappers
    assert (full.name, full.full, full.objective) == ("commmap port-cost fast", "", "port_cost")
    assert full.command == ["commmap", "map", "--objective", "port-cost", "--preset", "fast"]
    assert (threads.name, threads.command) == ("commmap port-cost fast 2 threads", [*full.command, "--threads", "2"])
    assert [mapper.name for mapper in ablated] == [f"{full.name} without {part}" for part in mapping_mappers.PARTS]
    assert ablated[0].command == [*full.command, "--without", "grids"]
    assert {(mapper.full, mapper.objective) for mapper in [threads, *ablated]} == {(full.name, "port_cost")}


STAND_IN = f"#!{sys.executable} -S\n" + """
import json, sys
arguments = dict(zip(sys.argv[2::2], sys.argv[3::2]))
with open(arguments["--graph"]) as graph, open(arguments["-o"], "w") as mapping:
    ranks = int(next(line for line in graph if not line.startswith("%")).split()[0])
    order = range(ranks) if arguments.get("--without") != "grids" else reversed(range(ranks))
    mapping.write("".join(f"{rank}\\n" for rank in order))
if arguments["--preset"] == "broken":
    sys.exit("it broke")
print(json.dumps({"user_s": 0.5 if "--without" in arguments else 1.0, "wall_s": 1.0 / int(arguments.get("--threads", 1)), "peak_mib": 1.0}))
"""


def compare(directory, *options):
    """The rows of a comparison with the stand-in in commmap's place."""
    stand_in = directory / "commmap"
    stand_in.write_text(STAND_IN)
    stand_in.chmod(0o755)
    few = ["--sizes", "1024", "--kinds", "stencil2d5", "--numberings", "row-major", *options]
    done = patience.run([sys.executable, HERE / "bench_mapping.py", BUILD, stand_in, *few], seconds=300, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_whole_comparison(tmp_path):
    """But for the dearest of the others, which test_each_rank_has_a_pu_of_its_own runs."""
    rows = compare(tmp_path, "--presets", "default,broken", "--no-peers", "scotch quality,scotch quality repaired,metis kway")

    (broken,) = {(row["valid"], row["why"]) for row in rows if row.get("instance") and row["mapper"].endswith("broken")}
    assert broken == (False, "exit code 1: it broke")
    full = {row["mapper"]: row for row in rows if row.get("instance") == "stencil2d5 row-major" and row["filling"] == "full"}
    assert full["commmap hop-bytes default"]["hop_bytes"] == full["identity"]["hop_bytes"]
    assert full["metis strong"]["valid"] and full["metis strong"]["runs"] == 5 and full["identity"]["runs"] == 1
    assert full["box tiling"]["hop_bytes"] <= full["metis strong"]["hop_bytes"] <= full["random"]["hop_bytes"]
    spread = [row["taken"] for row in rows if row.get("filling") == "partly filled" and row["mapper"] == "metis strong"]
    assert len(spread) == 1 and spread[0] in ("block", "spread")
    summary = [row for row in rows if row.get("ratio") == "hop_bytes to the best of the others"]
    # on the uneven machine the stand-in takes PUs that are not available
    assert {(row["group"], row["instances"]) for row in summary} == {("stencil", 1), ("partly filled", 1)}
    assert rows[-1] == {"mapper": "commmap hop-bytes broken", "mappings": 3, "not_valid": 3}


def test_a_whole_comparison_with_threads_and_an_ablation(tmp_path):
    rows = compare(tmp_path, "--objectives", "port-cost", "--threads", "1,2", "--ablation", "--no-peers", "metis,scotch,random")

    full = {row["mapper"]: row for row in rows if "taken" in row and row["filling"] == "full"}
    name = "commmap port-cost default"
    assert set(full) == {"identity", "round-robin", "box tiling", name, f"{name} 2 threads", *(f"{name} without {part}" for part in mapping_mappers.PARTS)}
    assert {(row["edges"], row["runs"]) for mapper, row in full.items() if mapper.startswith("commmap")} == {(1984, 5)}
    assert tuple(full[name]) == tuple(full["box tiling"])  # one table
    # on the uneven machine the stand-in takes PUs that are not available
    assert [(row["filling"], row["wall_s_to_1_thread"], row["same_costs"]) for row in rows if "wall_s_to_1_thread" in row] \
        == [("full", 0.5, True), ("partly filled", 0.5, True)]
    ratios = {(row["ratio"], row["mapper"]): row["geometric_mean"] for row in rows if "ratio" in row and row["group"] == "stencil"}
    assert ratios["wall_s to 1 thread", f"{name} 2 threads"] == 0.5
    assert ratios["port_cost to the full engine", f"{name} without chains"] == 1.0
    assert ratios["user_s to the full engine", f"{name} without chains"] == 0.5
    assert {mapper for what, mapper in ratios if what.endswith("of the others")} == {name}
    assert next(row["ratio"] for row in rows if row.get("mapper") == name and "ratio" in row) == "port_cost to the best of the others"
    assert rows[-1] == {"mapper": name, "mappings": 3, "not_valid": 1}


@pytest.mark.parametrize("option, value, problem", [
    ("--no-peers", "metis,chaco", "'chaco' is none of metis, scotch, identity"), ("--threads", "0,2", "'0,2' has a number below 1"),
    ("--threads", "two", "invalid thread_counts value")])
def test_a_wrong_option_is_refused(option, value, problem):
    done = patience.run([sys.executable, HERE / "bench_mapping.py", BUILD, "commmap", option, value], capture_output=True, text=True)
    assert done.returncode == 2 and problem in done.stderr
