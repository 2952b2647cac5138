#!/usr/bin/env python3
# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Run times by mapper, beside those that papers print: bench_placed.py PREFIX BUILD [options] > rows.json

It measures as bench/estimate does, and takes the same options. What is measured is kept in BUILD/papers.
"""

import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from compare.demo import DemoError
from estimate.bench_estimate import run
from estimate.interval import bounds
from papers.placed import configurations
from papers.placed.printed import PRINTED


def ratios_of(measured, name, base):
    """Of each round: the time of one placement by that of another one."""
    times = [measured["times_s"][measured["same_as"][each]] for each in (name, base)]
    return [one / other for one, other in zip(*times)]


def decrease_percent(ratio):
    """The paper's speedup: by how much of block's time a run is shorter."""
    return 100 * (1 - ratio)


def measured_value(measured, name, base, of_ratio):
    ratios = ratios_of(measured, name, base)
    return of_ratio(statistics.median(ratios)), sorted(of_ratio(bound) for bound in bounds(ratios))


def row_of_sweeney(configuration, measured, predicted):
    """@param predicted  rows of placements (estimate/rows.py) by name; one that is the same as block has none"""
    row = {"paper": "Sweeney", "configuration": configuration.name, "program": configuration.name.split("-")[0], "ranks": configuration.ranks,
           **PRINTED.get(configuration.name, {}), "rounds": len(measured["times_s"]["block"])}
    for name in (configurations.SWEENEY, "auto"):
        same = measured["same_as"][name]
        value, interval = measured_value(measured, name, "block", decrease_percent)
        row[f"{name}_percent"] = value
        row[f"{name}_interval"] = [round(bound, 2) for bound in interval]
        row[f"{name}_by_fig4_percent"] = decrease_percent(predicted[same]["fig4_ratio"]) if same in predicted else 0.0
        row[f"{name}_predicted_percent"] = decrease_percent(predicted[same]["predicted_ratio"]) if same in predicted else 0.0
    return row


def row_of_khoroshevsky(configuration, measured):
    row = {"paper": "Khoroshevsky", "configuration": configuration.name, "ranks": configuration.ranks, **PRINTED.get(configuration.name, {}),
           "rounds": len(measured["times_s"]["block"])}
    for name in (configurations.TMMGP, "auto", "block"):
        value, interval = measured_value(measured, "cyclic", name, float)
        row[f"cyclic_over_{name}"] = value
        row[f"cyclic_over_{name}_interval"] = [round(bound, 3) for bound in interval]
    return row


def report(bench, wanted):
    rows = []
    for configuration in wanted:
        measured = bench.known(configuration)
        if measured is None:
            continue
        if configuration.mappers == (configurations.TMMGP,):
            rows.append(row_of_khoroshevsky(configuration, measured))
        else:
            predicted = {row["placement"]: row for row in bench.rows_of(configuration, measured)}
            rows.append(row_of_sweeney(configuration, measured, predicted))
    if not rows:
        raise DemoError("nothing was measured")
    return rows


if __name__ == "__main__":
    sys.exit(run("papers", configurations.all_configurations(), report))
