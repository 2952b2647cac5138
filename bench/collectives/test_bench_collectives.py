# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What bench_collectives.py makes of what was printed."""

import importlib.util
import pathlib

spec = importlib.util.spec_from_file_location("bench_collectives", pathlib.Path(__file__).parent / "bench_collectives.py")
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)

PRINTED = "library Open MPI v4.1.4\ntimed bcast 64 0.002 0.001 0.004 0.001 0.006 0.001\nother\ntimed allgather 8 1 2\n"
SAID = """commmap: inside: bcast from 64 B on: chain 8192, measured 4.50 x as fast as native (at least 3.50 x)
commmap: inside: bcast from 101 B on: native
commmap: inside: allgather from 1000 B on: ring, measured 2.00 x as fast as native (at least 1.90 x)
commmap: 9 collective calls of rank 0 were not run natively
"""


def test_rounds_are_read():
    assert bench.timed(PRINTED) == {("bcast", 64): [(0.002, 0.001), (0.004, 0.001), (0.006, 0.001)], ("allgather", 8): [(1.0, 2.0)]}


def test_the_choice_of_a_call_is_that_of_the_last_rule_before():
    chosen = bench.choices(SAID)
    assert [bench.choice_of(chosen, "bcast", size) for size in (63, 64, 100, 101)] == ["native", "chain 8192", "chain 8192", "native"]
    assert [bench.choice_of(chosen, "allgather", size) for size in (999, 1000)] == ["native", "ring"]
    assert bench.choice_of(chosen, "allreduce", 5000) == "native"


def test_a_row_has_medians_and_the_interval_of_the_gain():
    rounds = [(native / 1000, 0.001) for native in range(1, 22)]
    row = bench.row_of("block", ("bcast", 64), rounds, bench.choices(SAID))
    assert (row["native_ms"], row["ours_ms"], row["rounds"], row["choice"]) == (11.0, 1.0, 21, "chain 8192")
    assert abs(row["gain"] - 11) < 1e-9 and 1 < row["low"] < 11 < row["high"] < 21


def test_summaries_name_mean_and_worst_call():
    rows = [{"op": op, "bytes": size, "layout": "block", "gain": gain, "low": 0.9 * gain, "high": 1.1 * gain, "choice": "ring"}
            for op, size, gain in (("bcast", 64, 4.0), ("bcast", 128, 1.0), ("allgather", 64, 0.5))]
    whole, bcast, allgather, worst = bench.summaries(rows)
    assert abs(whole["geometric_mean_gain"] - 2 ** (1 / 3)) < 1e-9 and (whole["best"], whole["worst"], whole["calls"]) == (4.0, 0.5, 3)
    assert (bcast["summary_of"], bcast["geometric_mean_gain"]) == ("bcast", 2.0)
    assert allgather["calls"] == 1
    assert worst["worst_call"] == "allgather 64 B" and worst["below_0.97"] == 1


def test_the_random_order_is_neither_block_nor_cyclic():
    order = bench.RANDOM
    assert sorted(order) == sorted(2 * list(range(bench.NODES)))
    assert order[:8] != order[8:] and sum(a != b for a, b in zip(order, order[1:])) > bench.NODES
