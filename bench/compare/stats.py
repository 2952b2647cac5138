# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Median and spread of the times of one placement."""

import statistics


def median(times_s):
    return statistics.median(times_s) if times_s else None


def spread(times_s):
    """Half the distance between the slowest and the fastest run: the median is given as m +- spread.

    Not a quartile: five runs have no quartiles worth the name, and this never hides a slow run.
    """
    return (max(times_s) - min(times_s)) / 2 if times_s else None
