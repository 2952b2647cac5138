#!/usr/bin/env python3
"""Runs the demonstration programs with several placements and prints a table.

Inside an allocation it uses that one; else it makes one with salloc.

    demo.py --binaries build/release/bench/programs --shape 8x2 --nodes 8 --json demo.json
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from compare import commmap_cmds, report  # noqa: E402
from compare.cases import demo_programs  # noqa: E402
from compare.comparison import Case, Settings, compare  # noqa: E402
from compare.cpu_meter import NoMeter, OtherCpuMeter, network_namespace, read_processes  # noqa: E402
from compare.runner import Runner  # noqa: E402

_SETUP_LIMIT_S = 60
_PROFILE_ATTEMPTS = 5


class DemoError(Exception):
    """One line for the user."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def checked(command, environment=None):
    """Standard output of a command that must succeed."""
    try:
        done = subprocess.run(command, env={**os.environ, **(environment or {})}, text=True,
                              capture_output=True, timeout=_SETUP_LIMIT_S, stdin=subprocess.DEVNULL)
    except FileNotFoundError as error:
        raise DemoError(f"cannot run '{command[0]}': not found") from error
    except subprocess.TimeoutExpired as error:
        raise DemoError(f"'{' '.join(command)}' took more than {_SETUP_LIMIT_S} s") from error
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("Try ")]
        last = (lines or ["no message"])[-1]
        raise DemoError(f"'{' '.join(command)}' failed with exit code {done.returncode}: {last}")
    return done.stdout


def record_profile(program, environment, job):
    """Like the other runs, this one may die when the machine is loaded."""
    for attempt in range(1, _PROFILE_ATTEMPTS + 1):
        try:
            checked(commmap_cmds.profile(program.ranks, program.command), environment)
            return
        except DemoError as error:
            if attempt == _PROFILE_ATTEMPTS:
                raise
            say(f"  {program.name}: profile run lost, {error}")
            clear_steps(job)


def make_meter(nodes):
    """On the emulated cluster the nodes are network namespaces of this machine."""
    namespaces = set(checked(commmap_cmds.node_namespaces(nodes)).split())
    if network_namespace("self") in namespaces:
        say("demo: the nodes have no network namespaces of their own; noise is not measured")
        return NoMeter()
    return OtherCpuMeter(namespaces)


def clear_steps(job):
    """Ends the steps that a killed srun has left; the next one would wait for their CPUs."""
    listed = subprocess.run(commmap_cmds.list_job(job), capture_output=True, text=True)
    if listed.stdout.strip() != job:
        raise DemoError(f"the allocation {job} has ended before the runs")
    for _ in range(10):
        listed = subprocess.run(commmap_cmds.list_steps(job), capture_output=True, text=True)
        steps = [step for step in listed.stdout.split() if step.rpartition(".")[2].isdigit()]
        if not steps:
            return
        for step in steps:
            subprocess.run(commmap_cmds.cancel_step(step), capture_output=True)
        time.sleep(0.5)


def prepare_placements(program, wanted, directory, job):
    """Profiles the program once where a placement needs it.

    @return cases, predicted seconds by placement
    """
    environment = commmap_cmds.profile_environment(directory)
    hostfiles = {}
    predicted = {}
    if not {"auto", "best"}.isdisjoint(wanted):
        record_profile(program, environment, job)
        makers = {"auto": commmap_cmds.plan_hostfile, "best": commmap_cmds.best_hostfile}
        for placement in makers.keys() & set(wanted):
            hostfiles[placement] = directory / f"{placement}.hosts"
            checked(makers[placement](program.ranks, program.command, hostfiles[placement]), environment)
        asked = {name: str(hostfiles.get(name, name)) for name in wanted}
        output = checked(commmap_cmds.predict(program.ranks, program.command, asked.values()), environment)
        times = commmap_cmds.predicted_times(output)
        predicted = {name: times.get(placement) for name, placement in asked.items()}
    cases = []
    for placement in wanted:
        command, added = commmap_cmds.placed(placement, program.ranks, program.command,
                                             hostfiles.get(placement))
        cases.append(Case(placement, command, environment | added))
    return cases, predicted


def chosen_programs(args):
    programs = demo_programs(args.binaries)
    if not args.programs:
        return programs
    unknown = set(args.programs) - {program.name for program in programs}
    if unknown:
        raise DemoError(f"no program '{sorted(unknown)[0]}'; there are: "
                        + ", ".join(program.name for program in programs))
    return [program for program in programs if program.name in args.programs]


def run_demo(args):
    programs = chosen_programs(args)
    meter = make_meter(args.nodes)
    job = os.environ["SLURM_JOB_ID"]
    settings = Settings(rounds=args.rounds, seed=args.seed, max_repeats=args.max_repeats)
    all_rows = []
    end = time.monotonic() + args.budget
    with tempfile.TemporaryDirectory(prefix="commmap-demo-", dir=args.work) as work:
        for number, program in enumerate(programs, start=1):
            started = time.monotonic()
            directory = Path(work) / program.name
            directory.mkdir()
            cases, predicted = prepare_placements(program, args.placements, directory, job)
            runner = Runner(meter, limit_s=program.limit_s, after_kill=lambda: clear_steps(job))
            # The time that is left is shared by the programs that are left.
            share_end = started + (end - started) / (len(programs) - number + 1)
            results = compare(cases, runner, settings,
                              say=lambda text, name=program.name: say(f"  {name}: {text}"),
                              may_repeat=lambda until=share_end: time.monotonic() < until)
            rows = report.rows(program.name, args.shape, program.ranks, results, predicted)
            all_rows += rows
            medians = "  ".join(f"{row['placement']} {row['median_s']:.2f} s" if row["runs"]
                                else f"{row['placement']} -" for row in rows)
            say(f"[{number}/{len(programs)}] {program.name}: {medians}"
                f"  ({time.monotonic() - started:.0f} s)")
    print(report.table(all_rows), end="")
    if args.json:
        report.write_json(args.json, all_rows)
    return 0 if all(row["runs"] for row in all_rows) else 1


def run_in_allocation(command):
    """Ctrl-C is for salloc's command, which is in a process group of its own; salloc itself would give the nodes back first."""
    process = subprocess.Popen(command, start_new_session=True)
    try:
        return process.wait()
    except KeyboardInterrupt:
        for child in read_processes():
            if child.parent == process.pid:
                os.kill(child.pid, signal.SIGINT)
        process.wait()
        raise


def parse_arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--binaries", default="build/release/bench/programs", metavar="DIR",
                        help="the programs of bench/programs [%(default)s]")
    parser.add_argument("--shape", default="8x2", help="name of the cluster in the output [%(default)s]")
    parser.add_argument("--nodes", type=int, default=8, help="nodes of the allocation [%(default)s]")
    parser.add_argument("--ranks", type=int, default=16, help="tasks of the allocation [%(default)s]")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each placement [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the runs [%(default)s]")
    parser.add_argument("--max-repeats", type=int, default=3,
                        help="of one run when other processes disturb it [%(default)s]")
    parser.add_argument("--budget", type=float, default=540, metavar="S",
                        help="no run is repeated because of noise after these seconds [%(default)s]")
    parser.add_argument("--program", action="append", dest="programs", metavar="NAME",
                        help="only this one; may be repeated")
    parser.add_argument("--placement", action="append", dest="placements", metavar="NAME",
                        choices=commmap_cmds.PLACEMENTS, help="only this one; may be repeated")
    parser.add_argument("--work", metavar="DIR", default=".",
                        help="for profiles and hostfiles; every node must see it [%(default)s]")
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    parser.add_argument("--check", action="store_true", help="only look whether the arguments are right")
    args = parser.parse_args(argv)
    args.binaries = Path(args.binaries).resolve()
    args.work = Path(args.work).resolve()
    args.placements = args.placements or list(commmap_cmds.PLACEMENTS)
    return args


def main(argv=None):
    argv = sys.argv[1:] if argv is None else argv
    args = parse_arguments(argv)
    try:
        if args.check:
            chosen_programs(args)
            return 0
        if "SLURM_JOB_ID" not in os.environ:
            command = commmap_cmds.salloc(args.nodes, args.ranks, [sys.executable, __file__, *argv])
            return run_in_allocation(command)
        return run_demo(args)
    except DemoError as error:
        say(f"demo: {error}")
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
