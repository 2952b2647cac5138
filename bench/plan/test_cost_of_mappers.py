# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""bench/results/mappers.json beside the mappers that there are, and beside docs/user/mappers.md.

COMMMAP_PREFIX  where commmap is installed
"""

import json
import os
import pathlib
import statistics
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "bench"), str(ROOT / "bench/plan")]

import cost_of_mappers

PREFIX = os.environ.get("COMMMAP_PREFIX")
ROWS = json.loads((ROOT / "bench/results/mappers.json").read_text(encoding="utf-8"))["rows"]


def ratio(mapper, profiles, column):
    """By linear's, in the geometric mean; None where the mapper refuses one of the jobs."""
    of = {(row["profile"], row["mapper"]): row[column] for row in ROWS if row["profile"] in profiles}
    if None in (of[profile, mapper] for profile in profiles):
        return None
    return statistics.geometric_mean(of[profile, mapper] / of[profile, "linear"] for profile in profiles)


def table():
    """The lines of the page, from the results."""
    profiles = {row["profile"] for row in ROWS}
    large = {profile for profile in profiles if profile.endswith("-256")}
    lines = []
    for mapper in dict.fromkeys(row["mapper"] for row in ROWS):
        ratios = (ratio(mapper, some, column) for some in (profiles - large, large) for column in ("port_cost_s", "hop_bytes"))
        lines.append(f"| `{mapper}` | " + " | ".join("refused" if number is None else f"{number:.3f}" for number in ratios) + " |")
    return lines


def test_the_page_has_what_the_results_say():
    assert "\n".join(table()) in (ROOT / "docs/user/mappers.md").read_text(encoding="utf-8")


@pytest.mark.skipif(not PREFIX, reason="COMMMAP_PREFIX: where commmap is installed")
def test_results_have_a_row_for_each_mapper_and_profile():
    mappers = cost_of_mappers.mappers(f"{PREFIX}/bin/commmap")
    assert [(row["profile"], row["mapper"]) for row in ROWS] == [(profile.stem, mapper) for profile in cost_of_mappers.PROFILES for mapper in mappers]
    assert all((row["port_cost_s"] is None) == (row["hop_bytes"] is None) == (row["refused"] is not None) for row in ROWS)
