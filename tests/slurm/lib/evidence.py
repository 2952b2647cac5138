# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What tells why a test failed or hung: read from outside, as the testbed is gone by the time somebody looks."""

import glob
import os
import subprocess

import patience

LAST_LINES = 20
WIDTH = 400
SECONDS = 20


def of(cluster):
    """Jobs, steps, nodes, Slurm's processes and tasks, the end of slurmctld's log and the slurmds' last complaints."""
    parts = [(words, _asked(cluster, words.split())) for words in
             ("squeue -o %i|%j|%T|%r|%N", "squeue -s", "sinfo -N -o %N|%T|%E")]
    parts.append(("processes", _processes()))
    parts.append(("slurmctld.log", _end_of(cluster.log("slurmctld"), LAST_LINES)))
    for path in sorted(glob.glob(cluster.log("slurmd.*"))):
        parts.append((os.path.basename(path), _end_of(path, LAST_LINES, " error: ")))
    return "".join(f"--- {title}\n{text.rstrip()}\n" for title, text in parts)


def _asked(cluster, words):
    try:
        done = patience.run(cluster.exec_words(*words), seconds=SECONDS, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return f"no answer in {SECONDS} s"
    return "\n".join((done.stdout + done.stderr).splitlines()[-LAST_LINES:])


def _processes():
    lines = patience.run(["ps", "axo", "pid,ppid,etimes,stat,wchan:24,args"], capture_output=True, text=True).stdout.splitlines()
    lines = [line for line in lines[1:] if " Z" not in line]
    stepds = {line.split()[0] for line in lines if "slurmstepd" in line}
    wanted = [line[:WIDTH] for line in lines
              if line.split()[1] in stepds or any(name in line for name in ("srun", "slurmstepd", "salloc", "sbatch", "slurm_script"))]
    return "\n".join(wanted[-2 * LAST_LINES:])


def _end_of(path, count, having=""):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return "".join(line[:WIDTH].rstrip() + "\n" for line in [line for line in file if having in line][-count:])
    except OSError as error:
        return str(error)
