# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The recorder beside another witness: what Open MPI's own pml_monitoring counts of the same run, rank by rank.

COMMMAP_BENCH_BIN  directory of the benchmark programs [build/dev/bench/programs]
COMMMAP_PREFIX     an installed tree
"""

import json
import os
import re
import sys
from pathlib import Path

import hpcc
import mpi_job
import open_mpi
import patience
import pytest

ROOT = Path(__file__).resolve().parents[2]
BINARIES = Path(os.environ.get("COMMMAP_BENCH_BIN", ROOT / "build/dev/bench/programs"))
PREFIX = Path(os.environ["COMMMAP_PREFIX"]) if "COMMMAP_PREFIX" in os.environ else None
RANKS = 4
GRAPH = "4 3 001\n2 100\n1 100 3 2000\n2 2000 4 30\n3 30\n"
SMALL = ["--message-bytes", "1000", "--iterations", "3"]
MELT = ["lmp", "-in", str(ROOT / "bench/lammps/melt.in"), "-log", "none",
        *"-var nx 4 -var ny 4 -var nz 8 -var px 1 -var py 2 -var pz 2 -var steps 20 -var warmup 5".split()]
COMMANDS = {**{name: [str(BINARIES / name), *SMALL] for name in ("halo2d", "halo3d", "cg", "ring", "butterfly")},
            "irregular": [str(BINARIES / "irregular"), "graph", "--iterations", "3"], "lammps": MELT, "hpcc": ["hpcc"]}
# E: messages of the program; I: those of MPI itself, which makes collectives of them
LINE = re.compile(r"E\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs sent")


def witnessed(place):
    """(from, to) -> (messages, bytes)"""
    found = {}
    for rank in range(RANKS):
        for source, target, size, messages in LINE.findall((place / f"monitored.{rank}.prof").read_text()):
            assert int(source) == rank
            found[rank, int(target)] = (int(messages), int(size))
    return found


def recorded(place):
    (profile,) = [path for path in (place / "profiles").iterdir() if path.suffix == ".commmap"]
    text = patience.run([PREFIX / "bin/commmap", "profile", "export", "--json", profile], capture_output=True, check=True).stdout
    return {(rank, to["peer"]): (sum(to["messages"]), sum(to["bytes"]))
            for rank, record in enumerate(json.loads(text)["ranks"]) for to in record["sent"]}


@pytest.mark.skipif(PREFIX is None, reason="COMMMAP_PREFIX is not set")
@pytest.mark.parametrize("name", COMMANDS)
def test_messages_and_bytes_as_open_mpi_counts_them(tmp_path, name):
    (tmp_path / "hpccinf.txt").write_text(hpcc.settings(size=200, block=20, rows=2, columns=2))
    (tmp_path / "graph").write_text(GRAPH)
    settings = {
        **open_mpi.ENVIRONMENT, **open_mpi.monitored(tmp_path / "monitored"), "OMPI_MCA_mpi_yield_when_idle": "1",
        # MPI_Alltoall in pairs: its linear form starts persistent requests, which pml_monitoring takes for the program's
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_alltoall_algorithm": "2",
        "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
    }
    rank = {"LD_PRELOAD": str(PREFIX / "lib/commmap/libcommmap_hooks_ompi.so"), "COMMMAP_RECORD": "1",
            "COMMMAP_PROFILE_DIR": str(tmp_path / "profiles")}
    handed = [word for key, value in rank.items() for word in ("-x", f"{key}={value}")]
    done = mpi_job.run(["-n", str(RANKS), *handed, *COMMANDS[name]], env={**os.environ, **settings}, cwd=tmp_path, seconds=120)
    assert done.returncode == 0, done.stderr
    theirs = witnessed(tmp_path)
    assert theirs, "pml_monitoring counted nothing"
    ours = recorded(tmp_path)
    more = {pair: (count[0] - ours.get(pair, (0, 0))[0], count[1] - ours.get(pair, (0, 0))[1]) for pair, count in theirs.items()}
    if more.get((1, 0)) != (0, 0):
        # Long reports went to rank 0 in a tree, which the recorder does not count: a length of 8 bytes and a report each up
        # the tree, and down it one byte, how it ended.
        sizes = {pair: more.pop(pair) for pair in ((1, 0), (3, 2), (2, 0))}
        assert all(messages == 2 and size > 8 for messages, size in sizes.values()), sizes
        assert sizes[2, 0][1] > sizes[3, 2][1], sizes  # its own and that of rank 3
        assert [more.pop(pair) for pair in ((0, 1), (2, 3), (0, 2))] == 3 * [(1, 1)], more
    assert set(ours) <= set(theirs) and set(more.values()) <= {(0, 0)}, more


@pytest.mark.skipif(PREFIX is None, reason="COMMMAP_PREFIX is not set")
@pytest.mark.parametrize("against", [False, True], ids=["one build", "two builds"])
def test_the_benchmark_runs(against):
    """It makes every row, and sees that each of its runs records. Nothing is measured."""
    done = patience.run([sys.executable, ROOT / "bench/recorder/bench_recorder.py", "--smoke", PREFIX / "lib/commmap", "1",
                         *(["--against", PREFIX / "lib/commmap"] if against else [])], seconds=600, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    calls = [(call, threads) for threads in (1, 4) for call, ranks in (("proc_null", 1), ("self", 1), ("ping_pong", 2))
             if threads * ranks <= 2 * os.cpu_count()]
    modes = [("openmpi", "counting"), ("openmpi", "timed"), ("mpich", "counting"), ("mpich", "timed")]
    if against:
        assert all(row["least_ns"] > 0 and row["other_ns"] > 0 for row in rows), rows
    else:
        modes.append(("openmpi", "monitoring"))
    assert sorted((row["mpi"], row["mode"], row["call"], row["threads"]) for row in rows) == sorted((*mode, *call) for mode in modes for call in calls)
