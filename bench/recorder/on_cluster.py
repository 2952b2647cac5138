# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Whole programs recorded beside the same without, on the emulated cluster: on_cluster.py PREFIX PROGRAMS ROUNDS > rows.json

PROGRAMS is the directory of the benchmark programs. 16 ranks on 8 nodes of one testbed,
or 4 on one for hpcc (HPL and its kin), which takes minutes over the network; the two take turns, the first of a
pair in turn. ratio is the median of recorded / plain within a pair, of srun's whole time; from and to its quartiles;
plain_spread the same of neighbouring plain runs: what the machine does by itself.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import hpcc

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TESTBED = os.path.join(ROOT, "tests", "testbed", "testbed")
MELT = os.path.join(ROOT, "bench", "lammps", "melt.in")


def commands(programs):
    return {
        "hpcc": ["hpcc"],
        "halo3d": [f"{programs}/halo3d", "--message-bytes", "20000", "--iterations", "100"],
        "butterfly": [f"{programs}/butterfly", "--message-bytes", "20000", "--iterations", "60"],
        "lammps": ["lmp", "-in", MELT, "-log", "none", *"-var nx 8 -var ny 8 -var nz 32 -var px 2 -var py 2 -var pz 4 -var steps 60".split()],
    }


def seconds(words):
    """Once the step before is gone: an srun that finds the nodes busy tries again later."""
    while b"." in subprocess.run("squeue -h -s -o %i | grep -E '[.][0-9]+$'", shell=True, stdout=subprocess.PIPE, check=False).stdout:
        time.sleep(0.02)
    begin = time.monotonic()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def measure(programs, rounds):
    rows = []
    for name, command in commands(programs).items():
        size = ["-N1", "-n4", "-O"] if name == "hpcc" else ["-N8", "-n16"]
        plain = ["srun", *size, "--commmap=off", *command]
        recorded = ["srun", *size, "--commmap=profile", *command]
        seconds(plain), seconds(recorded)
        pairs = []
        for turn in range(rounds):
            first, second = (plain, recorded) if turn % 2 == 0 else (recorded, plain)
            times = {tuple(first): seconds(first), tuple(second): seconds(second)}
            pairs.append((times[tuple(plain)], times[tuple(recorded)]))
        ratios = sorted(after / before for before, after in pairs)
        alone = [one for one, _ in pairs]
        spread = sorted(later / earlier for earlier, later in zip(alone, alone[1:]))
        rows.append({"program": name, "plain_s": round(statistics.median(alone), 3), "ratio": round(statistics.median(ratios), 3),
                     "ranks": int(size[1][2:]), "from": round(ratios[len(ratios) // 4], 3), "to": round(ratios[-1 - len(ratios) // 4], 3),
                     "plain_spread": [round(spread[len(spread) // 4], 3), round(spread[-1 - len(spread) // 4], 3)], "rounds": rounds})
        print(rows[-1], file=sys.stderr)
    return rows


def main():
    if sys.argv[1] == "--inside":
        programs, rounds, target = sys.argv[2], int(sys.argv[3]), sys.argv[4]
        with open(target, "w", encoding="utf-8") as file:
            json.dump(measure(programs, rounds), file)
        return
    prefix, programs, rounds = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    name, work = f"recorded{os.getpid()}", tempfile.mkdtemp(prefix="commmap-recorded-", dir="/var/tmp")
    testbed = [TESTBED, "--name", name]
    try:
        with open(f"{work}/plugstack.conf", "w", encoding="utf-8") as file:
            file.write(f"optional {prefix}/lib/commmap/commmap.so\n")
        subprocess.run([*testbed, "up", "8x2", "--plugstack", f"{work}/plugstack.conf"], check=True, stdout=subprocess.DEVNULL)
        try:
            environment = {key: value for key, value in os.environ.items() if not key.startswith(("COMMMAP", "SLURM"))}
            environment |= {"COMMMAP_PROFILE_DIR": f"{work}/profiles", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
            with open(f"{work}/hpccinf.txt", "w", encoding="utf-8") as file:
                file.write(hpcc.settings(size=200, block=20, rows=2, columns=2))
            subprocess.run([*testbed, "exec", "salloc", "-Q", "-N8", "-n16", sys.executable, os.path.abspath(__file__), "--inside", programs,
                            rounds, f"{work}/rows.json"], check=True, env=environment, cwd=work)
            recorded = {name.split("-np")[0] for name in os.listdir(f"{work}/profiles")}  # a file for each run
            if len(recorded) != len(commands(programs)):
                sys.exit("on_cluster.py: not every program was recorded")
        finally:
            subprocess.run([*testbed, "down"], check=False, stdout=subprocess.DEVNULL)
        with open(f"{work}/rows.json", encoding="utf-8") as file:
            print(file.read())
    finally:
        shutil.rmtree(work)


main()
