# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The programs that bench_mapping.py compares."""

from dataclasses import dataclass
from pathlib import Path

SCOTCH_SECONDS = 60
SCOTCH_RANKS = 16384
PARTS = ["grids", "hierarchies", "combinations", "annealing", "exchanges", "balancing", "chains", "kicks"]  # that --without leaves out


@dataclass
class Mapper:
    """One of them: others, or one of ours."""

    name: str
    command: list
    ours: bool = False
    timed: bool = True
    most_ranks: float = float("inf")
    seconds: float | None = None
    objective: str = "hop_bytes"  # what it is to make small
    full: str = ""  # this one is that mapper of ours with more threads or without a part; empty: it is that itself
    threads: int = 1
    without: str = ""

    def runs(self, machine, ranks):
        """The ways it is asked: name of the filling -> further arguments."""
        if ranks > self.most_ranks:
            return {}
        if self.ours or machine.filling == "full":
            return {"": []}
        return {"block": [], "spread": ["--spread"]}


def others(build, peer_ranks=float("inf")):
    """With more than peer_ranks ranks only METIS recursive and the simple orders are asked."""
    metis = [Mapper(f"metis {form}", [build / "bench/peer_metis", "--form", form], most_ranks=most_ranks)
             for form, most_ranks in (("recursive", float("inf")), ("strong", peer_ranks), ("kway", peer_ranks))]
    scotch = [Mapper(f"scotch {name}", [build / "bench/peer_scotch", *options.split()], timed=False,
                     most_ranks=min(SCOTCH_RANKS, peer_ranks), seconds=SCOTCH_SECONDS)
              for name, options in (("default", "--strategy default"), ("quality", "--strategy quality"),
                                    ("default repaired", "--strategy default --repair"),
                                    ("quality repaired", "--strategy quality --balance 0.01 --repair"))]
    simple = [Mapper(form, [build / "bench/peer_simple", "--form", form], timed=False) for form in ("identity", "round-robin", "random")]
    return [*metis, *scotch, *simple]


def family(name):
    return name.split()[0]


PEERS = [mapper.name for mapper in others(Path())]
FAMILIES = list(dict.fromkeys(map(family, PEERS)))


def left_after(mappers, left_out):
    """Without those of these names and these families (metis, scotch)."""
    return [mapper for mapper in mappers if mapper.name not in left_out and family(mapper.name) not in left_out]


def ours(commmap, objectives, presets, threads=(1,), ablation=False):
    """For each objective and preset the full engine, that in several threads, and, for an ablation, that without each of its parts."""
    mappers = []
    for objective in objectives:
        for preset in presets:
            full = Mapper(f"commmap {objective} {preset}", [commmap, "map", "--objective", objective, "--preset", preset],
                          ours=True, objective=objective.replace("-", "_"))
            mappers.append(full)
            mappers += [variant(full, f"{count} threads", ["--threads", str(count)], threads=count) for count in threads if count > 1]
            mappers += [variant(full, f"without {part}", ["--without", part], without=part) for part in PARTS if ablation]
    return mappers


def variant(full, words, options, **what):
    return Mapper(f"{full.name} {words}", [*full.command, *options], ours=True, objective=full.objective, full=full.name, **what)
