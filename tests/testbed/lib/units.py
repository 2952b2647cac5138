# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Quantities and hostlists of the cluster YAML (docs/admin/cluster-yaml.md)."""

import itertools
import re

from problem import Problem

_PREFIX = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"": 1, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


def _split(text, what):
    match = re.fullmatch(r"\s*([0-9.]+(?:e[+-]?\d+)?)\s*([A-Za-z/]+)\s*", str(text))
    if not match:
        raise Problem(f"{what} needs a number with a unit, not '{text}'")
    return float(match[1]), match[2]


def bits_per_second(text):
    number, unit = _split(text, "a bandwidth")
    match = re.fullmatch(r"([kMGT]?)(bit|B)/s|([KMG]i)B/s", unit)
    if not match:
        raise Problem(f"unknown unit of bandwidth in '{text}'")
    if match[3]:
        return number * _BINARY[match[3]] * 8
    return number * _PREFIX[match[1]] * (8 if match[2] == "B" else 1)


def bytes_of(text):
    number, unit = _split(text, "a length")
    match = re.fullmatch(r"(?:([kMG]?)|([KMG]i))B", unit)
    if not match:
        raise Problem(f"unknown unit of length in '{text}'")
    return int(number * (_BINARY[match[2]] if match[2] else _PREFIX[match[1]]))


def _numbers(brackets):
    for part in brackets.split(","):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part.strip())
        if not match:
            raise Problem(f"bad range '{part}' in a hostlist")
        first, last = match[1], match[2] or match[1]
        for number in range(int(first), int(last) + 1):
            yield f"{number:0{len(first)}d}"


def hostlist(text):
    """'a,b[1-2]' -> ['a', 'b1', 'b2']"""
    names = []
    for word in re.findall(r"(?:[^,\[\]]|\[[^\]]*\])+", str(text)):
        parts = re.split(r"\[([^\]]*)\]", word.strip())
        choices = [list(_numbers(p)) if i % 2 else [p] for i, p in enumerate(parts)]
        names += ["".join(choice) for choice in itertools.product(*choices)]
    return names
