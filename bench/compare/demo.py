#!/usr/bin/env python3
# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Runs the demonstration programs with several placements and prints a table, each program's rows when it is done.

Inside an allocation it uses that one; else it makes one with salloc, and runs each program as a launch of its own
(srun without an allocation) afterwards.

    demo.py --binaries build/demo/bench/programs --shape 8x2 --nodes 8 --json demo.json
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from compare import commmap_cmds, report
from compare.cases import demo_programs
from compare.comparison import Case, Settings, compare
from compare.cpu_meter import NoMeter, OtherCpuMeter, network_namespace, read_processes
from compare.runner import Runner

_SETUP_LIMIT_S = 60
_PROFILE_ATTEMPTS = 5
_STANDALONE_PLACEMENTS = ("block", "auto")


class DemoError(Exception):
    """One line for the user."""


def say(text):
    print(text, file=sys.stderr, flush=True)


class Budget:
    """Time of the whole demonstration, which its programs share by their number of placements."""

    def __init__(self, seconds, placements, clock=time.monotonic):
        """`placements`: of all programs and kinds of launch together."""
        self._clock = clock
        self._started = clock()
        self._end = self._started + seconds
        self._placements = placements
        self._left = placements

    def measured(self, placements):
        self._left -= placements

    def share(self, placements):
        """Of a program that starts its runs now.

        @return may_repeat of compare(). The share is spread evenly over the program's runs: repeats at its beginning
                do not take the time of its later runs.
        """
        now = self._clock()
        seconds = (self._end - now) * placements / self._left
        return lambda progress: self._clock() < now + seconds * progress

    def progress(self):
        """Text: the seconds since the start, and the estimated ones until the end."""
        elapsed_s = self._clock() - self._started
        left_s = elapsed_s * self._left / (self._placements - self._left)
        return f"{elapsed_s:.0f} s since the start, about {left_s:.0f} s left"


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
    """Like the other runs, this one may die when the machine is loaded.

    @return number of runs that were lost before
    """
    for lost in range(_PROFILE_ATTEMPTS):
        try:
            checked(commmap_cmds.profile(program.ranks, program.command), environment)
            return lost
        except DemoError as error:
            if lost + 1 == _PROFILE_ATTEMPTS:
                raise
            say(f"  {program.name}: profile run lost, {error}")
            clear_steps(job)


def make_meter(namespaces):
    """On the emulated cluster the nodes are network namespaces of this machine."""
    if network_namespace("self") in namespaces:
        say("demo: the nodes have no network namespaces of their own; noise is not measured")
        return NoMeter()
    return OtherCpuMeter(set(namespaces))


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

    @return cases, estimates by placement (report.rows), number of lost profile runs
    """
    environment = commmap_cmds.profile_environment(directory)
    lost_profiles = 0
    hostfiles = {}
    estimates = {}
    if not {"auto", "best"}.isdisjoint(wanted):
        lost_profiles = record_profile(program, environment, job)
        makers = {"auto": commmap_cmds.plan_hostfile, "best": commmap_cmds.best_hostfile}
        for placement in makers.keys() & set(wanted):
            hostfiles[placement] = directory / f"{placement}.hosts"
            checked(makers[placement](program.ranks, program.command, hostfiles[placement]), environment)
        asked = {name: str(hostfiles.get(name, name)) for name in wanted}
        output = checked(commmap_cmds.predict(program.ranks, program.command, asked.values()), environment)
        predictions = commmap_cmds.predictions(output)
        estimates = {name: predictions[placement] for name, placement in asked.items()}
    if "auto" in wanted:
        written = directory / "plan.json"
        checked(commmap_cmds.plan_report(program.ranks, program.command, written), environment)
        estimates["auto"] |= commmap_cmds.decision(written.read_text(encoding="utf-8"))
    cases = []
    for placement in wanted:
        command, added = commmap_cmds.placed(placement, program.ranks, program.command,
                                             hostfiles.get(placement))
        cases.append(Case(placement, command, environment | added))
    return cases, estimates, lost_profiles


def chosen_programs(args):
    programs = demo_programs(args.binaries)
    if not args.programs:
        return programs
    unknown = set(args.programs) - {program.name for program in programs}
    if unknown:
        raise DemoError(f"no program '{sorted(unknown)[0]}'; there are: "
                        + ", ".join(program.name for program in programs))
    return [program for program in programs if program.name in args.programs]


def end_own_jobs():
    """Of launches of their own that were killed; the next one would wait for their nodes."""
    subprocess.run(commmap_cmds.cancel_own(), capture_output=True)
    for _ in range(100):
        if not checked(commmap_cmds.list_own()).strip():
            return
        time.sleep(0.2)
    raise DemoError("jobs of killed launches do not end")


def measure(where, placements, args, budget, meter, prepare, after_kill):
    """Rows of all programs. Prints those of each program when they are known.

    @param prepare     of a program: cases, estimates by placement (report.rows)
    """
    settings = Settings(rounds=args.rounds, seed=args.seed, max_repeats=args.max_repeats)
    programs = chosen_programs(args)
    all_rows = []
    for number, program in enumerate(programs, start=1):
        started = time.monotonic()
        say(f"  {program.name}: {args.rounds} rounds of {', '.join(placements)}")
        cases, estimates = prepare(program)
        runner = Runner(meter, limit_s=program.limit_s, after_kill=after_kill)
        results = compare(cases, runner, settings,
                          say=lambda text, name=program.name: say(f"  {name}: {text}"),
                          may_repeat=budget.share(len(placements)))
        budget.measured(len(placements))
        rows = report.beside_best(report.rows(program.name, args.shape, program.ranks, results, estimates, where))
        all_rows += rows
        print(report.table_rows(rows), end="", flush=True)
        medians = "  ".join(f"{row['placement']} {row['median_s']:.2f} s" if row["runs"]
                            else f"{row['placement']} -" for row in rows)
        say(f"[{where} {number}/{len(programs)}] {program.name}: {medians}"
            f"  ({time.monotonic() - started:.0f} s; {budget.progress()})")
    return all_rows


def print_head(args):
    print(report.table_head(args.shape, chosen_programs(args)), end="", flush=True)


def finish(args, all_rows, lost_profiles):
    print(report.disturbed(all_rows) + report.run_again(all_rows, lost_profiles) + report.distance_to_best(all_rows),
          end="")
    if args.json:
        report.write_json(args.json, all_rows)
    return 0 if all(row["runs"] for row in all_rows) else 1


def run_inside(args, work, budget):
    """@return rows, namespaces of the nodes, number of lost profile runs"""
    namespaces = checked(commmap_cmds.node_namespaces(args.nodes)).split()
    job = os.environ["SLURM_JOB_ID"]
    lost = []

    def prepare(program):
        directory = Path(work) / program.name
        directory.mkdir()
        cases, estimates, lost_profiles = prepare_placements(program, args.placements, directory, job)
        lost.append(lost_profiles)
        return cases, estimates

    rows = measure("allocation", args.placements, args, budget, make_meter(namespaces), prepare,
                   lambda: clear_steps(job))
    return {"rows": rows, "namespaces": namespaces, "lost_profiles": sum(lost)}


def run_standalone(args, work, budget, inside):
    """The same programs, profiles and nodes, with an allocation for each launch: Slurm's own placement and auto."""
    estimates = {(row["program"], row["placement"]): {key: row[key] for key in report.ESTIMATED}
                 for row in inside["rows"]}
    placements = standalone_placements(args)
    if not placements:
        return []

    def prepare(program):
        environment = commmap_cmds.profile_environment(Path(work) / program.name)
        cases = [Case(name, commmap_cmds.standalone(name, args.nodes, program.ranks, program.command), environment)
                 for name in placements]
        return cases, {name: estimates[program.name, name] for name in placements}

    return measure("standalone", placements, args, budget, make_meter(inside["namespaces"]), prepare, end_own_jobs)


def standalone_placements(args):
    return [name for name in _STANDALONE_PLACEMENTS if name in args.placements]


def budget_of_both(args):
    """For runs in an allocation and standalone ones, with the clock starting now."""
    return Budget(args.budget, len(chosen_programs(args)) * (len(args.placements) + len(standalone_placements(args))))


def run_both(args, argv):
    budget = budget_of_both(args)
    print_head(args)
    with tempfile.TemporaryDirectory(prefix="commmap-demo-", dir=args.work) as work:
        part = Path(work) / "inside.json"
        command = [sys.executable, __file__, *argv, "--part", str(part)]
        code = run_in_allocation(commmap_cmds.salloc(args.nodes, args.ranks, command))
        if code != 0:
            return code
        inside = json.loads(part.read_text(encoding="utf-8"))
        budget.measured(len(inside["rows"]))
        return finish(args, inside["rows"] + run_standalone(args, work, budget, inside), inside["lost_profiles"])


def run_in_allocation(command, **more):
    """Ctrl-C is for salloc's command, which is in a process group of its own; salloc itself would give the nodes back first.

    @param more  as of Popen()
    @return      exit code of salloc
    """
    process = subprocess.Popen(command, start_new_session=True, **more)
    try:
        return process.wait()
    except KeyboardInterrupt:
        for child in read_processes():
            if child.parent == process.pid:
                os.kill(child.pid, signal.SIGINT)
        process.wait()
        raise


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no number above 0")
    return number


def file_to_write(text):
    """Refused before the first run, and not after the last."""
    path = Path(text)
    if path.is_dir() or not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"cannot write '{text}'")
    return text


def parse_arguments(argv):
    """What scripts/demo sets is left out of --help."""
    parser = Parser(prog="scripts/demo", description=__doc__.split("\n\n")[0])
    parser.add_argument("--binaries", default="build/demo/bench/programs", help=argparse.SUPPRESS)
    parser.add_argument("--shape", default="8x2", help=argparse.SUPPRESS)
    parser.add_argument("--nodes", type=positive, default=8, help=argparse.SUPPRESS)
    parser.add_argument("--ranks", type=positive, default=16, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=positive, default=5, help="runs of each placement [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the runs [%(default)s]")
    parser.add_argument("--max-repeats", type=int, default=3,
                        help="of one run when other processes disturb it [%(default)s]")
    parser.add_argument("--budget", type=positive, default=780, metavar="S",
                        help="of the whole demonstration: runs are repeated because of noise as far as they fit into it "
                        "[%(default)s]")
    parser.add_argument("--program", action="append", dest="programs", metavar="NAME",
                        help="only this one; may be repeated")
    parser.add_argument("--placement", action="append", dest="placements", metavar="NAME",
                        choices=commmap_cmds.PLACEMENTS, help="only this one; may be repeated")
    parser.add_argument("--work", default=".", help=argparse.SUPPRESS)  # for profiles and hostfiles; every node must see it
    parser.add_argument("--json", metavar="FILE", type=file_to_write, help="write the rows there, too")
    parser.add_argument("--part", type=Path, help=argparse.SUPPRESS)  # for the call within salloc
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)  # only looks whether the arguments are right
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
            return run_both(args, argv)
        if args.part:
            inside = run_inside(args, args.part.parent, budget_of_both(args))
            args.part.write_text(json.dumps(inside), encoding="utf-8")
            return 0
        print_head(args)
        with tempfile.TemporaryDirectory(prefix="commmap-demo-", dir=args.work) as work:
            inside = run_inside(args, work, Budget(args.budget, len(chosen_programs(args)) * len(args.placements)))
            return finish(args, inside["rows"], inside["lost_profiles"])
    except DemoError as error:
        say(f"scripts/demo: {error}")
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
