# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Measures one configuration inside its job: inside.py CONFIGURATION WORK PROGRAMS SECONDS > measured.json

CONFIGURATION is a file with its facts, as JSON; WORK is the configuration's directory, which every node sees; SECONDS the time after which no more rounds are begun.
"""

import glob
import json
import os
import shutil
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from compare import commmap_cmds
from compare.comparison import Case
from compare.demo import DemoError, checked, clear_steps, make_meter, say
from compare.runner import Runner
from estimate import placements, predictions, rounds
from estimate.configurations import Configuration
from estimate.journal import kept_profile

_ATTEMPTS = 4  # of a run that prepares; a step dies now and then on a loaded machine


def prepare(configuration, work, programs):
    """Input files in the directory where it runs; the command with the program's path."""
    for name, text in configuration.files.items():
        (work / name).write_text(text, encoding="utf-8")
    os.chdir(work)
    command = list(configuration.command)
    if (Path(programs) / command[0]).exists():
        command[0] = str(Path(programs) / command[0])
    return command


def preloaded(library, work):
    """Value of LD_PRELOAD. The emulated cluster has libraries of its own in it."""
    return ":".join(filter(None, [os.environ.get("LD_PRELOAD"), f"{work.parent}/lib{library}.so"]))


def again(what, job):
    for attempt in range(_ATTEMPTS):
        try:
            return what()
        except DemoError as error:
            if attempt + 1 == _ATTEMPTS:
                raise
            say(f"  once more: {error}")
            clear_steps(job)


def recorded(configuration, command, work, job):
    """Path of the profile of a run in Slurm's own order. One that is there is used again."""
    directory = work / "profiles"
    environment = commmap_cmds.profile_environment(directory)
    found = glob.glob(f"{directory}/*.commmap")
    if not found:
        again(lambda: checked(commmap_cmds.profile(configuration.ranks, command), environment), job)
        found = glob.glob(f"{directory}/*.commmap")
    if len(found) != 1:
        raise DemoError(f"{configuration.name}: {len(found)} profiles, expected one")
    return found[0]


def find_placements(configuration, profile, work, job):
    """The node of each rank, by the placement's name; best is the one that is predicted to be the fastest."""
    ranks = configuration.ranks
    about = placements.own_job(profile, ranks)
    found = {name: again(lambda name=name: placements.of_slurm(name, ranks), job) for name in ("block", "cyclic")}
    found["random"] = placements.at_random(found["block"], configuration.name)
    found["auto"] = placements.of_mapper("plan", about)
    found |= {mapper: placements.of_mapper(mapper, about) for mapper in configuration.mappers}
    candidates = found | {mapper: placements.of_mapper(mapper, about) for mapper in placements.mappers()}
    best = predictions.cheapest(predictions.estimated(about, candidates, work))
    found["best"] = candidates[best]
    return found, best


def check_auto(configuration, command, planned, work, environment, job):
    """auto is launched as users launch it, so that it must be looked at where its ranks really were."""
    report = work / "launch.json"
    again(lambda: checked([*commmap_cmds.srun(configuration.ranks, f"--commmap=auto,report={report}"), *command], environment), job)
    ranks = json.loads(report.read_text(encoding="utf-8"))["ranks"]
    launched = [one["launched"] for one in ranks]
    if launched != planned:
        raise DemoError(f"{configuration.name}: auto launched {launched}, and its plan is {planned}")


def cases_of(configuration, command, found, work, environment):
    """One for each placement that is not the same as another one before it."""
    cases = []
    for name, first in placements.distinct(found).items():
        if name == first:
            words, more = commmap_cmds.placed(name, configuration.ranks, command, work / f"{name}.hosts")
            cases.append(Case(name, words, environment | more))
    return cases


def main():
    configuration = Configuration(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    name, work, programs, seconds = configuration.name, Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve(), float(sys.argv[4])
    begin, job = time.monotonic(), os.environ["SLURM_JOB_ID"]
    work.mkdir(parents=True, exist_ok=True)
    command = prepare(configuration, work, programs)
    for library in configuration.preload:
        os.environ["LD_PRELOAD"] = preloaded(library, work)
    profile = recorded(configuration, command, work, job)
    found, best = find_placements(configuration, profile, work, job)
    environment = commmap_cmds.profile_environment(work / "profiles")
    if not configuration.own_clock:
        environment["LD_PRELOAD"] = preloaded("mpi_time", work)
    if placements.distinct(found)["auto"] == "auto":
        check_auto(configuration, command, found["auto"], work, environment, job)
    for placement, nodes in found.items():
        placements.write_hostfile(work / f"{placement}.hosts", nodes)
    namespaces = checked(commmap_cmds.node_namespaces(configuration.nodes)).split()
    runner = Runner(make_meter(namespaces), limit_s=configuration.limit_s, after_kill=lambda: clear_steps(job))
    cases = cases_of(configuration, command, found, work, environment)
    times, noisy, lost = rounds.measure(cases, runner, lambda: time.monotonic() - begin < seconds, lambda text: say(f"  {text}"))
    if len(times["block"]) < rounds.FEWEST:
        raise DemoError(f"{configuration.name}: only {len(times['block'])} rounds came through")
    shutil.copy(profile, kept_profile(work.parent, name))
    print(json.dumps({
        "configuration": name, "digest": configuration.digest(), "nodelist": os.environ["SLURM_JOB_NODELIST"],
        "cpus_per_node": os.environ["SLURM_JOB_CPUS_PER_NODE"], "placements": found, "best_mapper": best,
        "same_as": placements.distinct(found), "times_s": times, "noisy": noisy, "lost": lost,
        "seconds": round(time.monotonic() - begin, 1)}))


if __name__ == "__main__":
    try:
        main()
    except DemoError as problem:
        sys.exit(f"bench estimate: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
