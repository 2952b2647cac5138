# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The measurements of Riesen, "Communication Patterns", Sec. 3, of a profile that commmap recorded or of what was derived.

Riesen counts a collective as messages between rank 0, or its root, and all others, whatever the MPI library sends (Sec. 3.1).
"""

import collections

LIMITS = [16 << 2 * i for i in range(12)]  # of the buckets: the thirteenth has none
TO_ALL = {"bcast", "scatter", "barrier", "allreduce", "alltoall", "alltoallv", "allgather"}
TO_ROOT = {"reduce", "gather", "barrier", "allreduce", "alltoall", "alltoallv", "allgather"}


def bucket_of(length):
    return next((i for i, limit in enumerate(LIMITS) if length <= limit), len(LIMITS))


def in_buckets(lengths):
    """lengths: (length, messages) pairs. Returns 13 numbers of messages."""
    counts = [0] * (len(LIMITS) + 1)
    for length, messages in lengths:
        counts[bucket_of(length)] += messages
    return counts


def pairs_derived(derived):
    """(source, destination) -> 13 numbers of messages and 13 of bytes, of point-to-point messages."""
    pairs = collections.defaultdict(lambda: ([0] * 13, [0] * 13))
    for (source, destination, elements, element), times in derived.messages.items():
        messages, sizes = pairs[source, destination]
        messages[bucket_of(elements * element)] += times
        sizes[bucket_of(elements * element)] += times * elements * element
    return dict(pairs)


def pairs_recorded(profile):
    """The same, of a profile in JSON. Has what MPI_Alltoallv sends as well."""
    pairs = collections.defaultdict(lambda: ([0] * 13, [0] * 13))
    for phase in profile["phases"]:
        for source, peers in enumerate(phase["sent_by_rank"]):
            for peer in peers:
                for i in range(13):
                    pairs[source, peer["peer"]][0][i] += peer["messages"][i]
                    pairs[source, peer["peer"]][1][i] += peer["bytes"][i]
    return dict(pairs)


def calls_derived(derived):
    """operation -> calls of one rank."""
    calls = collections.Counter()
    for (operation, _, _), times in derived.collectives.items():
        calls[operation] += times
    return dict(calls)


def calls_recorded(profile):
    """Those on communicators of one rank count too: no benchmark here uses any."""
    calls = collections.Counter()
    for collective in profile["collectives"]:
        v = "v" if collective["operation"] == "alltoall" and collective["in_peer_traffic"] else ""  # one name for both in a profile
        calls[collective["operation"] + v] += collective["calls"]
    return dict(calls)


def density(ranks, pairs, calls):
    """(source, destination) -> messages as Riesen counts them (Sec. 3.1, Fig. 4)."""
    counts = collections.Counter({pair: sum(messages) for pair, (messages, _) in pairs.items()})
    for operation, times in calls.items():
        for rank in range(1, ranks):
            if operation in TO_ALL:
                counts[0, rank] += times
            if operation in TO_ROOT:
                counts[rank, 0] += times
    return counts


def share_of_collectives(ranks, pairs, calls):
    """Calls of collectives by their share of all operations. Point-to-point messages are counted per rank (Sec. 3.3)."""
    messages = sum(sum(counts) for counts, _ in pairs.values()) / ranks
    collectives = sum(calls.values())
    return collectives / (collectives + messages) if collectives + messages else 0.0
