# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""A job array that records into one profile directory: array_tasks.py PREFIX PROGRAM TASKS [--ranks N] [--plain N] > rows.json

Each array task is a batch job with one srun of --ranks ranks (1) on as few nodes as hold them, as many at once as the emulated
cluster has CPUs for: TASKS with --commmap=profile and, in between, --plain (a quarter as many) without, for a program may crash by
itself. Of every one that ended well it is checked that srun said nothing; of the directory, that the last runs are there, and whole.
"""

import argparse

import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTBED = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tests", "testbed", "testbed")
MOST_RUNS = 8  # docs/user/profile-store.md
CPUS = 2  # of a node
TASK = """#!/bin/bash
mode=profile
# PLAIN of ALL, spread evenly
[ $((SLURM_ARRAY_TASK_ID * {plain} / {all})) = $(((SLURM_ARRAY_TASK_ID - 1) * {plain} / {all})) ] || mode=off
srun --commmap=$mode {program} --message-bytes 1000 --iterations 10 >/dev/null 2>errors/$SLURM_ARRAY_TASK_ID
code=$?
echo $code >>codes.$mode
[ -s errors/$SLURM_ARRAY_TASK_ID ] && [ $code = 0 ] || rm errors/$SLURM_ARRAY_TASK_ID
"""


def codes_of(path):
    with open(path, encoding="utf-8") as file:
        return collections.Counter(file.read().split())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix", type=os.path.abspath)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("tasks", type=int)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--plain", type=int)
    asked = parser.parse_args()
    prefix, tasks, plain = asked.prefix, asked.tasks, asked.plain or max(asked.tasks // 4, 1)
    every = tasks + plain
    name, work = f"array{os.getpid()}", tempfile.mkdtemp(prefix="commmap-array-", dir="/var/tmp")
    testbed = [TESTBED, "--name", name]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("COMMMAP", "SLURM"))}
    environment["COMMMAP_PROFILE_DIR"] = f"{work}/profiles"

    def on_login(*words):
        return subprocess.run([*testbed, "exec", *words], check=True, env=environment, cwd=work, stdout=subprocess.PIPE, text=True).stdout

    try:
        os.mkdir(f"{work}/errors")
        with open(f"{work}/plugstack.conf", "w", encoding="utf-8") as file:
            file.write(f"optional {prefix}/lib/commmap/commmap.so\n")
        with open(f"{work}/task.sh", "w", encoding="utf-8") as file:
            file.write(TASK.format(program=asked.program, plain=plain, all=every))
        subprocess.run([*testbed, "up", "8x2", "--plugstack", f"{work}/plugstack.conf", "--set", f"MaxArraySize={every + 1}",
                        "--set", f"MaxJobCount={every + 1000}"], check=True, stdout=subprocess.DEVNULL)
        try:
            most_files, begin = 0, time.monotonic()
            nodes = -(-asked.ranks // CPUS)
            on_login("sbatch", "-Q", f"--array=1-{every}", f"-N{nodes}", f"-n{asked.ranks}", "-o", "/dev/null", "task.sh")
            while on_login("squeue", "-h", "-o", "%i").strip():
                if os.path.isdir(f"{work}/profiles"):
                    most_files = max(most_files, len(os.listdir(f"{work}/profiles")))
                time.sleep(1)
            seconds = time.monotonic() - begin
            codes, codes_plain = codes_of(f"{work}/codes.profile"), codes_of(f"{work}/codes.off")
            said = os.listdir(f"{work}/errors")
            kept = os.listdir(f"{work}/profiles")
            verified = on_login(f"{prefix}/bin/commmap", "profile", "verify", "--profile-dir", f"{work}/profiles").splitlines()
        finally:
            subprocess.run([*testbed, "down"], check=False, stdout=subprocess.DEVNULL)
        print(json.dumps([{"ranks": asked.ranks, "tasks": tasks, "plain_tasks": plain, "seconds": round(seconds, 1), "exit_codes": codes,
                           "exit_codes_plain": codes_plain, "said_something": len(said), "files_at_the_end": len(kept),
                           "most_files_seen": most_files, "verified": len(verified)}]))
        if codes.total() != tasks or said or len(kept) != MOST_RUNS or len(verified) != MOST_RUNS:
            shown = "".join(open(f"{work}/errors/{name}", encoding="utf-8").read() for name in said[:3])
            sys.exit(f"array_tasks.py: not every task was recorded in silence, or a run is missing: {kept} {verified}\n{shown}")
    finally:
        shutil.rmtree(work)


main()
