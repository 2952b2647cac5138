# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Runs of several placements, interleaved in rounds, so that slow drifts hit all of them alike."""

import random
from dataclasses import dataclass, field

from compare import stats


@dataclass(frozen=True)
class Case:
    """One placement of a program: what to run."""

    placement: str
    command: list
    environment: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Settings:
    rounds: int = 5
    seed: int = 1
    max_other_cpus: float = 0.3  # a run with more is repeated
    max_repeats: int = 3  # of one run, because of noise; then its quietest is kept, and counted as noisy
    max_retries: int = 5  # of one run, after it hung or died; then its time is missing


@dataclass
class Measurement:
    """What came out for one placement."""

    times_s: list = field(default_factory=list)
    repeats: int = 0  # runs thrown away because of noise
    noisy: int = 0  # runs kept although noisy
    hangs: int = 0
    deaths: int = 0

    @property
    def median_s(self):
        return stats.median(self.times_s)

    @property
    def spread_s(self):
        return stats.spread(self.times_s)


def compare(cases, runner, settings, say=lambda text: None, may_repeat=lambda progress: True):
    """Measurement of each case, by placement name.

    Each round runs every case once, in an order drawn anew from the seed. A noisy run is repeated
    only while may_repeat(progress) holds (a time budget); else it is kept, and counted as noisy.
    A lost run is tried again as long, and as long as its placement has no time at all.
    `progress` is the part of the wanted runs that have begun, 1 in the last one.
    """
    names = [case.placement for case in cases]
    if len(set(names)) != len(names):
        raise ValueError(f"a placement occurs twice: {', '.join(names)}")
    order = random.Random(settings.seed)
    results = {name: Measurement() for name in names}
    in_order = [case for _ in range(settings.rounds) for case in order.sample(cases, len(cases))]
    for begun, case in enumerate(in_order, start=1):
        progress = begun / len(in_order)
        _measure_once(case, runner, settings, results[case.placement], say, lambda: may_repeat(progress))
    return results


def _measure_once(case, runner, settings, result, say, may_repeat):
    """Adds one time to `result`, or none when every attempt failed."""
    noisy = []
    failures = 0
    while failures <= settings.max_retries:
        outcome = runner.run(case.command, case.environment)
        if outcome.time_s is None:
            failures += 1
            result.hangs += outcome.hung
            result.deaths += outcome.died
            say(f"{case.placement}: run lost, {outcome.describe()}")
            if result.times_s and not may_repeat():
                break
            continue
        if outcome.other_cpus <= settings.max_other_cpus:
            result.repeats += len(noisy)
            result.times_s.append(outcome.time_s)
            return
        noisy.append((outcome.other_cpus, outcome.time_s))
        if len(noisy) > settings.max_repeats or not may_repeat():
            break
        say(f"{case.placement}: run repeated, other processes used {outcome.other_cpus:.2f} CPUs")
    if noisy:
        result.repeats += len(noisy) - 1
        result.noisy += 1
        result.times_s.append(min(noisy)[1])
