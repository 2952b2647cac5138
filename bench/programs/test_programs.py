# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""pytest bench/programs: runs the benchmark programs, small, on 1, 2, 4 and 16 ranks of this machine.

COMMMAP_BENCH_BIN  directory of the binaries [build/dev/bench/programs]
"""

import os
import re
import sys
from pathlib import Path

import mpi_job
import patience
import pytest

ROOT = Path(__file__).resolve().parents[2]
BINARIES = Path(os.environ.get("COMMMAP_BENCH_BIN", ROOT / "build/dev/bench/programs"))
GRAPHS = Path(__file__).resolve().parent / "graphs"

TIMING_LINE = re.compile(r"commmap-bench program=(\w+) ranks=(\d+) iterations=(\d+) message_bytes=(\d+) "
                         r"time_s=(\d+\.\d{6}) check=ok")
ALL = ["halo2d", "halo3d", "stencil_cg", "cg", "ring", "wavefront", "butterfly", "irregular", "transposed", "alltoall", "allreduce"]
SIZED = [name for name in ALL if name != "irregular"]

# Weights are message bytes; 2 and 4 vertices, so that the graphs can be checked by eye.
PAIR = "% two vertices\n2 1 001\n2 1000\n1 1000\n"
PATH_OF_4 = "4 3 001\n2 100\n1 100 3 2000\n2 2000 4 30\n3 30\n"
LONE = "1 0 001\n\n"


def mpirun(ranks, name, *options):
    """The programs print few lines; what mpirun adds of its own goes to stderr."""
    return mpi_job.run(["--allow-run-as-root", "--oversubscribe", "-n", str(ranks), "--mca", "pml", "ob1", "--mca", "btl", "self,vader",
                        "--mca", "mpi_yield_when_idle", "1", str(BINARIES / name), *map(str, options)])


def options_of(name, ranks, tmp_path):
    if name != "irregular":
        return ["--message-bytes", 1000, "--iterations", 3]
    graph = tmp_path / "test.graph"
    graph.write_text({1: LONE, 2: PAIR, 4: PATH_OF_4}[ranks])
    return [graph, "--iterations", 3]


def own_lines(done, name):
    """Lines of stderr that the program itself wrote."""
    return [line for line in done.stderr.splitlines() if line.startswith(name + ": ")]


def timing_of(done):
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    match = TIMING_LINE.fullmatch(line)
    assert match, line
    return match.groups()


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("name", ALL)
def test_prints_one_timing_line(name, ranks, tmp_path):
    program, num_ranks, iterations, _, time_s = timing_of(mpirun(ranks, name, *options_of(name, ranks, tmp_path)))

    assert (program, num_ranks, iterations) == (name, str(ranks), "3")
    assert ranks == 1 or float(time_s) > 0  # one rank alone has next to nothing to do


@pytest.mark.parametrize("name", ["halo2d", "halo3d", "stencil_cg", "ring", "wavefront", "transposed", "alltoall"])
def test_runs_on_an_odd_number_of_ranks(name):
    timing_of(mpirun(3, name, "--message-bytes", 7, "--iterations", 2))


@pytest.mark.parametrize("name", ["cg", "butterfly"])
def test_refuses_what_is_not_a_power_of_two(name):
    done = mpirun(3, name)

    assert done.returncode == 2
    assert own_lines(done, name) == [f"{name}: needs a power of two of ranks, not 3"]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("damaging_rank", [0, 3])
def test_finds_one_wrong_byte(name, damaging_rank, tmp_path):
    done = mpirun(4, name, *options_of(name, 4, tmp_path), "--corrupt-once", damaging_rank)

    assert done.returncode == 1
    assert "check=ok" not in done.stdout
    assert any("check failed" in line for line in own_lines(done, name))


@pytest.mark.parametrize("name", ALL)
def test_unknown_option_is_one_line(name):
    done = mpirun(2, name, "--frobnicate")

    assert (done.returncode, done.stdout) == (2, "")
    (line,) = own_lines(done, name)
    assert "--frobnicate" in line or name == "irregular"


@pytest.mark.parametrize("name", ALL)
def test_help_is_printed_once(name):
    done = mpirun(2, name, "--help")

    assert done.returncode == 0
    assert done.stdout.count("--iterations") == 1
    assert "--corrupt-once" not in done.stdout


@pytest.mark.parametrize("name, ranks, options", [
    ("halo2d", 4, ["--grid", "4x1", "--periodic"]),
    ("halo2d", 4, ["--grid", "2x2", "--periodic", "--scramble", 3]),
    ("halo3d", 4, ["--grid", "2x1x2", "--scramble", 5]),
    ("halo3d", 4, ["--grid", "2x1x2", "--periodic", "--in-turn"]),
    ("stencil_cg", 3, ["--grid", "3x1", "--scramble", 2]),
    ("ring", 4, ["--scramble", 2]),
    ("ring", 3, ["--pattern", "shift", "--scramble", 2]),
    ("ring", 3, ["--pattern", "token", "--message-bytes", 0]),
    ("wavefront", 4, ["--grid", "2x2", "--scramble", 2, "--fronts", 3]),
    ("transposed", 4, ["--grid", "4x1", "--scramble", 2, "--exchanges", 2]),
    ("alltoall", 1, []),
    ("allreduce", 3, ["--message-bytes", 8]),
    ("cg", 4, ["--scramble", 2]),
    ("cg", 2, ["--scramble", 2, "--message-bytes", 0]),
    ("cg", 8, []),
    ("butterfly", 4, ["--stage-bytes", "16,70000"]),
    ("ring", 2, ["--compute", 50, "--warmup", 0, "--seed", 9]),
    ("irregular", 16, [GRAPHS / "irregular16.graph", "--scale", 0.5]),
    ("halo3d", 16, ["--grid", "2x2x4", "--scramble", 5]),
])
def test_shapes(name, ranks, options):
    timing_of(mpirun(ranks, name, "--iterations", 2, *options))


@pytest.mark.parametrize("name, options, bytes_shown", [
    ("butterfly", ["--stage-bytes", "16,70000"], "70000"),
    ("cg", ["--message-bytes", 808], "808"),
])
def test_timing_line_names_the_largest_message(name, options, bytes_shown):
    assert timing_of(mpirun(4, name, "--iterations", 1, *options))[3] == bytes_shown


@pytest.mark.parametrize("name, options, problem", [
    ("halo2d", ["--grid", "3x2"], "--grid 3x2 has 6 cells, but the job has 2 ranks"),
    ("halo2d", ["--grid", "2"], "--grid '2' does not name 2 extents"),
    ("halo3d", ["--grid", "2xax1"], "--grid '2xax1' does not name 3 extents"),
    ("butterfly", ["--stage-bytes", "1,2,3"], "--stage-bytes names 3 stages, but 2 ranks have 1"),
    ("allreduce", ["--message-bytes", 12], "--message-bytes must be a multiple of 8, not 12"),
    ("cg", ["--message-bytes", 12], "--message-bytes must be a multiple of 8, not 12"),
    ("irregular", ["/nowhere.graph"], "cannot read the graph '/nowhere.graph'"),
    ("irregular", [GRAPHS / "irregular16.graph"], "has 16 vertices, but the job has 2 ranks"),
])
def test_impossible_requests_are_one_line(name, options, problem):
    done = mpirun(2, name, *options)

    assert done.returncode == 2
    (line,) = own_lines(done, name)
    assert problem in line


@pytest.mark.parametrize("text, problem", [
    ("2 1\n2\n1\n", "line 1: the graph has no edge weights"),
    ("2 1 001\n2 5\n1 6\n", "has no equal one back"),
    ("2 1 001\n3 5\n1 5\n", "line 2: vertex 3 cannot be a neighbour"),
    ("2 2 001\n2 5\n1 5\n", "the header promises 2 vertices and 2 edges, the file has 2 and 1"),
    ("2 1 001\n2 x\n1 5\n", "line 2: not a list of whole numbers: '2 x'"),
    ("2 1 001\n2 5\n", "the header promises 2 vertices"),
    ("2 1 001\n2 5\n1\n", "line 3: not a list of pairs"),
])
def test_bad_graphs_are_refused(text, problem, tmp_path):
    graph = tmp_path / "bad.graph"
    graph.write_text(text)

    done = mpirun(2, "irregular", graph)

    assert done.returncode == 2
    (line,) = own_lines(done, "irregular")
    assert problem in line


def test_the_shipped_graph_is_what_the_generator_writes():
    done = patience.run([sys.executable, GRAPHS / "make_irregular.py"], capture_output=True, text=True, check=True)

    assert done.stdout == (GRAPHS / "irregular16.graph").read_text()
