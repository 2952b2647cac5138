# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Whether `commmap calibrate --check` names what was made slow: bench_check.py PREFIX TESTBED [--count 20] [--first 0] [--kinds KIND;...] > rows.json

PREFIX is where commmap is installed, TESTBED the name of the emulated cluster (shape 8x2). Each row is one check: what was planted, what was named, and the seconds.
What is planted where comes from the number of the row, so the same rows come again.
"""

import argparse
import contextlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTBED = ROOT / "tests" / "testbed" / "testbed"
SHAPE = ROOT / "tests" / "testbed" / "shapes" / "8x2.yaml"
INDEX = pathlib.Path("/run/commmap-testbed/.index")
CPU_GROUPS = pathlib.Path("/sys/fs/cgroup/cpu")
SWITCHES = {"s0": [f"m{n}" for n in range(5)], "s1": [f"m{n}" for n in range(5, 8)]}
NODES = SWITCHES["s0"] + SWITCHES["s1"]
RATE = 100  # Mbit/s of every port of that shape
SLOW_PORT, SLOW_CPU, SLOW_TRUNK = 0.7, 0.7, 0.5
PERIOD_US = 100000  # of the kernel's limit of CPU time
LOAD = "while :; do :; done"
WORK = 400_000_000  # operations of a block, as in the check
MOST_TRIES = 4


def prefix_of(testbed):
    """The namespaces of a testbed are named after its number."""
    number = next(entry.name for entry in INDEX.iterdir() if pathlib.Path(os.readlink(entry)).name == testbed)
    return f"cmtb{number}"


def set_rate(namespace, device, share):
    subprocess.run(["tc", "-n", namespace, "qdisc", "change", "dev", device, "root", "tbf", "rate", f"{int(RATE * share * 1e6)}bit", "burst", "8192",
                    "latency", "50ms"], check=True)


@contextlib.contextmanager
def slow_devices(devices, share):
    try:
        for namespace, device in devices:
            set_rate(namespace, device, share)
        yield
    finally:
        for namespace, device in devices:
            set_rate(namespace, device, 1)


def seconds_of_work(testbed, prefix, node):
    """What the CPUs of a node take for a block of the check's work, beside one other node."""
    other = next(each for each in NODES if each != node)
    done = subprocess.run([TESTBED, "--name", testbed, "exec", "srun", "-Q", "-N8", "-n8", "--ntasks-per-node=1", "--input=0",
                           prefix / "lib" / "commmap" / "commmap-measure"], input=f"work {WORK} {node}>{node} {other}>{other}\n",
                          stdout=subprocess.PIPE, text=True, check=True, cwd="/tmp").stdout
    (line,) = [line for line in done.splitlines() if line.startswith("measured-pair 0 0 ")]
    return min(map(float, line.split()[4:]))


@contextlib.contextmanager
def slow_cpus(testbed, prefix, namespace, node, share):
    """The kernel's limit of CPU time for all processes of a node, such that the check's work takes 1 / share of the time. Other work
    on the machine takes CPU time too, so the limit is found by measuring."""
    wanted_s = seconds_of_work(testbed, prefix, node) / share
    group = CPU_GROUPS / namespace
    group.mkdir()
    try:
        for pid in subprocess.run(["ip", "netns", "pids", namespace], check=True, stdout=subprocess.PIPE, text=True).stdout.split():
            (group / "cgroup.procs").write_text(pid)
        (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        quota = share
        for _ in range(MOST_TRIES):
            (group / "cpu.cfs_quota_us").write_text(str(int(PERIOD_US * quota)))
            seconds = seconds_of_work(testbed, prefix, node)
            if abs(seconds / wanted_s - 1) < 0.05:
                break
            quota *= seconds / wanted_s
        yield
    finally:
        for pid in (group / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError):
                (CPU_GROUPS / "cgroup.procs").write_text(pid)
        for _ in range(50):
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.1)


def shape_with(nodes_of):
    shape = yaml.safe_load(SHAPE.read_text(encoding="utf-8"))
    for switch, nodes in nodes_of.items():
        shape["switches"][switch]["nodes"] = ",".join(nodes)
    return shape


def swapped(a, b):
    exchange = {a: b, b: a}
    return {switch: [exchange.get(node, node) for node in nodes] for switch, nodes in SWITCHES.items()}


@contextlib.contextmanager
def busy_machine():
    """Other work on both CPUs of the machine."""
    burners = [subprocess.Popen(["sh", "-c", LOAD]) for _ in range(2)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def plant(kind, chance, prefix, testbed, installed):
    """(what makes it slow, the shape that the check is given, what has to be named: kind, nodes, switches, directions)"""
    node = chance.choice(NODES)
    out, into = (f"{prefix}-{node}", "eth0"), (prefix, node)
    plain = shape_with({})
    if kind == "port out":
        return slow_devices([out], SLOW_PORT), plain, ("port", [node], ["out"])
    if kind == "port in":
        return slow_devices([into], SLOW_PORT), plain, ("port", [node], ["in"])
    if kind == "port both":
        return slow_devices([out, into], SLOW_PORT), plain, ("port", [node], ["out", "in"])
    if kind == "cpu":
        return slow_cpus(testbed, installed, f"{prefix}-{node}", node, SLOW_CPU), plain, ("node", [node], ["out"])
    if kind == "trunk":
        switch = chance.choice(list(SWITCHES))
        return slow_devices([(prefix, f"{switch}-up"), (prefix, f"{switch}-dn")], SLOW_TRUNK), plain, ("path", [], ["out", "in"])
    if kind == "swapped":
        pair = [chance.choice(nodes) for nodes in SWITCHES.values()]
        return contextlib.nullcontext(), shape_with(swapped(*pair)), ("swapped", pair, None)
    if kind == "clean":
        return contextlib.nullcontext(), plain, None
    assert kind == "clean, busy machine", kind
    return busy_machine(), plain, None


KINDS = ["port out", "port in", "port both", "cpu", "trunk", "swapped", "clean", "clean, busy machine"]


def is_named(wanted, outlier):
    kind, nodes, directions = wanted
    found = [value["direction"] for value in outlier["values"]]
    return outlier["kind"] == kind and sorted(outlier["nodes"]) == sorted(nodes) and (directions is None or sorted(found) == sorted(directions))


def row_of(kind, number, prefix, testbed, work, at_once):
    chance = random.Random(f"{kind} {number}")
    slow, shape, wanted = plant(kind, chance, prefix_of(testbed), testbed, prefix)
    file = work / "cluster.yaml"
    file.write_text(yaml.safe_dump(shape, sort_keys=False), encoding="utf-8")
    file.chmod(0o644)
    with slow:
        begin = time.monotonic()
        done = subprocess.run([TESTBED, "--name", testbed, "exec", "salloc", "-Q", "-N8", "--exclusive", prefix / "bin" / "commmap", "calibrate", "--check",
                               "--json", f"--at-once={at_once}", file], stdout=subprocess.PIPE, text=True, cwd="/tmp", check=False)
        seconds = time.monotonic() - begin
    report = json.loads(done.stdout) if done.stdout else {"outliers": [], "complete": False}
    named = [outlier for outlier in report["outliers"] if wanted and is_named(wanted, outlier)]
    return {"planted": kind, "number": number, "wanted": wanted, "named": len(named), "others": len(report["outliers"]) - len(named),
            "complete": report["complete"], "exit_code": done.returncode, "seconds": seconds, "load": os.getloadavg()[0],
            "said": [outlier["text"] for outlier in report["outliers"]]}


def summary(rows):
    """A line for each kind: in how many rows what was planted was named, and in how many anything else."""
    for kind in dict.fromkeys(row["planted"] for row in rows):
        of_kind = [row for row in rows if row["planted"] == kind]
        yield (f"{kind}: named in {sum(row['named'] > 0 for row in of_kind)} of {len(of_kind)}, something else in {sum(row['others'] > 0 for row in of_kind)}, "
               f"longest {max(row['seconds'] for row in of_kind):.0f} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("testbed")
    parser.add_argument("--count", type=int, default=20, help="rows of each kind; of clean runs beside other work a quarter")
    parser.add_argument("--first", type=int, default=0, help="number of the first row of each kind: other numbers plant elsewhere")
    parser.add_argument("--kinds", type=lambda text: text.split(";"), default=KINDS, help="separated by semicolons; all: " + ";".join(KINDS))
    parser.add_argument("--at-once", type=int, default=2)
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        work = pathlib.Path(place)
        work.chmod(0o777)
        subprocess.run([TESTBED, "--name", arguments.testbed, "up", SHAPE], check=True, stdout=sys.stderr)
        try:
            for kind in arguments.kinds:
                count = arguments.count if "busy" not in kind else (arguments.count + 3) // 4
                for number in range(arguments.first, arguments.first + count):
                    rows.append(row_of(kind, number, arguments.prefix, arguments.testbed, work, arguments.at_once))
                    print(rows[-1], file=sys.stderr, flush=True)
        finally:
            subprocess.run([TESTBED, "--name", arguments.testbed, "down"], check=True, stdout=sys.stderr)
    print("\n".join(summary(rows)), file=sys.stderr)
    json.dump(rows, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
