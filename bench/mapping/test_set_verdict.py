# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""pytest bench/mapping: what is said of a set of graphs."""

import pytest
import set_verdict


def row(instance, mapper, hop_bytes, user_s=1.0, ranks=1024, group="irregular", hard=False):
    return {"instance": instance, "ranks": ranks, "tree": "8:2:8:8", "filling": "full", "group": group, "mapper": mapper, "valid": True,
            "hop_bytes": hop_bytes, "user_s": user_s, "hard": hard}


ROWS = [
    row("mesh", "ours", 99, 0.2), row("mesh", "metis strong", 110), row("mesh", "scotch default repaired", 90),
    row("web", "ours", 81, 0.9, hard=True), row("web", "metis strong", 90), row("web", "scotch quality repaired", 100),
    row("grid", "ours", 50, 0.05, group="stencil"), row("grid", "metis strong", 50, group="stencil"),
    {**row("grid", "box tiling", 40, None, group="stencil"), "valid": False},
    row("large", "ours", 100, 0.3, ranks=16384), row("large", "metis strong", 100, ranks=16384),
]


def test_each_size_and_all_of_them():
    small, large, whole = set_verdict.verdicts(ROWS, "ours")
    assert (small["ranks"], large["ranks"], whole["ranks"]) == (1024, 16384, "all")
    assert (small["graphs"], large["graphs"], whole["graphs"]) == (3, 1, 4)


def test_costs_compare_with_the_better_of_the_others_and_with_boxes():
    small = set_verdict.verdicts(ROWS, "ours")[0]
    assert small["highest_to_the_better_one"] == pytest.approx(1.1)
    assert small["worst_to_the_better_one"] == "mesh, 1024 ranks"
    assert small["above_1.005"] == 1
    assert (small["box_tilings"], small["highest_to_box_tiling"]) == (1, 1.25)
    assert (small["irregular"], small["irregular_to_metis_strong"]) == (2, pytest.approx(0.9))


def test_hard_graphs_are_timed_apart():
    small, large, _ = set_verdict.verdicts(ROWS, "ours")
    assert (small["timed"], small["user_s_to_metis_strong"], small["highest_user_s_to_metis_strong"]) == (2, pytest.approx(0.1), 0.2)
    assert (small["hard_timed"], small["hard_user_s_to_metis_strong"], small["worst_hard_user_s_to_metis_strong"]) == (1, 0.9, "web, 1024 ranks")
    assert (large["hard_timed"], large["hard_user_s_to_metis_strong"]) == (0, None)


def test_what_cannot_be_compared_is_counted():
    rows = [*ROWS, {**row("broken", "ours", 1), "valid": False}, row("broken", "metis strong", 1), row("alone", "ours", 1)]
    small = set_verdict.verdicts(rows, "ours")[0]
    assert (small["graphs"], small["not_compared"], small["timed"] + small["hard_timed"]) == (5, 2, 3)
    assert small["without_scotch"] == 1, "the grid"
