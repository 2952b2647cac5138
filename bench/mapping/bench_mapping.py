"""Mappings of commmap beside those of others: bench_mapping.py BUILD COMMMAP [--sizes N,...] [--kinds K,...] > rows.json

BUILD is a build directory. Each communication graph is made, each mapper maps it onto each tree of
its size, and evaluate_mapping, which shares no code with any of them, says what the mapping costs. Others: METIS level by
level, Scotch, and simple orders; for stencils also the best tiling by boxes. With fewer ranks than PUs those of the others
that only use as many PUs as ranks are asked twice, for the first PUs and for the same share of each group, and the better
one by hop-bytes counts. Times are medians of runs that take turns: user_s without reading and writing. At the end one row
for each ratio of commmap to the others. What did not fit into the time says so in a row.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mapping_cases import GROUPS, KINDS, MACHINES, NUMBERINGS, SIZES, group_of, has_kind
from mapping_summary import summaries

SCOTCH_SECONDS = 60
SCOTCH_RANKS = 16384
DISTANCES = "1:10:100:1000"


class Mapper:
    """One of the programs that are compared."""

    def __init__(self, name, command, *, ours=False, timed=True, most_ranks=None, seconds=None):
        self.name, self.command, self.ours = name, command, ours
        self.timed, self.most_ranks, self.seconds = timed, most_ranks, seconds

    def runs(self, machine, ranks):
        """The ways it is asked: name of the filling -> further arguments."""
        if self.most_ranks is not None and ranks > self.most_ranks:
            return {}
        if self.ours or machine.filling == "full":
            return {"": []}
        return {"block": [], "spread": ["--spread"]}


def others(build):
    metis = [Mapper(f"metis {form}", [build / "bench/peer_metis", "--form", form]) for form in ("recursive", "strong", "kway")]
    scotch = [Mapper(f"scotch {name}", [build / "bench/peer_scotch", *options.split()], timed=False, most_ranks=SCOTCH_RANKS,
                     seconds=SCOTCH_SECONDS)
              for name, options in (("default", "--strategy default"), ("quality", "--strategy quality"),
                                    ("default repaired", "--strategy default --repair"),
                                    ("quality repaired", "--strategy quality --balance 0.01 --repair"))]
    simple = [Mapper(form, [build / "bench/peer_simple", "--form", form], timed=False) for form in ("identity", "round-robin", "random")]
    return [*metis, *scotch, *simple]


def ours(commmap, objectives, presets):
    return [Mapper(f"commmap {objective} {preset}",
                   [commmap, "map", "--objective", objective, "--preset", preset], ours=True)
            for objective in objectives for preset in presets]


def run_json(command, seconds):
    """What the command prints last, as JSON, and what went wrong: one of the two. It is killed after so many seconds."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, f"killed after {seconds:.0f} s"
    except OSError as error:
        return None, str(error)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["it says nothing"]
        return None, f"exit code {done.returncode}: {last[0]}"
    try:
        return json.loads(done.stdout.strip().splitlines()[-1]), ""
    except (IndexError, json.JSONDecodeError):
        return None, "it prints no JSON"


def rounds_of(ranks):
    return 5 if ranks <= 16384 else 3 if ranks <= 131072 else 1


class Attempt:
    """One way to ask one mapper: its times, and its mapping's costs."""

    def __init__(self, mapper, filling, command, mapping):
        self.mapper, self.filling, self.command, self.mapping = mapper, filling, command, mapping
        self.taken, self.why, self.costs = [], "", {}

    def run(self, seconds):
        if self.why:
            return
        measured, self.why = run_json(self.command, self.mapper.seconds or seconds)
        if measured is not None:
            self.taken.append(measured)

    def evaluate(self, evaluate):
        if not self.taken:
            return
        costs, why = run_json([*evaluate, self.mapping], None)
        self.costs = costs or {}
        self.why = self.why or why or self.costs.get("why", "")
        self.mapping.unlink()

    @property
    def valid(self):
        return bool(self.costs.get("valid", False))

    def row(self, case):
        def median(key):
            values = [one[key] for one in self.taken if one.get(key) is not None]
            return statistics.median(values) if values else None

        peaks = [one["peak_mib"] for one in self.taken if one.get("peak_mib") is not None]
        return {**case, "mapper": self.mapper.name, "taken": self.filling, "valid": self.valid, "why": self.why,
                **{key: self.costs.get(key) for key in ("hop_bytes", "port_cost", "process_time")},
                "runs": len(self.taken), "user_s": median("user_s"), "wall_s": median("wall_s"),
                "peak_mib": max(peaks, default=None)}


def better(attempts):
    """Of the ways one mapper was asked."""
    return min(attempts, key=lambda one: (not one.valid, one.costs.get("hop_bytes") or 0))


class Bench:
    def __init__(self, build, mappers, seconds, deadline):
        self.tools = build / "bench"
        self.mappers, self.seconds, self.deadline = mappers, seconds, deadline

    def make_graph(self, kind, ranks, numbering, path):
        options = ["--renumber"] if numbering == "renumbered" else []
        done = subprocess.run([self.tools / "make_instance", kind, "--ranks", str(ranks), "--seed", "1", *options, "-o", path],
                              capture_output=True, text=True)
        return "" if done.returncode == 0 else done.stderr.strip() or f"exit code {done.returncode}"

    def map_and_evaluate(self, case, machine, graph, work):
        """One row for each mapper."""
        where = ["--tree", machine.tree, "--distances", DISTANCES]
        if machine.available:
            where += ["--available", machine.available]
        attempts = []
        for mapper in self.mappers:
            question = [*mapper.command, *(["--graph"] if mapper.ours else []), graph, *where, "--seed", "1"]
            for filling, options in mapper.runs(machine, case["ranks"]).items():
                mapping = work / f"mapping-{len(attempts)}"
                attempts.append(Attempt(mapper, filling, [*question, *options, "-o", mapping], mapping))
        for number in range(rounds_of(case["ranks"])):
            for attempt in attempts:
                if number == 0 or (attempt.mapper.timed and time.monotonic() < self.deadline):
                    attempt.run(self.seconds)
        for attempt in attempts:
            attempt.evaluate([self.tools / "evaluate_mapping", graph, *where])
        by_mapper = {}
        for attempt in attempts:
            by_mapper.setdefault(attempt.mapper.name, []).append(attempt)
        return [better(asked).row(case) for asked in by_mapper.values()]

    def tile(self, case, kind, machine):
        """The best placement by boxes, of which only the hop-bytes are known; no row when nothing divides."""
        if machine.filling != "full" or group_of(kind, machine.filling) != "stencil":
            return []
        tiled, why = run_json([self.tools / "box_tiling", kind, "--ranks", str(case["ranks"]), "--tree", machine.tree,
                               "--distances", DISTANCES], self.seconds)
        if tiled is not None and tiled["hop_bytes"] is None:
            return []
        return [plain_row(case, "box tiling", why, (tiled or {}).get("hop_bytes"))]

    def run(self, kind, ranks, numbering, work):
        """The rows of one graph, on all trees of its size."""
        graph = work / "graph"
        base = {"instance": f"{kind} {numbering}", "ranks": ranks}
        why = self.make_graph(kind, ranks, numbering, graph)
        rows = []
        for machine in MACHINES[ranks]:
            case = {**base, "tree": machine.tree, "filling": machine.filling, "group": group_of(kind, machine.filling)}
            if why:
                rows.append(plain_row(case, "make_instance", why))
            elif time.monotonic() >= self.deadline:
                rows.append(plain_row(case, "all", "no time left"))
            else:
                rows += self.map_and_evaluate(case, machine, graph, work) + self.tile(case, kind, machine)
        graph.unlink(missing_ok=True)
        return rows


def plain_row(case, mapper, why, hop_bytes=None):
    """Of what is no mapping that was evaluated."""
    return {**case, "mapper": mapper, "taken": "", "valid": False, "why": why, "hop_bytes": hop_bytes, "port_cost": None,
            "process_time": None, "runs": 0, "user_s": None, "wall_s": None, "peak_mib": None}


def missing(build, mappers):
    """Programs that the comparison needs and does not find."""
    tools = [build / "bench" / name for name in ("make_instance", "evaluate_mapping", "box_tiling")]
    return [str(program) for program in [*tools, *(mapper.command[0] for mapper in mappers)] if shutil.which(program) is None]


def names(known):
    def parse(text):
        wanted = text.split(",")
        unknown = [name for name in wanted if name not in map(str, known)]
        if unknown:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(map(str, known))}")
        return wanted
    return parse


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("commmap", metavar="COMMMAP")
    parser.add_argument("--sizes", type=names(SIZES), default=[str(size) for size in SIZES], metavar="N,...")
    parser.add_argument("--kinds", type=names(KINDS), default=KINDS, metavar="K,...", help=f"of {','.join(KINDS)}")
    parser.add_argument("--numberings", type=names(NUMBERINGS), default=NUMBERINGS, metavar="N,...")
    parser.add_argument("--objectives", type=lambda text: text.split(","), default=["hop-bytes"], metavar="O,...")
    parser.add_argument("--presets", type=lambda text: text.split(","), default=["default"], metavar="P,...")
    parser.add_argument("--budget-minutes", type=float, default=float("inf"), metavar="M", help="no new mapping after that")
    parser.add_argument("--seconds", type=float, default=600.0, help="of one run [%(default)s]")
    return parser.parse_args()


def main():
    options = arguments()
    deadline = time.monotonic() + 60.0 * options.budget_minutes
    mappers = [*others(options.build), *ours(options.commmap, options.objectives, options.presets)]
    if absent := missing(options.build, mappers):
        sys.exit(f"bench_mapping.py: no program {absent[0]}")
    bench = Bench(options.build, mappers, options.seconds, deadline)
    rows = []
    with tempfile.TemporaryDirectory(prefix="commmap-bench-") as work:
        for ranks in sorted(map(int, options.sizes)):
            for kind in options.kinds:
                if not has_kind(kind, ranks):
                    continue
                for numbering in options.numberings:
                    print(f"{kind} {numbering}, {ranks} ranks", file=sys.stderr)
                    rows += bench.run(kind, ranks, numbering, Path(work))
    rows += summaries(rows, [mapper.name for mapper in mappers if mapper.ours], GROUPS)
    print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
