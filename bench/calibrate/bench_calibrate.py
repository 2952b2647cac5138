# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What `commmap calibrate` says of links whose rates the kernel sets: bench_calibrate.py PREFIX TESTBED > rows.json

PREFIX is where commmap is installed, TESTBED the name of the emulated clusters. Each case is an emulated cluster of its own. A row has a rate that was set, its payload
(the rate without the headers of TCP), and what was measured. Rows of NetPIPE have the time of one message between the same
nodes beside the time by the numbers of calibrate. Rows of switches have what two pairs get together below one. Rows of overheads have those that overheads.c measures.
"""

import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTBED = ROOT / "tests" / "testbed" / "testbed"
PAYLOAD = 0.957  # 1448 of 1514 bytes: what a token bucket counts of a TCP segment; a wire has 1538
UNITS = {"B/s": 1.0, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "B": 1, "KiB": 1024, "MiB": 1 << 20}
# name -> rates in Mbit/s: out of a node, into a node, of an uplink, of all that passes a switch (None: not limited)
CASES = {"100": (100, 100, 100, None), "50": (50, 50, 50, None), "10": (10, 10, 10, None), "out 20, in 50": (20, 50, 50, None),
         "trunk of half": (100, 100, 50, None), "slow switch": (100, 100, 100, 130)}


def value(text):
    number, unit = str(text).split()
    return float(number) * UNITS[unit]


def shape_of(out, into, uplink, switch):
    leaf = {"class": "dual", "link": "trunk", **({"max_bandwidth": f"{switch} Mbit/s"} if switch else {})}
    return {"version": 1, "name": "calibrate",
            "links": {"port": {"out": {"bandwidth": f"{out} Mbit/s"}, "in": {"bandwidth": f"{into} Mbit/s"}, "latency": "60 us"},
                      "trunk": {"bandwidth": f"{uplink} Mbit/s", "latency": "60 us"}},
            "node_classes": {"dual": {"hwloc": {"synthetic": "core:2 pu:1"}, "link": "port"}},
            "switches": {"core": {"switches": ["s0", "s1"]},
                         "s0": {"nodes": "m[0-3]", **leaf}, "s1": {"nodes": "m[4-7]", **leaf}},
            "x-emulation": {"subnets": "10.78.0.0/16", "burst": "8 KiB"}}


def time_of(link, length):
    """The time of a message by a link's numbers, as in docs/admin/cluster-yaml.md."""
    curve = link["bandwidth"]
    points = sorted((value(key), value(rate)) for key, rate in curve.items()) if isinstance(curve, dict) else [(1.0, value(curve))]
    if length <= points[0][0]:
        rate = points[0][1]
    elif length >= points[-1][0]:
        rate = points[-1][1]
    else:
        (x0, y0), (x1, y1) = next((a, b) for a, b in zip(points, points[1:]) if a[0] <= length < b[0])
        rate = y0 + (y1 - y0) * math.log2(length / x0) / math.log2(x1 / x0)
    return value(link["latency"]) + length / rate


def maximum(link, direction):
    return value(link.get(direction, {}).get("max_bandwidth") or link["max_bandwidth"])


class Testbed:
    def __init__(self, name, shape):
        self.name, self.shape = name, shape

    def __enter__(self):
        subprocess.run([TESTBED, "--name", self.name, "up", self.shape], check=True, stdout=sys.stderr)
        return self

    def __exit__(self, *_):
        subprocess.run([TESTBED, "--name", self.name, "down"], check=True, stdout=sys.stderr)

    def num_nodes(self):
        return len(self.run("sinfo", "--noheader", "--Node", "--format=%N").split())

    def run(self, *words):
        return subprocess.run([TESTBED, "--name", self.name, "exec", *map(str, words)], check=True, stdout=subprocess.PIPE, text=True, cwd="/tmp").stdout


def rows_of_rates(name, rates, links, seconds):
    out, into, uplink, _ = rates
    # Streams across the trunk begin and end at nodes, which may be slower than the trunk; three pairs or more fill it.
    crossing = min(uplink, 4 * min(out, into))
    port, trunk = links["port"], links.get("trunk", links["port"])
    for what, link, direction, rate in (("port", port, "out", out), ("port", port, "in", into), ("uplink", trunk, "out", crossing)):
        measured = maximum(link, direction) * 8e-6
        yield {"case": name, "what": what, "direction": direction, "set_mbit_per_s": rate, "payload_mbit_per_s": PAYLOAD * rate,
               "measured_mbit_per_s": measured, "error_percent": 100 * (measured / (PAYLOAD * rate) - 1), "seconds": seconds}
    alone = value(max(port["bandwidth"].items(), key=lambda point: value(point[0]))[1] if isinstance(port["bandwidth"], dict) else port["bandwidth"]) * 8e-6
    rate = min(out, into)
    yield {"case": name, "what": "one pair", "direction": "slower", "set_mbit_per_s": rate, "payload_mbit_per_s": PAYLOAD * rate,
           "measured_mbit_per_s": alone, "error_percent": 100 * (alone / (PAYLOAD * rate) - 1), "seconds": seconds}


def row_of_switch(name, set_mbit_per_s, text):
    """What two pairs get below a switch, of the comment on it."""
    together, verdict = re.search(r"# switch 's0': .*? get (\S+ \S+) together .*: (.*)", text).groups()
    measured = value(together) * 8e-6
    error = 100 * (measured / (PAYLOAD * set_mbit_per_s) - 1) if set_mbit_per_s else None
    return {"case": name, "switch_set_mbit_per_s": set_mbit_per_s, "two_pairs_mbit_per_s": measured, "is_limit": verdict == "the switch is the limit",
            "error_percent": error}


def rows_of_netpipe(testbed, name, link, work):
    result = work / "netpipe"
    testbed.run("srun", "-Q", "-N2", "-n2", "--ntasks-per-node=1", "-wm0,m1", "NPopenmpi", "-p", "0", "-u", "1048576", "-o", result)
    for line in result.read_text(encoding="ascii").splitlines():
        length, _, seconds = map(float, line.split()[:3])
        if length < 16 or math.log2(length) % 1:
            continue
        by_numbers = time_of(link, length)
        yield {"case": name, "length_bytes": int(length), "netpipe_us": 1e6 * seconds, "by_numbers_us": 1e6 * by_numbers,
               "error_percent": 100 * (by_numbers / seconds - 1)}


def overheads_of(text):
    """Seconds in MPI_Send and in MPI_Recv, of the comment on a link."""
    found = re.search(r"a short message takes (\S+ \S+) to send \(.*?\), (\S+ \S+) to receive", text)
    return value(found[1]), value(found[2])


def rows_of_overheads(testbed, name, text, work):
    program = work / "overheads"
    subprocess.run(["mpicc.openmpi", "-O2", "-o", program, pathlib.Path(__file__).parent / "overheads.c"], check=True)
    direct = map(float, testbed.run("srun", "-Q", "-N2", "-n2", "--ntasks-per-node=1", "-wm0,m1", program).split())
    for what, by_program, by_calibrate in zip(("send", "receive"), direct, overheads_of(text)):
        yield {"case": name, "overhead": what, "direct_us": 1e6 * by_program, "calibrate_us": 1e6 * by_calibrate,
               "error_percent": 100 * (by_calibrate / by_program - 1)}


def main():
    prefix, name_of_testbed = pathlib.Path(sys.argv[1]), sys.argv[2]
    rates, switches, netpipe, overheads = [], [], [], []
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        work = pathlib.Path(place)
        work.chmod(0o777)
        shape = work / "cluster.yaml"
        for name, numbers in CASES.items():
            shape.write_text(yaml.safe_dump(shape_of(*numbers), sort_keys=False), encoding="utf-8")
            with Testbed(name_of_testbed, shape) as testbed:
                begin = time.monotonic()
                text = testbed.run("salloc", "-Q", "-N8", "--exclusive", prefix / "bin" / "commmap", "calibrate", "-o", "-", shape)
                links = yaml.safe_load(text)["links"]
                rates += rows_of_rates(name, numbers, links, time.monotonic() - begin)
                switches.append(row_of_switch(name, numbers[3], text))
                if name == "100":
                    netpipe += rows_of_netpipe(testbed, name, links["port"], work)
                    overheads += rows_of_overheads(testbed, name, text, work)
            print(text, file=sys.stderr, flush=True)
    json.dump(rates + switches + netpipe + overheads, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
