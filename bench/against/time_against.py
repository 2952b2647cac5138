# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Compares the CPU time of two builds of the program commmap: time_against.py COMMMAP BASE ROUNDS [CASE...] > rows.json

Each case is run with both programs in turn, ROUNDS times: `commmap plan` on each profile of bench/profiles, as time_profiles.py
asks for it, and `commmap map` on each training graph. cpu_ms and base_cpu_ms are the minima of the user and system time of the
whole process. `same` says whether both programs chose the same placement. The last row of each part has sums, and the geometric
mean of the ratios. CASE is a profile's or a graph's name; without names all cases are run.
"""

import glob
import json
import os
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path += [os.path.join(ROOT, "bench", "mapping"), os.path.join(ROOT, "bench", "plan")]

import graph_sets
import time_profiles
from bench_mapping import DISTANCES
from mapping_cases import MACHINES
from mapping_summary import geometric_mean


def placement(answer):
    """The lines of a plan's decision and order, or of a mapping: the other lines have words that may change."""
    return [line for line in answer.splitlines() if line.startswith(("decision ", "order ")) or line.isdigit()]


def compared(part, case, programs, arguments, rounds):
    both = [[time_profiles.timed([program, *arguments]) for program in programs] for _ in range(rounds)]
    own_ms, base_ms = (min(cpu_ms for cpu_ms, _, _ in runs) for runs in zip(*both))
    texts = [placement(text) for _, _, text in both[0]]
    if not all(texts):
        sys.exit(f"time_against.py: {part} {case}: no placement was printed")
    return {"part": part, "case": case, "rounds": rounds, "cpu_ms": round(own_ms, 2), "base_cpu_ms": round(base_ms, 2),
            "ratio": round(own_ms / base_ms, 4), "same": texts[0] == texts[1]}


def cases(work, names):
    def is_wanted(name):
        return not names or name in names
    for profile in sorted(glob.glob(f"{ROOT}/bench/profiles/*.commmap")):
        if is_wanted(time_profiles.name_of(profile)):
            yield "plan", time_profiles.name_of(profile), time_profiles.question(profile, work)
    for ranks in graph_sets.SIZES:
        full = MACHINES[ranks][0]
        for graph in filter(lambda graph: is_wanted(graph.name), graph_sets.training(ranks)):
            file = f"{work}/graph"
            graph_sets.kinds.write(file, ranks, graph.make(), graph.renumber_seed)
            yield f"map {ranks}", graph.name, ["map", "--graph", file, "--tree", full.tree, "--distances", DISTANCES]


def mean(part, rows):
    return {"part": part, "case": "geometric mean", "rounds": rows[0]["rounds"], "cpu_ms": round(sum(row["cpu_ms"] for row in rows), 2),
            "base_cpu_ms": round(sum(row["base_cpu_ms"] for row in rows), 2),
            "ratio": round(geometric_mean([row["ratio"] for row in rows]), 4), "same": all(row["same"] for row in rows)}


def main():
    programs, rounds, names = [os.path.abspath(path) for path in sys.argv[1:3]], int(sys.argv[3]), sys.argv[4:]
    rows = []
    with tempfile.TemporaryDirectory(prefix="commmap-against-") as work:
        for part, case, arguments in cases(work, names):
            rows.append(compared(part, case, programs, arguments, rounds))
            print(rows[-1], file=sys.stderr)
    for part in list(dict.fromkeys(row["part"] for row in rows)):
        rows.append(mean(part, [row for row in rows if row["part"] == part]))
    print(json.dumps(rows, indent=2))


main()
