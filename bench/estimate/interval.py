# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The median of measured ratios, and a 95 % interval for it that assumes nothing about how they are distributed."""

import math
import statistics

FEWEST = 6  # with fewer values not even the smallest and the largest hold the median in 95 % of all cases


def bounds(values, confidence=0.95):
    """Sign test: the k-th smallest and k-th largest value, with the largest k that keeps the confidence.

    The true median lies below the k-th smallest of n values when fewer than k of them are below it, as of n tosses of a coin.
    """
    ordered = sorted(values)
    count = len(ordered)
    if count < FEWEST:
        raise ValueError(f"{count} values, and {FEWEST} are needed")
    outside = 0.0  # probability on one side
    k = 0
    while True:
        outside += math.comb(count, k) / 2**count
        if 2 * outside > 1 - confidence:
            break
        k += 1
    return ordered[k - 1], ordered[count - k]


def half_width_percent(values):
    low, high = bounds(values)
    return 100 * (high - low) / 2 / statistics.median(values)


def outside_percent(predicted, low, high):
    """How far a prediction lies outside of an interval, in percent of the nearer end; 0 inside."""
    if predicted < low:
        return 100 * (low - predicted) / low
    if predicted > high:
        return 100 * (predicted - high) / high
    return 0.0
