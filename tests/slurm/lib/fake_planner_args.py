# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What stands in the planner's arguments, read again."""

import re


def nodes_of(nodelist):
    """"m[0-2],m5" -> m0 m1 m2 m5"""
    nodes = []
    for prefix, ranges, single in re.findall(r"([^,\[]+)\[([^\]]+)\]|([^,]+)", nodelist):
        if single:
            nodes.append(single)
            continue
        for part in ranges.split(","):
            first, _, last = part.partition("-")
            nodes += [f"{prefix}{number}" for number in range(int(first), int(last or first) + 1)]
    return nodes


def counts_of(text, times):
    """"2(x3),1" with times "(x", "2x3,1" with times "x" -> 2 2 2 1"""
    numbers = []
    for run in text.split(","):
        number, _, count = run.partition(times)
        numbers += [int(number)] * int(count.rstrip(")") or 1)
    return numbers
