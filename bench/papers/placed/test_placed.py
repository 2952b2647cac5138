# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Rows of bench_placed.py, from measurements that are made up, and its configurations. Nothing is run here."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from papers.placed import bench_placed, configurations
from papers.placed.printed import PRINTED


def measured(**placements):
    """Seven rounds whose times are those given, longer from round to round."""
    first = {}
    same = {name: first.setdefault(seconds, name) for name, seconds in placements.items()}
    times = {name: [placements[name] * (1 + number / 10) for number in range(7)] for name in dict.fromkeys(same.values())}
    return {"times_s": times, "same_as": same}


def named(name):
    return next(one for one in configurations.all_configurations() if one.name == name)


def test_sweeney_has_25_configurations_of_2_to_16_ranks():
    """As many as Sec. 7.2 counts, odd ones among them."""
    ranks = [one.ranks for one in configurations.of_sweeney()]
    assert len(ranks) == 25 and set(ranks) == set(range(2, 17))


def test_names_are_unique_and_printed_numbers_belong_to_one():
    names = [one.name for one in configurations.all_configurations()]
    assert len(set(names)) == len(names) and set(PRINTED) <= set(names)


def test_a_ladder_has_75_percent_more_on_its_steps():
    lines = configurations.ladder(3).splitlines()
    assert lines[0] == "6 7 001"
    edges = {(row, other - 1): weight for row, line in enumerate(lines[1:]) for other, weight in zip(*[iter(map(int, line.split()))] * 2)}
    assert len(edges) == 14 and all(edges[other, row] == weight for (row, other), weight in edges.items())
    steps = {weight for (row, other), weight in edges.items() if row // 2 == other // 2}
    sides = {weight for (row, other), weight in edges.items() if row // 2 != other // 2}
    assert steps == {1.75 * side for side in sides} and len(sides) == 1


def test_a_row_of_sweeney_says_by_how_much_a_run_is_shorter():
    predicted = {"sweeney": {"fig4_ratio": 0.9, "predicted_ratio": 0.95}}
    row = bench_placed.row_of_sweeney(named("rfcth-10"), measured(block=2.0, sweeney=1.5, auto=2.0), predicted)
    assert (row["paper_estimated_percent"], row["paper_actual_percent"]) == (9.1, 29.6)
    assert row["sweeney_percent"] == pytest.approx(25) and row["sweeney_interval"] == pytest.approx([25, 25])
    assert row["sweeney_by_fig4_percent"] == pytest.approx(10) and row["sweeney_predicted_percent"] == pytest.approx(5)
    # the same placement as block
    assert (row["auto_percent"], row["auto_by_fig4_percent"], row["auto_predicted_percent"]) == (0, 0, 0)


def test_a_slower_placement_is_below_zero():
    row = bench_placed.row_of_sweeney(named("rfcth-8"), measured(block=2.0, sweeney=2.2, auto=2.0), {})
    assert row["sweeney_percent"] == pytest.approx(-10)


def test_a_row_of_khoroshevsky_is_over_round_robin():
    row = bench_placed.row_of_khoroshevsky(named("cg"), measured(block=1.5, cyclic=3.0, tmmgp=2.0, auto=1.5))
    assert row["paper_ratio"] == 1.81 and row["cyclic_over_tmmgp"] == pytest.approx(1.5)
    assert row["cyclic_over_auto"] == row["cyclic_over_block"] == pytest.approx(2)
