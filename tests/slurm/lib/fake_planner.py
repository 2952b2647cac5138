#!/usr/bin/python3 -SE
# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""A planner whose answers are known beforehand. FAKE_PLAN: reverse (default), swap, keep, decline, or a way to fail.

FAKE_ANSWER: the version of the answer, 2 (default) or 1, for a srun of an older build.
FAKE_INSIDE: what runs inside the tasks where --inside asks for it. FAKE_STARTED: a file that is made once it hangs.
FAKE_RUN: a shell command, run before it answers. FAKE_ASKED: a file for what it was asked, as JSON.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time

from fake_planner_args import counts_of


WORD_OF_CPU_SETS = {"1": "slots", "2": "cpu-sets"}


def answer_version():
    return os.environ.get("FAKE_ANSWER", "2")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("verb", choices=["plan"])
    for name in ("command", "chdir", "nodelist", "cpus-per-node", "cluster", "profile-dir", "rank0"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--ntasks", type=int, required=True)
    parser.add_argument("--cpus-per-task", type=int, default=1)
    parser.add_argument("--layout")
    parser.add_argument("--keep", choices=["none", "blocks", "order"], required=True)
    parser.add_argument("--plan-cache", choices=["on", "off"], required=True)
    parser.add_argument("--threshold", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--budget", type=float, required=True)
    parser.add_argument("--plan-threads", type=int, required=True)
    parser.add_argument("--site-profiles")
    parser.add_argument("--tag")
    parser.add_argument("--profile-readers")
    parser.add_argument("--report")
    parser.add_argument("--left-alone")
    parser.add_argument("--collectives")
    parser.add_argument("--inside")
    parser.add_argument("--inside-table")
    parser.add_argument("--verbose", action="store_true")
    words = sys.argv[1:]
    return parser.parse_args(words[:words.index("--")] if "--" in words else words)


def default_layout(given):
    """As Slurm lays tasks out: dealt to the nodes in turn, as long as they have CPUs."""
    room = [cpus // given.cpus_per_task for cpus in counts_of(given.cpus_per_node, "(x")]
    counts = [0] * len(room)
    while sum(counts) < given.ntasks:
        for node, most in enumerate(room):
            if counts[node] < most and sum(counts) < given.ntasks:
                counts[node] += 1
    return [node for node, count in enumerate(counts) for _ in range(count)]


def reverse(given):
    """The last rank where the first was, and the CPUs of each node in reverse order too."""
    # "topology": block in the order of the switches, which is that of the names in the testbed's shapes
    layout = counts_of(given.layout, "x") if given.layout not in (None, "topology") else default_layout(given)
    counts = [layout.count(node) for node in range(len(counts_of(given.cpus_per_node, "(x")))]
    order = ",".join(str(node) for node in (layout if given.keep == "order" else reversed(layout)))
    if os.environ.get("FAKE_PLAN") == "swap":  # every second rank of the reverse order first: no two neighbours together
        order = ",".join(str(node) for node in layout[::-1][::2] + layout[::-1][1::2])
    if os.environ.get("FAKE_PLAN") == "wrong-hosts":
        order = f"0x{given.ntasks}"
    if os.environ.get("FAKE_PLAN") == "few-hosts":
        order = "0"
    used = sorted(set(counts))
    patterns = [",".join(str(index) for index in reversed(range(count))) for count in used]
    cpu_sets = "/".join(patterns) + "@" + ",".join(f"{used.index(count)}x1" for count in counts)
    print("decision apply")
    print("tasks-per-node " + ",".join(str(count) for count in counts))
    print("order " + order)
    print(f"{WORD_OF_CPU_SETS[answer_version()]} {cpu_sets}")


def main():
    given = arguments()
    way = os.environ.get("FAKE_PLAN", "reverse")
    if "FAKE_ASKED" in os.environ:
        with open(os.environ["FAKE_ASKED"], "w", encoding="utf-8") as file:
            json.dump(vars(given), file)
    if "FAKE_RUN" in os.environ:
        subprocess.run(["sh", "-c", os.environ["FAKE_RUN"]], stdout=subprocess.DEVNULL, check=True)
    if way == "exit":
        sys.exit("no idea")
    if way == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if way == "hang":
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        if "FAKE_STARTED" in os.environ:
            open(os.environ["FAKE_STARTED"], "w", encoding="utf-8").close()
        time.sleep(1000)
    if way == "memory":
        bytearray(8 << 30)
    if way == "empty":
        return
    print(f"commmap-plan {answer_version()}")
    if "FAKE_INSIDE" in os.environ and given.inside == "collectives":
        print("inside " + os.environ["FAKE_INSIDE"])
    if given.verbose:
        print(f"line {given.ntasks} tasks on {given.nodelist} with {given.cpus_per_node}")
    if way in ("keep", "decline"):
        print(f"line I {way}" if way == "decline" else "decision keep")
        if way == "decline":
            print("decision decline")
    else:
        reverse(given)
    if way != "no-end":
        print("end")


main()
