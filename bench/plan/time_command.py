# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Times `commmap plan` as the plugin asks for it: time_command.py COMMMAP BENCH_PLAN TREE RANKS ROUNDS > rows.json

New: without a kept plan. Within one second: as with plan-seconds=1. Kept: the answer is there already. The medians of
wall clock and user time; peak memory is the largest.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

PUS_PER_NODE = {"three-level": 64, "flat": 2}


def run(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    decision = next(line for line in done.stdout.splitlines() if line.startswith("decision ")).split()[1]
    return {"seconds": seconds, "user_seconds": after.ru_utime - before.ru_utime, "decision": decision}


def main():
    commmap, bench_plan, tree, ranks, rounds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
    nodes = ranks // PUS_PER_NODE[tree]
    rows = []
    with tempfile.TemporaryDirectory(prefix="commmap-bench-") as work:
        subprocess.run([bench_plan, tree, str(ranks), work], check=True)
        question = [commmap, "plan", "--profile", f"{work}/profile.commmap", "--cluster", f"{work}/cluster.yaml",
                    "--profile-dir", work, "--ntasks", str(ranks), "--nodelist", f"n[0-{nodes - 1}]",
                    "--cpus-per-node", f"{PUS_PER_NODE[tree]}(x{nodes})"]
        off = [*question, "--plan-cache", "off"]
        for part, command in (("command, new plan", off), ("command, within one second", [*off, "--budget", "0.6"]),
                              ("command, kept plan", question)):
            if part == "command, kept plan":
                run(command)  # keeps it
                if not os.listdir(f"{work}/plans-{os.geteuid()}"):
                    sys.exit("no plan was kept")
            taken = [run(command) for _ in range(rounds)]
            rows.append({"tree": tree, "ranks": ranks, "part": part,
                         "seconds": statistics.median(one["seconds"] for one in taken),
                         "user_seconds": statistics.median(one["user_seconds"] for one in taken),
                         "peak_mib": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
                         "decision": taken[-1]["decision"]})
    print(json.dumps(rows, indent=2))


main()
