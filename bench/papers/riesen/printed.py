# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Every number that Riesen, "Communication Patterns", prints in its text, with what it is here.

The paper names no class for CG, EP and IS: their numbers here are the same for S, W and A. Lengths of SP and EP are the paper's
only in elements, though the paper says bytes: in_buckets() of elements gives its numbers, of bytes it does not.
"""

import dataclasses

import counting


@dataclasses.dataclass(frozen=True)
class Printed:
    where: str
    benchmark: str
    ranks: int
    what: str  # "0 -> 1": messages; an operation: calls of one rank; "<= 16384": messages of that bucket
    number: int
    about: bool = False  # the paper rounds


PRINTED = (
    [Printed("3.1", "cg", 4, f"0 -> {to}", number) for to, number in enumerate((416, 1265, 1, 1))]
    + [Printed("3.4", "cg", 4, operation, 1) for operation in ("reduce", "barrier")]
    + [Printed("3.4", "ep", 4, operation, number) for operation, number in (("allreduce", 4), ("barrier", 1))]
    + [Printed("3.4", "is", 4, operation, number) for operation, number in (("reduce", 2), ("allreduce", 11), ("alltoall", 11), ("alltoallv", 11))]
    + [Printed("3.5", "sp", ranks, f"<= {limit}", number, about=True) for ranks, limit, number in (
        (4, 65536, 5000), (4, 16384, 15000), (16, 16384, 96000), (16, 4096, 58000), (64, 16384, 155000), (64, 4096, 540000), (64, 1024, 540000))]
    + [Printed("3.5", "ep", 4, "> 16", 0)])
MOST_ROUNDED = 0.04  # of a number that the paper calls "about"


def lengths(derived, in_bytes):
    """(length, messages): of collectives each call of each rank is a message."""
    for (_, _, elements, element), times in derived.messages.items():
        yield elements * (element if in_bytes else 1), times
    for (operation, elements, element), times in derived.collectives.items():
        if operation not in ("barrier", "alltoallv"):
            yield elements * (element if in_bytes else 1), times * derived.ranks


def _of_bucket(what, pairs):
    """Messages in one bucket, or above a length."""
    sign, limit = what.split()
    counts = counting.in_buckets(pairs)
    bucket = counting.bucket_of(int(limit))
    return sum(counts[bucket + 1:]) if sign == ">" else counts[bucket]


def value_derived(printed, derived, in_bytes=False):
    if "->" in printed.what:
        source, destination = map(int, printed.what.split(" -> "))
        return counting.density(derived.ranks, counting.pairs_derived(derived), counting.calls_derived(derived))[source, destination]
    if printed.what[0] in "<>":
        return _of_bucket(printed.what, lengths(derived, in_bytes))
    return counting.calls_derived(derived)[printed.what]


def value_recorded(printed, ranks, profile):
    """None for lengths: a profile has bytes, and the paper elements."""
    if "->" in printed.what:
        source, destination = map(int, printed.what.split(" -> "))
        return counting.density(ranks, counting.pairs_recorded(profile), counting.calls_recorded(profile))[source, destination]
    return None if printed.what[0] in "<>" else counting.calls_recorded(profile)[printed.what]


def agrees(printed, value):
    return abs(value - printed.number) <= (MOST_ROUNDED * printed.number if printed.about else 0)


def differences(derived, profile):
    """What derivation and record say differently, a line each. What MPI_Alltoallv sends is not derived, so with IS the messages of
    its pairs are compared in the bucket of point-to-point messages only."""
    ours, theirs = counting.pairs_derived(derived), counting.pairs_recorded(profile)
    has_keys = any(operation == "alltoallv" for operation, _, _ in derived.collectives)
    empty = ([0] * 13, [0] * 13)
    found = []
    for pair in sorted(set(ours) | set(theirs)):
        left, right = ours.get(pair, empty), theirs.get(pair, empty)
        if has_keys:
            left, right = left[0][0], right[0][0]
        if left != right:
            found.append(f"{pair[0]} -> {pair[1]}: derived {left}, recorded {right}")
    calls = counting.calls_derived(derived), counting.calls_recorded(profile)
    if calls[0] != calls[1]:
        found.append(f"calls: derived {calls[0]}, recorded {calls[1]}")
    return found
