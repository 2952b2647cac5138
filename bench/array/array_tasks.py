"""A job array that records into one profile directory: array_tasks.py PREFIX PROGRAM TASKS > rows.json

Each array task is a batch job of one rank with one srun, as many at once as the emulated cluster has CPUs: TASKS with
--commmap=profile, and before them a quarter as many without, for a program may crash by itself. Of every one that ended well it is
checked that srun said nothing; of the directory, that the last runs are there, and whole.
"""

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
MOST_RUNS = 8  # docs/profile-store.md
TASK = """#!/bin/bash
srun --commmap=$MODE {program} --message-bytes 1000 --iterations 10 >/dev/null 2>errors/$SLURM_ARRAY_TASK_ID
code=$?
echo $code >>codes.$MODE
[ -s errors/$SLURM_ARRAY_TASK_ID ] && [ $code = 0 ] || rm errors/$SLURM_ARRAY_TASK_ID
"""


def main():
    prefix, program, tasks = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3])
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
            file.write(TASK.format(program=program))
        subprocess.run([*testbed, "up", "8x2", "--plugstack", f"{work}/plugstack.conf", "--set", f"MaxArraySize={tasks + 1}",
                        "--set", f"MaxJobCount={tasks + 1000}"], check=True, stdout=subprocess.DEVNULL)
        try:
            most_files = 0

            def run(mode, count):
                nonlocal most_files
                environment["MODE"] = mode
                begin = time.monotonic()
                on_login("sbatch", "-Q", f"--array=1-{count}", "-N1", "-n1", "-o", "/dev/null", "task.sh")
                while on_login("squeue", "-h", "-o", "%i").strip():
                    if os.path.isdir(f"{work}/profiles"):
                        most_files = max(most_files, len(os.listdir(f"{work}/profiles")))
                    time.sleep(1)
                with open(f"{work}/codes.{mode}", encoding="utf-8") as file:
                    return collections.Counter(file.read().split()), time.monotonic() - begin

            plain, _ = run("off", max(tasks // 4, 1))
            codes, seconds = run("profile", tasks)
            said = os.listdir(f"{work}/errors")
            kept = os.listdir(f"{work}/profiles")
            verified = on_login(f"{prefix}/bin/commmap", "profile", "verify", "--profile-dir", f"{work}/profiles").splitlines()
        finally:
            subprocess.run([*testbed, "down"], check=False, stdout=subprocess.DEVNULL)
        print(json.dumps([{"tasks": tasks, "seconds": round(seconds, 1), "exit_codes": codes, "exit_codes_plain": plain, "said_something": len(said),
                           "files_at_the_end": len(kept), "most_files_seen": most_files, "verified": len(verified)}]))
        if codes.total() != tasks or said or len(kept) != MOST_RUNS or len(verified) != MOST_RUNS:
            shown = "".join(open(f"{work}/errors/{name}", encoding="utf-8").read() for name in said[:3])  # pylint: disable=consider-using-with
            sys.exit(f"array_tasks.py: not every task was recorded in silence, or a run is missing: {kept} {verified}\n{shown}")
    finally:
        shutil.rmtree(work)


main()
