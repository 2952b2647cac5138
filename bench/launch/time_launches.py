"""On the login host of a testbed: time_launches.py WORK ROUNDS RELEASE standalone|allocation MODE...

Writes WORK/WHERE.json."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time

WORK, ROUNDS, RELEASE, WHERE, WANTED = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5:]
PLUGSTACK = os.path.join(os.path.dirname(os.environ["SLURM_CONF"]), "plugstack.conf")
PROFILES = f"{WORK}/profiles"
PROGRAM = f"{WORK}/launched"
# mode -> (srun's options, arguments of the program, what happens before each launch)
MODES = {
    "off": ("--commmap=off", ["at once"], None),
    "auto-cached": ("--commmap=auto", ["at once"], None),
    "auto-new": ("--commmap=auto", ["at once"], lambda: shutil.rmtree(f"{PROFILES}/plans", ignore_errors=True)),
    "profile": ("--commmap=profile", [], lambda: None),
}


def use_plugin(on):
    with open(f"{WORK}/plugstack.conf" if on else os.devnull, encoding="utf-8") as file:
        content = file.read()
    with open(PLUGSTACK, "w", encoding="utf-8") as file:  # read by srun and by slurmstepd at each step
        file.write(content)


def settle():
    """The last launch must be over for Slurm too: else the next one waits for its CPUs."""
    command = ["squeue", "-h", "-s", "-o", "%i"] if WHERE == "allocation" else ["squeue", "-h", "-o", "%i"]
    while any(line for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
              if WHERE == "standalone" or line.rpartition(".")[2].isdigit()):
        time.sleep(0.02)


def launch(options, arguments):
    """milliseconds"""
    begin = time.perf_counter()
    done = subprocess.run(["srun", "-Q", "-N8", "-n16", *options, PROGRAM, *arguments], capture_output=True, text=True,
                          check=False, env={**os.environ, "COMMMAP_PROFILE_DIR": PROFILES})
    elapsed = 1000 * (time.perf_counter() - begin)
    if done.returncode or done.stderr:
        sys.exit(f"srun {' '.join(options)}: exit code {done.returncode}: {done.stderr}")
    return elapsed


def is_placed():
    """A row about placed launches that were not placed would be about nothing."""
    use_plugin(True)
    done = subprocess.run(["srun", "-Q", "-N8", "-n16", "-l", "--commmap=auto", PROGRAM, "at once"], capture_output=True, text=True, check=True,
                          env={**os.environ, "COMMMAP_PROFILE_DIR": PROFILES, "COMMMAP_VERBOSE": "1"})
    return "<- chosen" in done.stderr and "predicted gain" in done.stderr


def row(mode):
    option, arguments, before = MODES[mode]
    # A launch alone varies by 25 ms and adds less than that; what recording and planning add is more.
    rounds = (2 if mode in ("profile", "auto-new") else 4) * ROUNDS
    plain, with_commmap = [], []
    for number in range(rounds + 1):
        for kind in (("plain", mode) if number % 2 else (mode, "plain")):
            use_plugin(kind == mode)
            if kind == mode and before:
                before()
            settle()
            taken = launch([option] if kind == mode else [], arguments)
            if number:  # the first round warms up
                (with_commmap if kind == mode else plain).append(taken)
    differences = [b - a for a, b in zip(plain, with_commmap)]
    quartiles = statistics.quantiles(differences, n=4)
    return {"release": RELEASE, "where": WHERE, "mode": mode, "ranks": 16, "rounds": rounds,
            "plain_ms": round(statistics.median(plain), 1), "added_ms": round(statistics.median(differences), 1),
            "added_ms_quartiles": [round(quartiles[0], 1), round(quartiles[2], 1)]}


def main():
    use_plugin(True)
    if "profile" in WANTED and not os.path.isdir(PROFILES):
        launch(["--commmap=profile"], [])
    settle()
    if "auto-new" in WANTED and not is_placed():
        sys.exit("the plan for the program keeps Slurm's placement: nothing to time")
    rows = [row(mode) for mode in WANTED]
    with open(f"{WORK}/{WHERE}.json", "w", encoding="utf-8") as file:
        json.dump(rows, file)


main()
