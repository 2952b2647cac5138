# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Random programs with collective calls: random_programs.py BUILD [--jobs NUMBER] [--first SEED] [--json FILE]

BUILD has libcommmap_inside_ompi.so and the program collectives_check, which makes the calls and compares their results. A job is one
run under mpirun. Its seed decides ranks, layout, rules and programs. Exits with 1 where a result is wrong, or a job has no end.
"""

import argparse
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

PROGRAMS_OF_A_JOB = 34
CALLS_OF_A_PROGRAM = 50
MOST_SECONDS_OF_A_JOB = 600
LAYOUTS = ("block", "cyclic", "random")
# Sizes of jobs: every one up to 17, the larger ones seldom, for they take long on few CPUs.
RANKS = [*range(2, 18)] * 4 + [*range(18, 34)]
SEGMENTS = (256, 999, 4096, 30000)
OWN = {"bcast": ["chain"], "allgather": ["ring"], "allreduce": ["ring"]}
TUNED = {
    "bcast": ["pipeline", "split_binary_tree", "binary_tree", "binomial", "scatter_allgather_ring"],
    "reduce": ["pipeline", "binary", "binomial", "rabenseifner"],
    "allreduce": ["recursive_doubling", "ring", "segmented_ring", "rabenseifner"],
    "allgather": ["bruck", "recursive_doubling", "ring", "neighbor"],
    "alltoall": ["linear", "pairwise"],
}
WITH_SEGMENTS = {"pipeline", "split_binary_tree", "binary_tree", "binary", "binomial", "segmented_ring"}
# A communicator has at most three others beside it: these need two in the order of the machine and one in the program's.
MOST_TUNED = {"bcast": 2, "reduce": 2, "allreduce": 2, "allgather": 1, "alltoall": 1}


def algorithms(draw, op):
    """The algorithms that one job has for an operation."""
    chosen = ["native"]
    for name in OWN.get(op, []):
        chosen.append(f"{name} {draw.choice(SEGMENTS)}" if name == "chain" else name)
    for name in draw.sample(TUNED[op], MOST_TUNED[op]):
        has_segment = name in WITH_SEGMENTS and draw.random() < 0.7
        chosen.append(f"tuned {name}" + (f" {draw.choice(SEGMENTS)}" if has_segment else ""))
    return chosen


def rules(draw, ranks):
    """For all communicators of a job: up to five rules of each operation, from random numbers of bytes on."""
    text = []
    for size in range(2, ranks + 1):
        for op in TUNED:
            known = algorithms(draw, op)
            for begin in sorted({2 ** draw.randrange(18) for _ in range(5)}):
                text.append(f"{op} {size} {begin} {draw.choice(known)}")
    return ";".join(text)


class Job:
    def __init__(self, seed):
        draw = random.Random(seed)
        self.seed, self.ranks, self.layout = seed, draw.choice(RANKS), draw.choice(LAYOUTS)
        self.rules = rules(draw, self.ranks)

    def run(self, build, work):
        """Returns what was wrong: an empty text for nothing. Keeps how many calls were not native."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("COMMMAP", "OMPI", "SLURM"))}
        environment.update(OMPI_MCA_orte_tmpdir_base=work, OMPI_MCA_mpi_yield_when_idle="1", COMMMAP_INSIDE_VERBOSE="1",
                           COMMMAP_INSIDE_RULES=self.rules, OMPI_MCA_coll_tuned_use_dynamic_rules="1")
        library = build / "src/pmix_hooks/inside/libcommmap_inside_ompi.so"
        program = build / "tests/pmix_hooks/inside/programs/collectives_check"
        words = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "pml", "ob1", "--mca", "osc", "^ucx", "--mca", "btl",
                 "self,vader", "-np", str(self.ranks), "-x", f"LD_PRELOAD={library}", "-x", "COMMMAP_INSIDE_RULES",
                 "-x", "COMMMAP_INSIDE_VERBOSE", program, str(self.seed), str(CALLS_OF_A_PROGRAM), self.layout, "0", str(PROGRAMS_OF_A_JOB)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True) as job:
            try:
                out, err = job.communicate(timeout=MOST_SECONDS_OF_A_JOB)
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                job.communicate()
                return "no end"
        said = re.search(r"commmap: (\d+) collective calls of rank 0 were not run natively", err)
        self.not_native = int(said.group(1)) if said else 0
        all_right = f"{PROGRAMS_OF_A_JOB * CALLS_OF_A_PROGRAM} calls, 0 wrong\n"
        if job.returncode == 0 and out == all_right and said:
            return ""
        return f"exit code {job.returncode}: {out.strip()} {err.strip()[:400]}"

    not_native = 0


def main():
    parser = argparse.ArgumentParser(prog="scripts/random-programs", description="Runs random programs with collective calls.")
    parser.add_argument("build", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--jobs", type=int, default=300, help="so many [300]")
    parser.add_argument("--first", type=int, default=1, help="the seed of the first job; each other job has the next one [1]")
    parser.add_argument("--json", type=pathlib.Path, help="write what was run into this file")
    asked = parser.parse_args()
    begin = time.monotonic()
    wrong, not_native = {}, 0
    with tempfile.TemporaryDirectory(prefix="commmap-random-") as work:
        for seed in range(asked.first, asked.first + asked.jobs):
            job = Job(seed)
            why = job.run(asked.build, work)
            not_native += job.not_native
            if why:
                wrong[seed] = why
            print(f"job {seed}: {job.ranks} ranks, {job.layout}: {why or 'right'}", file=sys.stderr, flush=True)
    programs = asked.jobs * PROGRAMS_OF_A_JOB
    found = {"jobs": asked.jobs, "first_seed": asked.first, "programs": programs, "calls": programs * CALLS_OF_A_PROGRAM,
             "calls_of_rank_0_not_native": not_native, "seconds": round(time.monotonic() - begin), "wrong": wrong}
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{programs} programs in {asked.jobs} jobs, {found['calls']} calls, {not_native} of rank 0 not native: {len(wrong)} jobs wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
