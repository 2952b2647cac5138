# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Predicted ratios of placements beside measured ones: bench_estimate.py PREFIX BUILD [options] > rows.json

PREFIX is where commmap is installed, BUILD the build directory of the benchmark programs; what is measured is kept there, in
estimate/. Configurations that are measured already are not measured again. Where the planner has another answer than then,
they are. Predictions are made anew each time, from the profiles that were kept.
"""

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from compare.demo import DemoError, checked, run_in_allocation, say
from estimate import placements, predictions, rows, scatter, verdict
from estimate.configurations import SHAPES, all_configurations
from estimate.journal import Journal, JournalError, kept_profile, pack, unpack

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TESTBED = ROOT / "tests" / "testbed" / "testbed"
_MOST_SHARE = 2.0  # of the mean time that is left for a configuration


SHAPE_FILES = ROOT / "tests" / "testbed" / "shapes"


def cluster_of(shape, folder=SHAPE_FILES):
    return folder / f"{shape}.yaml"


class Bench:
    def __init__(self, args, work):
        """@param work  where what is measured is kept"""
        self.args = args
        self.work = work
        self.testbed = [str(TESTBED), "--name", args.testbed]
        self.end = time.monotonic() + 60 * args.minutes
        if args.fresh:
            shutil.rmtree(self.work, ignore_errors=True)
        if args.measured:
            unpack(args.measured, self.work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.journal = Journal(self.work)

    def job_of(self, measured, configuration, profile):
        return placements.job_of(profile, measured["nodelist"], measured["cpus_per_node"], configuration.ranks) + [
            "--cluster", str(cluster_of(configuration.shape, self.args.clusters))]

    def finished(self, configuration):
        """What was measured, unless auto would place the ranks elsewhere now."""
        measured = self.known(configuration)
        if measured is None:
            return None
        planned = placements.of_mapper("plan", self.job_of(measured, configuration, kept_profile(self.work, configuration.name)))
        return measured if planned == measured["placements"]["auto"] else None

    def known(self, configuration):
        """What was measured, if its profile is there too."""
        has_profile = kept_profile(self.work, configuration.name).exists()
        return self.journal.find(configuration.name, configuration.digest()) if has_profile else None

    def build_preloads(self):
        """They must not need libmpi: srun loads them too."""
        flags = shlex.split(checked(["mpicc.openmpi", "--showme:compile"]))
        for source in HERE.glob("*.c"):
            checked(["cc", "-O2", "-shared", "-fPIC", *flags, "-o", str(self.work / f"lib{source.stem}.so"), str(source), "-ldl"])

    def measure_all(self, wanted):
        left = [one for one in wanted if self.finished(one) is None]
        say(f"{len(wanted) - len(left)} of {len(wanted)} configurations are measured already")
        if left:
            self.build_preloads()
        for shape in SHAPES:
            mine = [one for one in left if one.shape == shape]
            if not mine:
                continue
            plugstack = self.work / f"plugstack-{shape}.conf"
            plugstack.write_text(f"optional {self.args.prefix}/lib/commmap/commmap.so cluster={cluster_of(shape)}\n", encoding="utf-8")
            checked([*self.testbed, "up", shape, "--plugstack", str(plugstack)])
            try:
                for configuration in mine:
                    self.measure(configuration, len(left))
                    left.remove(configuration)
            finally:
                subprocess.run([*self.testbed, "down"], check=False, stdout=subprocess.DEVNULL)

    def measure(self, configuration, left):
        seconds = _MOST_SHARE * (self.end - time.monotonic()) / left
        if seconds <= 0:
            return
        say(f"{configuration.name}: {' '.join(configuration.command)}")
        target = self.work / f"{configuration.name}.json"
        work = self.work / configuration.name
        facts = self.work / f"{configuration.name}.facts.json"
        facts.write_text(json.dumps(asdict(configuration)), encoding="utf-8")
        command = [*self.testbed, "exec", "salloc", "--quiet", f"--nodes={configuration.nodes}", f"--ntasks={configuration.ranks}",
                   sys.executable, str(HERE / "inside.py"), str(facts), str(work), str(self.args.build / "bench" / "programs"),
                   str(seconds)]
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("COMMMAP", "SLURM"))}
        environment |= {"COMMMAP_CLUSTER": str(cluster_of(configuration.shape)), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        with target.open("w", encoding="utf-8") as file:
            code = run_in_allocation(command, stdout=file, stdin=subprocess.DEVNULL, env=environment)
        if code != 0:
            say(f"  not measured: exit code {code}")
            return
        measured = json.loads(target.read_text(encoding="utf-8"))
        target.unlink()
        facts.unlink()
        self.journal.add(measured)
        medians = "  ".join(f"{row['placement']} {row['predicted_ratio']:.2f}/{row['measured_ratio']:.2f}"
                            for row in self.rows_of(configuration, measured))
        say(f"  predicted/measured {medians or 'nothing to compare'}  ({len(measured['times_s']['block'])} rounds, {measured['seconds']:.0f} s)")

    def rows_of(self, configuration, measured):
        """Predictions are of the present commmap."""
        work, original = self.work / configuration.name, kept_profile(self.work, configuration.name)
        copy = work / "without-rounds.commmap"
        checked([str(self.args.build / "bench" / "bench_without_rounds"), str(original), str(copy)])
        by_steps, by_whole = (predictions.estimated(self.job_of(measured, configuration, profile), measured["placements"], work)
                              for profile in (original, copy))
        return rows.of_placements(configuration, measured, predictions.ratios(by_steps), predictions.scaled_ratios(by_whole, "port_cost_s"),
                                  predictions.scaled_ratios(by_whole, "sweeney_s"))

    def report(self, wanted):
        found, moves, moved = [], [], []
        for configuration in wanted:
            if not (measured := self.known(configuration)):
                continue
            found += self.rows_of(configuration, measured)
            if self.finished(configuration):
                moves.append(rows.of_configuration(configuration, measured))
            else:
                moved.append(configuration.name)
        if not found:
            raise DemoError("nothing was measured")
        if self.args.svg:
            scatter.draw(found, self.args.svg)
        return found + moves + verdict.goals(wanted, found, moves) + [verdict.of_moved(moved)]


def chosen(names, found):
    """Those of some configurations that have one of the names; without names all."""
    if not names:
        return found
    if unknown := set(names) - {one.name for one in found}:
        raise DemoError(f"no configuration '{sorted(unknown)[0]}'; there are: {' '.join(one.name for one in found)}")
    return [one for one in found if one.name in names]


def parse_arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("prefix", type=Path)
    parser.add_argument("build", type=Path)
    parser.add_argument("--only", type=lambda text: text.split(","), metavar="NAME,...", help="these configurations")
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before")
    parser.add_argument("--from", dest="measured", metavar="ARCHIVE", help="predict what was measured then, and measure nothing")
    parser.add_argument("--clusters", metavar="FOLDER", type=Path, default=SHAPE_FILES,
                        help="with --from: predict by the cluster YAMLs there, SHAPE.yaml; default: those of the emulated clusters")
    parser.add_argument("--archive", metavar="ARCHIVE", help="write all that has been measured, for --from")
    parser.add_argument("--minutes", type=float, default=115.0, help="no configuration is begun after that [%(default)s]")
    parser.add_argument("--svg", metavar="FILE", help="draw predicted against measured ratio")
    parser.add_argument("--testbed", default=f"estimate{os.getpid()}", help="name of the emulated cluster")
    args = parser.parse_args(argv)
    if args.clusters != SHAPE_FILES and not args.measured:
        parser.error("--clusters is for --from: what is measured anew has the emulated cluster's own file")
    args.prefix, args.build = args.prefix.resolve(), args.build.resolve()
    return args


def run(name, configurations, report):
    """A whole benchmark: measures what is not measured yet, and prints the rows of a report.

    @param name            of the benchmark, for messages, and of the directory of what is measured
    @param configurations  of which --only chooses
    @param report          makes rows from a Bench and the chosen configurations
    @return                exit code
    """
    args = parse_arguments(sys.argv[1:])
    # Also where it was started in the background, which ignores Ctrl-C: the emulated cluster must go down.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    os.environ["PATH"] = f"{args.prefix}/bin:{os.environ['PATH']}"
    try:
        wanted = chosen(args.only, configurations)
        with tempfile.TemporaryDirectory(prefix=f"commmap-{name}-") as unpacked:
            bench = Bench(args, Path(unpacked) if args.measured else args.build / name)
            if not args.measured:
                bench.measure_all(wanted)
            if args.archive:
                pack(bench.work, args.archive)
            print(json.dumps(report(bench, wanted)))
        return 0
    except (DemoError, JournalError) as error:
        say(f"bench {name}: {error}")
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(run("estimate", all_configurations(), Bench.report))
