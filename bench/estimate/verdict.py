# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Whether the goals are held: a row for each goal and half of the configurations."""

import math
import statistics

from estimate.half import HALVES

FEWEST_CONFIGURATIONS = 40
FEWEST_FOREIGN = 15
MOST_WIDE = 6 / 40  # of the configurations
CLEARLY_PERCENT = 5.0  # the interval is so far off 1.00: then the direction has to be right
MEDIAN_PERCENT, MEAN_PERCENT, WORST_PERCENT = 5.0, 8.0, 20.0
WORTH_PERCENT = 10.0  # a gain that auto has to take
SHARE = 0.8  # of the gain
SHARE_OF_CASES = 0.9
OVER_BEST = 1.03


def clearly_off_one(low, high):
    return high < 1 - CLEARLY_PERCENT / 100 or low > 1 + CLEARLY_PERCENT / 100


def wrong_direction(row, key="predicted_ratio"):
    low, high = row["interval"]
    return clearly_off_one(low, high) and (row[key] - 1) * (row["measured_ratio"] - 1) <= 0


def _goal(half, goal, value, limit, held, which=()):
    return {"half": half, "goal": goal, "value": value, "limit": limit, "held": held, "not_held_by": " ".join(sorted(which))}


def _name(row):
    return f"{row['configuration']}/{row['placement']}"


def of_errors(half, rows, key, what):
    errors = [row[key] for row in rows]
    worst = max(errors)
    return [
        _goal(half, f"{what}: median error, percent", statistics.median(errors), MEDIAN_PERCENT, statistics.median(errors) <= MEDIAN_PERCENT),
        _goal(half, f"{what}: mean error, percent", statistics.fmean(errors), MEAN_PERCENT, statistics.fmean(errors) <= MEAN_PERCENT),
        _goal(half, f"{what}: worst error, percent", worst, WORST_PERCENT, worst <= WORST_PERCENT,
              [_name(row) for row in rows if row[key] > WORST_PERCENT])]


def of_moves(half, moves, wide=frozenset()):
    """Of rows of configurations: is auto ever slower than Slurm, and does it take what can be gained.

    @param wide  configurations with an interval that is too wide: what they gain does not count
    """
    slower = [row["configuration"] for row in moves if row["auto_over_better_interval"][0] > 1.0]
    goals = [_goal(half, "auto slower than the better of block and cyclic", len(slower), 0, not slower, slower)]
    counted = [row for row in moves if row["configuration"] not in wide]
    if not counted:
        return goals
    worth = [row for row in counted if row["best_gain_percent"] > WORTH_PERCENT]
    missed = [row["configuration"] for row in worth if row["auto_share"] < SHARE]
    mean = math.exp(statistics.fmean(math.log(row["auto_over_best"]) for row in counted))
    if worth:
        taken = 1 - len(missed) / len(worth)
        goals.append(_goal(half, f"takes {SHARE:.0%} of a gain above {WORTH_PERCENT:.0f} %, of {len(worth)} cases", taken, SHARE_OF_CASES,
                           taken >= SHARE_OF_CASES, missed))
    return goals + [_goal(half, "auto over best, geometric mean", mean, OVER_BEST, mean <= OVER_BEST)]


def of_moved(names):
    """Configurations of which auto would place the ranks elsewhere now than when they were measured: they have no row of gains."""
    return _goal("both", "auto places ranks where it was measured", len(names), 0, not names, names)


def of_extent(configurations, rows):
    """Whether enough was measured, and closely enough."""
    measured = [one for one in configurations if one.name in {row["configuration"] for row in rows}]
    foreign = sum(one.foreign for one in measured)
    wide = {row["configuration"] for row in rows if not row["counts"]}
    share = len(wide) / len(measured) if measured else 0.0
    return [
        _goal("both", "configurations", len(measured), FEWEST_CONFIGURATIONS, len(measured) >= FEWEST_CONFIGURATIONS),
        _goal("both", "of programs from elsewhere", foreign, FEWEST_FOREIGN, foreign >= FEWEST_FOREIGN),
        _goal("both", "share with an interval that is too wide", share, MOST_WIDE, share <= MOST_WIDE, wide)]


def goals(configurations, rows, moves):
    """@param rows, moves  see rows.py"""
    found = of_extent(configurations, rows)
    wide = {row["configuration"] for row in rows if not row["counts"]}
    for half in HALVES:
        counted = [row for row in rows if row["half"] == half and row["counts"]]
        if counted:
            for key, what in (("predicted_ratio", "predicted"), ("whole_run_ratio", "whole run"), ("fig4_ratio", "Fig. 4")):
                wrong = [_name(row) for row in counted if wrong_direction(row, key)]
                found.append(_goal(half, f"{what}: wrong direction, of {len(counted)} rows", len(wrong), 0, not wrong, wrong))
            found += of_errors(half, counted, "error_percent", "predicted")
            found += of_errors(half, counted, "plain_error_percent", "predicted, plain")
            found += of_errors(half, counted, "whole_run_error_percent", "whole run")
            found += of_errors(half, counted, "fig4_error_percent", "Fig. 4")
        own = [row for row in moves if row["half"] == half]
        if own:
            found += of_moves(half, own, wide)
    return found
