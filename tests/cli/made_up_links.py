# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""A cluster YAML, and measurements of its links: made up as if all links were alike but for some."""

CLUSTER = """version: 1
links: {port: {bandwidth: 100 Mbit/s, latency: 60 us}, trunk: {bandwidth: 1 Gbit/s}}
node_classes: {dual: {hwloc: {synthetic: "core:2 pu:1"}, link: port}}
switches:
  core: {switches: [s0, s1]}
  s0: {nodes: "m[0-4]", class: dual, link: trunk}
  s1: {nodes: "m[5-7]", class: dual, link: trunk}
"""

LATENCY, RATE = 116e-6, 12e6
EAGER = 61440  # the length at which both directions are compared with one
SHORT = {"gaps": 9e-6, "send-overheads": 2e-6, "receive-overheads": 3e-6}


def lengths(first, last):
    return [1 << exponent for exponent in range(first, last + 1)]


def series_of(pairs_there, pairs_back):
    """The series of a kind of ports, as the planner makes them."""
    streams = [65536, 262144, 1048576]
    return [("round-trips", lengths(0, 22), pairs_there[:1]), ("both-ways", [EAGER, *lengths(16, 22)], pairs_there[:1]),
            *((pattern, [8], pairs_there[:1]) for pattern in SHORT if pairs_back or pattern == "gaps"),
            *(("streams", [EAGER] * (n == 1) + streams, pairs_there[:n]) for n in range(1, len(pairs_there) + 1)),
            *(("streams", streams, pairs_back[:n]) for n in range(2, len(pairs_back) + 1))]


def measurements_of_switch(first, together):
    pairs = ["m0>m2", "m1>m3"]
    yield from (f"series together 65536,1048576 {' '.join(pairs[:n])}" for n in (1, 2))
    for number, rates in ((first, [RATE]), (first + 1, [together / 2] * 2)):
        yield from (f"measured-pair {number} {pair} 65536 {rate} {rate * 0.98}" for pair, rate in enumerate(rates))


def measurements_inside(first, rate):
    pair = "m0:0>m0:1"
    quadrupling = [4 ** exponent for exponent in range(12)]
    streams = [65536, 262144, 1048576]
    yield from (f"series {pattern} {','.join(map(str, all_lengths))} {pair}"
                for pattern, all_lengths in (("round-trips", quadrupling), ("gaps", [8]), ("streams", streams)))
    yield from (f"measured {first} {length} {1e-6 + length / rate}" for length in quadrupling)
    yield f"measured {first + 1} 8 5e-7"
    yield from (f"measured {first + 2} {length} {rate} {rate * 0.98}" for length in streams)


def measurements(uplink=RATE, into=RATE, complete=True, short=True, half=False, switch=None, inside=None):
    """Of the cluster above: five nodes for the ports, three pairs for the uplinks.

    @param short  with short messages, which the first release of calibrate did not measure
    @param half   ports of nodes are half duplex, and blocks are nearly the same
    @param switch what two pairs below s0 get together; None: switches were not measured
    @param inside what a core gets to the other one; None: nodes were not measured inside
    """
    ports = series_of([f"m0>m{n}" for n in range(1, 5)], [f"m{n}>m0" for n in range(1, 5)])
    uplinks = series_of([f"m{n}>m{n + 5}" for n in range(3)], [])
    ports, uplinks = ([series for series in all_series if short or series[0] not in SHORT] for all_series in (ports, uplinks))
    lines = ["commmap-measurements 1", "date 2026-11-29", "job 7", "nodes " + " ".join(f"m{n}" for n in range(8)), "library Open MPI v4.1.4"]
    lines += [f"series {pattern} {','.join(map(str, all_lengths))} {' '.join(pairs)}" for pattern, all_lengths, pairs in ports + uplinks]
    for number, (pattern, all_lengths, pairs) in enumerate(ports + uplinks):
        rate = uplink if number >= len(ports) else min(RATE, into)
        for length in all_lengths:
            value = {"round-trips": LATENCY + length / rate, "both-ways": (1 if half else 2) * rate, **SHORT,
                     "streams": RATE if len(pairs) > 1 and pairs[0].startswith("m0>") and number < len(ports) else rate}[pattern]
            values = (value, value * 1.25) if pattern == "round-trips" or pattern in SHORT else (value, value * (0.9 if half else 0.75))
            lines.append(f"measured {number} {length} {values[0]} {values[1]}")
    if switch is not None:
        lines += measurements_of_switch(len(ports + uplinks), switch)
    if inside is not None:
        lines += measurements_inside(len(ports + uplinks) + 2 * (switch is not None), inside)
    return "\n".join(lines + ["complete"] * complete) + "\n"
