# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Mappings of commmap beside those of others: bench_mapping.py BUILD COMMMAP [--sizes N,...] [--kinds K,...] [--set SET] > rows.json

BUILD is a build directory. Each communication graph is made, each mapper maps it onto each tree of
its size, and evaluate_mapping, which shares no code with any of them, says what the mapping costs. Others: METIS level by
level, Scotch, and simple orders; for stencils also the best tiling by boxes. With fewer ranks than PUs those of the others
that only use as many PUs as ranks are asked twice, for the first PUs and for the same share of each group; the row is the better
one's by hop-bytes, lowest_port_cost and lowest_process_time are the lowest of both, spread_hop_bytes is of the second. Times are medians of runs that take
turns: user_s without reading and writing. What did not fit into the time says so in a row.

With --set the last rows say what commmap reaches on the set ("verdict": set_verdict.py).
At the end one row for each ratio of commmap to the others, that of a mapper's own objective (--objectives) first. --threads 1,2
adds each mapper in two threads and what its time is to that in one; --ablation adds each mapper without each of the engine's
parts and what that costs; with three sizes or more there are rows of how time and memory grow ("growth").
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

from mapping_cases import GROUPS, KINDS, MACHINES, NUMBERINGS, SETS, SIZES, SIZES_OF_SETS, instances_of_kinds, instances_of_set
from mapping_mappers import FAMILIES, PEERS, left_after, others, ours
from mapping_summary import COSTS, ablation_summaries, growth_summaries, summaries, thread_summaries
from set_verdict import verdicts

DISTANCES = "1:10:100:1000"


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


def rounds_of(ranks, mapper):
    """How often it is run: others with a million ranks only once."""
    if not mapper.timed:
        return 1
    return 5 if ranks <= 16384 else 3 if ranks <= 131072 or mapper.ours else 1


def edges_of(graph):
    """As the header of a graph file promises."""
    with open(graph) as lines:
        header = next(line for line in lines if not line.startswith("%"))
    return int(header.split()[1])


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
                **{key: self.costs.get(key) for key in COSTS},
                "runs": len(self.taken), "user_s": median("user_s"), "wall_s": median("wall_s"),
                "peak_mib": max(peaks, default=None), "hard": any(one.get("hard", False) for one in self.taken)}


def better(attempts):
    """Of the ways one mapper was asked."""
    return min(attempts, key=lambda one: (not one.valid, one.costs.get("hop_bytes") or 0))


def row_of(attempts, case):
    """Of the ways one mapper was asked: the better one, the lowest of the costs that it was not chosen by, and what spreading costs."""
    figures = {f"lowest_{cost}": min((one.costs[cost] for one in attempts if one.valid), default=None) for cost in COSTS[1:]}
    figures["spread_hop_bytes"] = min((one.costs["hop_bytes"] for one in attempts if one.valid and one.filling == "spread"), default=None)
    return {**better(attempts).row(case), **figures}


class Bench:
    def __init__(self, build, mappers, seconds, deadline):
        self.tools = build / "bench"
        self.mappers, self.seconds, self.deadline = mappers, seconds, deadline

    @staticmethod
    def make_graph(instance, path):
        done = subprocess.run([*map(str, instance.make), path], capture_output=True, text=True)
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
        rounds = [rounds_of(case["ranks"], attempt.mapper) for attempt in attempts]
        for number in range(max(rounds)):
            for attempt, most in zip(attempts, rounds):
                if number == 0 or (number < most and time.monotonic() < self.deadline):
                    attempt.run(self.seconds)
        for attempt in attempts:
            attempt.evaluate([self.tools / "evaluate_mapping", graph, *where])
        by_mapper = {}
        for attempt in attempts:
            by_mapper.setdefault(attempt.mapper.name, []).append(attempt)
        return [row_of(asked, case) for asked in by_mapper.values()]

    def tile(self, case, instance, machine):
        """The best placement by boxes, of which only the hop-bytes are known; no row when nothing divides."""
        if machine.filling != "full" or not instance.tiling:
            return []
        tiled, why = run_json([self.tools / "box_tiling", *instance.tiling, "--tree", machine.tree, "--distances", DISTANCES], self.seconds)
        if tiled is not None and tiled["hop_bytes"] is None:
            return []
        return [plain_row(case, "box tiling", why, (tiled or {}).get("hop_bytes"))]

    def run(self, instance, ranks, machines, work):
        """The rows of one graph, on these trees."""
        graph = work / "graph"
        why = self.make_graph(instance, graph)
        base = {"instance": instance.name, "ranks": ranks, "edges": None if why else edges_of(graph)}
        rows = []
        for machine in machines:
            group = instance.group if machine.filling == "full" else "partly filled"
            case = {**base, "tree": machine.tree, "filling": machine.filling, "group": group}
            if why:
                rows.append(plain_row(case, "make_instance", why))
            elif time.monotonic() >= self.deadline:
                rows.append(plain_row(case, "all", "no time left"))
            else:
                rows += self.map_and_evaluate(case, machine, graph, work) + self.tile(case, instance, machine)
        graph.unlink(missing_ok=True)
        return rows


def plain_row(case, mapper, why, hop_bytes=None):
    """Of what is no mapping that was evaluated."""
    return {**case, "mapper": mapper, "taken": "", "valid": False, "why": why, "hop_bytes": hop_bytes, "port_cost": None,
            "process_time": None, "runs": 0, "user_s": None, "wall_s": None, "peak_mib": None, "hard": None,
            "lowest_port_cost": None, "lowest_process_time": None, "spread_hop_bytes": None}


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


def thread_counts(text):
    counts = [int(word) for word in text.split(",")]
    if min(counts) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} has a number below 1")
    return sorted(set(counts))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("commmap", metavar="COMMMAP")
    parser.add_argument("--sizes", type=names(SIZES), default=[str(size) for size in SIZES], metavar="N,...")
    parser.add_argument("--kinds", type=names(KINDS), default=KINDS, metavar="K,...", help=f"of {','.join(KINDS)}")
    parser.add_argument("--set", choices=SETS, help="graphs of graph_sets.py instead, on full machines, of 1024 and 16384 ranks")
    parser.add_argument("--numberings", type=names(NUMBERINGS), default=NUMBERINGS, metavar="N,...")
    parser.add_argument("--objectives", type=lambda text: text.split(","), default=["hop-bytes"], metavar="O,...")
    parser.add_argument("--presets", type=lambda text: text.split(","), default=["default"], metavar="P,...")
    parser.add_argument("--threads", type=thread_counts, default=[1], metavar="N,...", help="of commmap; one thread is always among them")
    parser.add_argument("--ablation", action="store_true", help="commmap without each of its engine's parts, one at a time, too")
    parser.add_argument("--no-peers", type=names([*FAMILIES, *PEERS]), default=[], metavar="NAME,...",
                        help=f"leave out some of the others: {', '.join(FAMILIES)}, or one: 'metis strong'")
    parser.add_argument("--peer-ranks", type=int, default=float("inf"), metavar="N",
                        help="with more ranks METIS recursive and simple orders are the only others")
    parser.add_argument("--budget-minutes", type=float, default=float("inf"), metavar="M", help="no new mapping after that")
    parser.add_argument("--seconds", type=float, default=600.0, help="of one run [%(default)s]")
    options = parser.parse_args()
    if options.set:
        options.sizes = [size for size in options.sizes if int(size) in SIZES_OF_SETS]
    return options


def summaries_of(rows, mappers):
    variants = [mapper for mapper in mappers if mapper.full]
    engines = [mapper for mapper in mappers if mapper.ours and not mapper.full]
    compared = [row for row in rows if row["mapper"] not in {mapper.name for mapper in variants}]
    found = [row for mapper in engines for row in growth_summaries(rows, mapper.name)]
    for mapper in variants:
        if mapper.without:
            found += ablation_summaries(rows, mapper.name, mapper.full, mapper.objective, GROUPS)
        else:
            found += thread_summaries(rows, mapper.name, mapper.full, GROUPS)
    objectives = {mapper.name: mapper.objective for mapper in engines}
    return [*found, *summaries(compared, list(objectives), GROUPS, objectives)]


def main():
    options = arguments()
    deadline = time.monotonic() + 60.0 * options.budget_minutes
    mappers = [*left_after(others(options.build, options.peer_ranks), options.no_peers),
               *ours(options.commmap, options.objectives, options.presets, options.threads, options.ablation)]
    if absent := missing(options.build, mappers):
        sys.exit(f"bench_mapping.py: no program {absent[0]}")
    bench = Bench(options.build, mappers, options.seconds, deadline)
    rows = []
    with tempfile.TemporaryDirectory(prefix="commmap-bench-") as work:
        for ranks in sorted(map(int, options.sizes)):
            if options.set:
                instances, machines = instances_of_set(options.set, ranks), [one for one in MACHINES[ranks] if one.filling == "full"]
            else:
                instances, machines = instances_of_kinds(options.build, options.kinds, options.numberings, ranks), MACHINES[ranks]
            for instance in instances:
                print(f"{instance.name}, {ranks} ranks", file=sys.stderr)
                rows += bench.run(instance, ranks, machines, Path(work))
    judged = [mapper.name for mapper in mappers if mapper.ours and not mapper.full and mapper.objective == "hop_bytes"]
    verdict_rows = [row for name in judged for row in verdicts(rows, name)] if options.set else []
    print(json.dumps([*rows, *summaries_of(rows, mappers), *verdict_rows], indent=2))


if __name__ == "__main__":
    main()
