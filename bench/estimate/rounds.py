# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Paired rounds: each runs every placement once, until the interval of every ratio to block is narrow enough."""

from compare.comparison import Settings, compare
from estimate.interval import half_width_percent

FEWEST = 7
MOST = 25
NARROW_PERCENT = 4.0
_MOST_LOST = 5  # rounds in which a placement had no time at all


def to_block(times):
    """Of each placement but block the ratio of each round."""
    return {name: [one / block for one, block in zip(values, times["block"])] for name, values in times.items() if name != "block"}


def narrow(times):
    return all(half_width_percent(values) <= NARROW_PERCENT for values in to_block(times).values())


def measure(cases, runner, may_go_on, say=lambda text: None):
    """Seconds of each placement, one of each round that every placement came through.

    @param may_go_on  whether there is time left for more than the fewest rounds
    @return times by placement; number of runs that other processes disturbed; number of lost runs
    """
    times = {case.placement: [] for case in cases}
    noisy = lost = lost_rounds = 0
    for number in range(MOST + _MOST_LOST):
        # No run is repeated because of noise: more rounds say more, and the interval tells whether they are enough.
        settings = Settings(rounds=1, seed=number, max_repeats=0, max_retries=1)
        results = compare(cases, runner, settings, say)
        noisy += sum(result.noisy for result in results.values())
        lost += sum(result.hangs + result.deaths for result in results.values())
        if all(result.times_s for result in results.values()):
            for name, result in results.items():
                times[name] += result.times_s
        else:
            lost_rounds += 1
            if lost_rounds == _MOST_LOST:
                break
        done = len(times["block"])
        if done == MOST or (done >= FEWEST and (narrow(times) or not may_go_on())):
            break
    return times, noisy, lost
