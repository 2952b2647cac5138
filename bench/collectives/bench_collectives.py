# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What `auto,inside=collectives` gains: bench_collectives.py PREFIX TESTBED WORK > rows.json

PREFIX is where commmap is installed, TESTBED the name of the emulated cluster (8x2). WORK is a directory for what is measured on the
way: a run that was ended goes on from there. What WORK keeps is removed when all is measured.
The choice and the measurement are in different jobs: `commmap calibrate --collectives` measures the times by which a launch
chooses, then each order of ranks is launched with what was chosen. commmap-measure times each call in paired rounds, natively
and as the program makes it. A row has medians, and the 95 % interval of the median gain.
"""

import json
import math
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTBED = ROOT / "tests" / "testbed" / "testbed"
SHAPE = ROOT / "tests" / "testbed" / "shapes" / "8x2.yaml"
sys.path.insert(0, str(ROOT / "bench" / "estimate"))
import interval

RANKS, NODES = 16, 8
ROUNDS = 21
BUFFERS = [1 << power for power in range(6, 23)]  # 64 B to 4 MiB
PARTS = [1 << power for power in range(6, 19)]  # of each rank: to 256 KiB
CALLS = [(op, size) for op, sizes in (("bcast", BUFFERS), ("allreduce", BUFFERS), ("reduce", BUFFERS), ("allgather", PARTS), ("alltoall", PARTS))
         for size in sizes]
# A fixed order of nodes that is neither block nor cyclic, each twice.
RANDOM = [5, 2, 7, 0, 5, 3, 1, 6, 4, 0, 2, 6, 3, 7, 1, 4]


class Cluster:
    def __init__(self, name, plugstack):
        self.name, self.plugstack = name, plugstack

    def __enter__(self):
        subprocess.run([TESTBED, "--name", self.name, "up", SHAPE, "--plugstack", self.plugstack], check=True, stdout=sys.stderr)
        return self

    def __exit__(self, *_):
        subprocess.run([TESTBED, "--name", self.name, "down"], check=True, stdout=sys.stderr)

    def job(self, script, **variables):
        """Runs a script in a job of all nodes. Returns what it prints on standard output and error."""
        words = [TESTBED, "--name", self.name, "exec", "env", *(f"{name}={value}" for name, value in variables.items()),
                 "salloc", "-Q", f"-N{NODES}", f"-n{RANKS}", "--exclusive", "bash", "-c", script]
        done = subprocess.run(words, capture_output=True, text=True, cwd="/tmp")
        sys.stderr.write(done.stderr)
        if done.returncode != 0:
            raise SystemExit(f"the job ended with {done.returncode}: {script}")
        return done.stdout, done.stderr


def timed(text):
    """The rounds of each call: (operation, bytes) -> [(native seconds, other seconds), ...]"""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["timed"]:
            numbers = [float(word) for word in words[3:]]
            found[words[1], int(words[2])] = list(zip(numbers[::2], numbers[1::2]))
    return found


def choices(text):
    """What verbose said of each operation: operation -> [(from bytes, algorithm), ...]"""
    found = {}
    for op, size, algorithm in re.findall(r"commmap: inside: (\w+) from (\d+) B on: ([\w ]+)", text):
        found.setdefault(op, []).append((int(size), algorithm))
    return found


def choice_of(chosen, op, size):
    running = "native"
    for begin, algorithm in chosen.get(op, []):
        if begin <= size:
            running = algorithm
    return running


def row_of(layout, call, rounds, chosen):
    op, size = call
    gains = [native / other for native, other in rounds]
    low, high = interval.bounds(gains)
    return {"op": op, "bytes": size, "layout": layout, "native_ms": 1e3 * statistics.median(native for native, _ in rounds),
            "ours_ms": 1e3 * statistics.median(other for _, other in rounds), "gain": statistics.median(gains), "low": low, "high": high,
            "rounds": len(rounds), "choice": choice_of(chosen, op, size)}


def summaries(rows):
    """The goals of docs/user/inside.md: the mean gain of a layout, and its worst call."""
    for layout in dict.fromkeys(row["layout"] for row in rows):
        of_layout = [row for row in rows if row["layout"] == layout]
        worst = min(of_layout, key=lambda row: row["high"])
        for op in ("all", *dict.fromkeys(row["op"] for row in of_layout)):
            gains = [row["gain"] for row in of_layout if op in ("all", row["op"])]
            yield {"layout": layout, "summary_of": op, "geometric_mean_gain": math.exp(statistics.fmean(map(math.log, gains))),
                   "best": max(gains), "worst": min(gains), "calls": len(gains)}
        yield {"layout": layout, "worst_call": f"{worst['op']} {worst['bytes']} B", "low": worst["low"], "high": worst["high"],
               "choice": worst["choice"], "below_0.97": sum(row["high"] < 0.97 for row in of_layout)}


def main():
    prefix, name, work = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    work.mkdir(parents=True, exist_ok=True)
    work.chmod(0o777)
    table, calls, hosts, profiles = work / "collectives.yaml", work / "calls", work / "hosts", work / "profiles"
    calls.write_text("".join(f"{op} {size}\n" for op, size in CALLS), encoding="ascii")
    hosts.write_text("".join(f"m{node}\n" for node in RANDOM), encoding="ascii")
    measure = prefix / "lib/commmap/commmap-measure"
    plugstack = work / "plugstack.conf"
    plugstack.write_text(f"optional {prefix}/lib/commmap/commmap.so cluster={SHAPE}\n", encoding="utf-8")
    rows = []
    with Cluster(name, plugstack) as cluster:
        if not table.exists():
            cluster.job(f"{prefix}/bin/commmap calibrate {SHAPE} --collectives --ranks-per-node={RANKS // NODES} -o {table}")
        variables = {"COMMMAP_PROFILE_DIR": profiles, "COMMMAP_INSIDE_TABLE": table, "COMMMAP_CLUSTER": SHAPE}
        cluster.job(f"srun -n{RANKS} --commmap=profile {measure} </dev/null", **variables)
        for layout, options in (("block", ""), ("cyclic", "--distribution=cyclic"), ("random", "--distribution=arbitrary")):
            script = f"srun -n{RANKS} {options} --commmap=auto,keep=order,inside=collectives,verbose {measure} --collectives={ROUNDS} <{calls}"
            if layout == "random":
                script = f"SLURM_HOSTFILE={hosts} {script}"
            kept = work / f"{layout}.json"
            if not kept.exists():
                kept.write_text(json.dumps(cluster.job(script, **variables)), encoding="utf-8")
            out, err = json.loads(kept.read_text(encoding="utf-8"))
            found, chosen = timed(out), choices(err)
            if list(found) != CALLS:
                raise SystemExit(f"{layout}: {len(found)} of {len(CALLS)} calls were timed; is no rule chosen?")
            rows += [row_of(layout, call, found[call], chosen) for call in CALLS]
    print(json.dumps([*summaries(rows), *rows]))
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
