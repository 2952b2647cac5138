# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What recording adds to a small message: bench_recorder.py [--smoke] [--against OTHER] LIBRARY_DIRECTORY ROUNDS > rows.json

One row for each MPI, call and number of threads (send_cost.c), and each of: counting (COMMMAP_RECORD_TIME=0), timed, and
with Open MPI its own pml_monitoring. Each round runs all of them and one without anything, in turn; added_ns is the
median of the differences within a round, base_ns that of the runs without. A run that did not record ends it.

--against OTHER: the libraries of another build instead, in turn with these. Each row has the minimum of all rounds by both:
least_ns, other_ns.

--smoke measures nothing: it makes every row with a few messages and lets ranks that wait yield, so that a test of this
program does not need CPUs of its own.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import open_mpi

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "..", "tests", "support"))

import patience

CALLS = [("proc_null", 1), ("self", 1), ("ping_pong", 2)]  # name, ranks
THREADS = [1, 4]
LIMIT = 120  # seconds, more on a busy machine
SMOKE_MESSAGES = 20  # MPICH's ranks never yield: on a busy machine each message may cost a time slice
SMOKE = {"OMPI_MCA_mpi_yield_when_idle": "1"}
OPEN_MPI = {**open_mpi.ENVIRONMENT, "OMPI_MCA_hwloc_base_binding_policy": "none"}
MPICH = {"UCX_TLS": "sm,self", "MPIR_CVAR_CH4_NUM_VCIS": "1"}


class Bench:
    def __init__(self, library_directory, work, smoke):
        self.libraries = {mpi: os.path.join(library_directory, f"libcommmap_hooks_{name}.so") for mpi, name in (("openmpi", "ompi"), ("mpich", "mpich"))}
        self.work, self.smoke = work, smoke
        for mpi in self.libraries:
            patience.run([f"mpicc.{mpi}", "-O2", "-w", "-pthread", "-o", f"{work}/{mpi}", f"{HERE}/send_cost.c"], check=True)

    def run(self, mpi, call, ranks, threads, mode):
        program = [f"{self.work}/{mpi}", call, str(threads), *([str(SMOKE_MESSAGES)] if self.smoke else [])]
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("COMMMAP", "OMPI", "SLURM", "LD_PRELOAD"))}
        recorded = mode in ("counting", "timed")
        profiles = os.path.join(self.work, "profiles")
        if recorded:
            environment.update(RECORDER=self.libraries[mpi], COMMMAP_PROFILE_DIR=profiles, COMMMAP_RECORD_TIME="01"[mode == "timed"])
            program = [sys.executable, f"{HERE}/with_memory.py", *program]
        if mpi == "openmpi":
            command = ["mpirun.openmpi", "-n", str(ranks), *program]
            environment.update(OPEN_MPI | (SMOKE if self.smoke else {}), OMPI_MCA_orte_tmpdir_base=self.work)  # as in mpi_job.py
            output = os.path.join(self.work, "monitored")
            if mode == "monitoring":
                environment.update(open_mpi.monitored(output))
        else:
            command = ["mpiexec.hydra", "-n", str(ranks), *program]
            environment.update(MPICH)
        done = patience.run(command, seconds=LIMIT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"bench_recorder.py: {' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        if mode == "monitoring":
            os.remove(f"{output}.0.prof")  # written by monitoring alone
        return float(done.stdout)


def combinations():
    """(threads, call, ranks)"""
    for threads in THREADS:
        for call, ranks in CALLS:
            if threads * ranks <= 2 * os.cpu_count():  # else they would only wait for each other's CPUs
                yield threads, call, ranks


def added(bench, rounds):
    for mpi in bench.libraries:
        modes = ["counting", "timed"] + (["monitoring"] if mpi == "openmpi" else [])
        for threads, call, ranks in combinations():
            rounded = [{mode: bench.run(mpi, call, ranks, threads, mode) for mode in ["none", *modes]} for _ in range(rounds)]
            for mode in modes:
                more = sorted(each[mode] - each["none"] for each in rounded)
                yield {"mpi": mpi, "call": call, "threads": threads, "mode": mode,
                       "base_ns": round(statistics.median(each["none"] for each in rounded), 1),
                       "added_ns": round(statistics.median(more), 1), "from_ns": round(more[len(more) // 4], 1),
                       "to_ns": round(more[-1 - len(more) // 4], 1), "rounds": rounds}


def least(bench, other, rounds):
    for mpi in bench.libraries:
        for threads, call, ranks in combinations():
            for mode in ("counting", "timed"):
                both = [[each.run(mpi, call, ranks, threads, mode) for each in (bench, other)] for _ in range(rounds)]
                own_ns, other_ns = (round(min(times), 1) for times in zip(*both))
                yield {"mpi": mpi, "call": call, "threads": threads, "mode": mode, "least_ns": own_ns, "other_ns": other_ns, "rounds": rounds}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--against", metavar="OTHER")
    parser.add_argument("library_directory")
    parser.add_argument("rounds", type=int)
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="commmap-recorder-", dir="/var/tmp") as work:
        bench = Bench(arguments.library_directory, work, arguments.smoke)
        if arguments.against:
            found = least(bench, Bench(arguments.against, work, arguments.smoke), arguments.rounds)
        else:
            found = added(bench, arguments.rounds)
        for row in found:
            rows.append(row)
            print(row, file=sys.stderr)
    print(json.dumps(rows))


main()
