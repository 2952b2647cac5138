#!/usr/bin/python3
"""A planner whose answers are known beforehand. FAKE_PLAN: reverse (default), keep, decline, or a way to fail.

FAKE_STARTED: a file that is made once it hangs.
"""

import argparse
import os
import signal
import sys
import time


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("verb", choices=["plan"])
    for name in ("command", "nodelist", "cpus-per-node", "cluster", "profile-dir", "rank0"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--ntasks", type=int, required=True)
    parser.add_argument("--threshold", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def reverse(given):
    """As Slurm lays tasks out, with the nodes in reverse order and the CPUs of each node too."""
    counts = [given.ntasks // 8 + (node < given.ntasks % 8) for node in range(8)]
    order = ",".join(f"{node}x{counts[node]}" for node in reversed(range(8)) if counts[node])
    if os.environ.get("FAKE_PLAN") == "wrong-hosts":
        order = f"0x{given.ntasks}"
    if os.environ.get("FAKE_PLAN") == "few-hosts":
        order = "0"
    patterns = {1: "1", 2: "1,0", 0: ""}
    used = sorted(set(counts))
    slots = "/".join(patterns[count] for count in used) + "@" + ",".join(f"{used.index(count)}x1" for count in counts)
    print("decision apply")
    print("tasks-per-node " + ",".join(str(count) for count in counts))
    print("order " + order)
    print("slots " + slots)


def main():
    given = arguments()
    way = os.environ.get("FAKE_PLAN", "reverse")
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
    print("commmap-plan 1")
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
