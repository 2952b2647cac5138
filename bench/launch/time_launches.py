# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""On the login host of a testbed: time_launches.py WORK ROUNDS RELEASE standalone|allocation PROGRAM=MODE,MODE,...

Writes WORK/WHERE.json: one row for each program and mode. WORK has the programs, and their profiles in
WORK/profiles-PROGRAM.
"""

import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time

WORK, ROUNDS, RELEASE, WHERE, WANTED = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5:]
PLUGSTACK = os.path.join(os.path.dirname(os.environ["SLURM_CONF"]), "plugstack.conf")
TIMES = ("first_instruction_ms", "after_init_ms", "whole_ms")
WIDEST_MS = 8  # half of an interval


def forget_plans(program):
    shutil.rmtree(f"{WORK}/profiles-{program}/plans-{os.geteuid()}", ignore_errors=True)


def forget_runs(program):
    """The stand-in has nothing that a placement could make faster: after many runs Slurm's own order would come back."""
    shutil.rmtree(f"{WORK}/profiles-{program}/history", ignore_errors=True)


# mode -> (srun's options, what plugstack.conf says, what happens before each launch)
MODES = {
    "off": ("--commmap=off", "threshold=0", None),
    "auto-kept": ("--commmap=auto", "threshold=0", None),
    "auto-new": ("--commmap=auto", "threshold=0", forget_plans),
    # placed or not, as the plan says
    "any-new": ("--commmap=auto", "threshold=0", forget_plans),
    # Slurm's own placement stays: no gain is large enough
    "stays-kept": ("--commmap=auto", "threshold=99", None),
    "stays-new": ("--commmap=auto", "threshold=99", forget_plans),
    "profile": ("--commmap=profile", "threshold=0", None),
}


def use_plugin(settings):
    """None: no plugin at all."""
    line = ""
    if settings is not None:
        with open(f"{WORK}/plugstack.conf", encoding="utf-8") as file:
            line = f"{file.read().strip()} {settings}\n"
    with open(PLUGSTACK, "w", encoding="utf-8") as file:  # read by srun and by slurmstepd at each step
        file.write(line)


def settle():
    """The last launch must be over for Slurm too: else the next one waits for its CPUs."""
    command = ["squeue", "-h", "-s", "-o", "%i"] if WHERE == "allocation" else ["squeue", "-h", "-o", "%i"]
    while any(line for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
              if WHERE == "standalone" or line.rpartition(".")[2].isdigit()):
        time.sleep(0.02)


def launch(program, options, **variables):
    """milliseconds from srun on: to the last task's first instruction, to the first line after MPI_Init, to the end"""
    begin = time.time()
    done = subprocess.run(["srun", "-Q", "-N8", "-n16", *options, f"{WORK}/{program}"], capture_output=True, text=True,
                          check=False, env={**os.environ, "COMMMAP_PROFILE_DIR": f"{WORK}/profiles-{program}", **variables})
    end = time.time()
    if done.returncode or (done.stderr and not variables):
        sys.exit(f"srun {' '.join(options)} {program}: exit code {done.returncode}: {done.stderr}")
    return [1000 * (float(word) - begin) for word in done.stdout.split()] + [1000 * (end - begin)], done.stderr


def check(program, mode):
    """A row about placed launches that were not placed would be about nothing."""
    option, settings, _ = MODES[mode]
    use_plugin(settings)
    said = launch(program, [option], COMMMAP_VERBOSE="1")[1]
    settle()
    stays = re.search(r"\bslurm\b.*<- chosen", said) is not None
    if mode not in ("off", "profile") and ("<- chosen" not in said or (mode != "any-new" and stays != mode.startswith("stays"))):
        sys.exit(f"{program}, {mode}: not as the row says: {said}")


def interval(differences):
    """95 % of the medians of as many differences drawn from these with repetition"""
    draw = random.Random(1)
    medians = sorted(statistics.median(draw.choices(differences, k=len(differences))) for _ in range(2000))
    return [round(medians[50], 1), round(medians[-51], 1)]


def row(program, mode):
    option, settings, before = MODES[mode]
    forget_runs(program)
    check(program, mode)
    plain, with_commmap = [], []
    for number in range(ROUNDS + 1):
        for kind in (("plain", mode) if number % 2 else (mode, "plain")):
            use_plugin(settings if kind == mode else None)
            if kind == mode and before:
                before(program)
            settle()
            taken = launch(program, [option] if kind == mode else [])[0]
            if number:  # the first round warms up
                (with_commmap if kind == mode else plain).append(taken)
    result = {"release": RELEASE, "where": WHERE, "program": program, "mode": mode, "ranks": 16, "rounds": ROUNDS}
    for at, name in enumerate(TIMES):
        differences = [b[at] - a[at] for a, b in zip(plain, with_commmap)]
        result[f"plain_{name}"] = round(statistics.median(one[at] for one in plain), 1)
        result[f"added_{name}"] = round(statistics.median(differences), 1)
        result[f"added_{name}_95"] = interval(differences)
    print(result, file=sys.stderr)
    low, high = result["added_after_init_ms_95"]
    if high - low > 2 * WIDEST_MS:
        print(f"this interval is +- {(high - low) / 2:.0f} ms wide, and {WIDEST_MS} are asked: is the machine quiet?", file=sys.stderr)
    return result


def main():
    rows = []
    for wanted in WANTED:
        program, _, modes = wanted.partition("=")
        rows += [row(program, mode) for mode in modes.split(",")]
    with open(f"{WORK}/{WHERE}.json", "w", encoding="utf-8") as file:
        json.dump(rows, file)


main()
