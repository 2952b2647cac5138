# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Times `commmap plan` on the recorded profiles: time_profiles.py COMMMAP RUNS [PROFILE...] > rows.json

Each profile is planned as the plugin asks for it, without a kept plan and without a budget, RUNS times: those of 16 ranks for
the shape 8x2, those of 256 ranks (NAME-256) for bench/profiles/16x16.yaml.
cpu_ms is the median of user and system time of the whole process, wall_ms that of the time of day. port_cost_s is what the
cheapest placement costs, to_block that over Slurm's own. Without profiles: all of bench/profiles.
"""

import glob
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# ranks -> cluster, nodes, CPUs of the nodes
MACHINES = {16: (f"{ROOT}/tests/testbed/shapes/8x2.yaml", "m[0-7]", "2(x8)"),
            256: (f"{ROOT}/bench/profiles/16x16.yaml", "n[0-15]", "16(x16)")}


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(command):
    """milliseconds of CPU and of wall time, and what was printed"""
    before, begin = cpu_seconds(), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return 1000 * (cpu_seconds() - before), 1000 * (time.perf_counter() - begin), done.stdout


def name_of(profile):
    return os.path.basename(profile).removesuffix(".commmap")


def num_ranks(profile):
    return 256 if name_of(profile).endswith("-256") else 16


def question(profile, work):
    """Arguments of commmap."""
    ranks = num_ranks(profile)
    cluster, nodes, cpus = MACHINES[ranks]
    return ["plan", "--profile", profile, "--cluster", cluster, "--profile-dir", work, "--ntasks", str(ranks),
            "--nodelist", nodes, "--cpus-per-node", cpus, "--plan-cache", "off", "--threshold", "0"]


def row(commmap, runs, profile, work):
    report = f"{work}/report.json"
    command = [commmap, *question(profile, work)]
    subprocess.run([*command, "--report", report], check=True, stdout=subprocess.DEVNULL)
    with open(report, encoding="utf-8") as file:
        candidates = json.load(file)["candidates"]
    cheapest = min(candidates, key=lambda candidate: candidate["port_cost_s"])
    taken = [timed(command) for _ in range(runs)]
    return {"profile": name_of(profile), "ranks": num_ranks(profile), "runs": runs,
            "cpu_ms": round(statistics.median(cpu for cpu, _, _ in taken), 2),
            "wall_ms": round(statistics.median(wall for _, wall, _ in taken), 2), "best": cheapest["name"],
            "port_cost_s": cheapest["port_cost_s"], "to_block": round(cheapest["port_cost_s"] / candidates[0]["port_cost_s"], 4)}


def main():
    commmap, runs = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    profiles = sys.argv[3:] or sorted(glob.glob(f"{ROOT}/bench/profiles/*.commmap"))
    with tempfile.TemporaryDirectory(prefix="commmap-bench-") as work:
        rows = [row(commmap, runs, os.path.abspath(profile), work) for profile in profiles]
    print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
