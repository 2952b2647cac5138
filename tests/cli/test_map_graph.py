"""`commmap map --graph`: a graph file and a tree in, a placement and its figures out."""

import json
import os
import pathlib
import subprocess

import pytest

PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
TREE = ["--tree", "2:2:2", "--distances", "1:10:100"]
# a ring of 0 .. 7, in which the pairs (0, 4), (1, 5), (2, 6), (3, 7) exchange much more
PAIRS = {frozenset((v, (v + 1) % 8)): 1 for v in range(8)} | {frozenset((v, v + 4)): 1000 for v in range(4)}
GRAPH = f"8 {len(PAIRS)} 001\n" + "".join(
    " ".join(f"{u + 1} {PAIRS[frozenset((v, u))]}" for u in range(8) if frozenset((v, u)) in PAIRS) + "\n" for v in range(8))


def hop_bytes(pus):
    distance = {0: 0, 1: 1, 2: 10, 3: 100}
    return sum(weight * distance[(pus[a] ^ pus[b]).bit_length()] for (a, b), weight in ((tuple(p), w) for p, w in PAIRS.items()))


@pytest.fixture
def commmap_map(tmp_path):
    (tmp_path / "ring.graph").write_text(GRAPH)

    def run(*arguments):
        return subprocess.run([PREFIX / "bin/commmap", "map", *arguments], capture_output=True, text=True, cwd=tmp_path, timeout=60,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)})
    return run


@pytest.mark.parametrize("preset", ["fast", "default", "strong"])
def test_partners_share_a_group(commmap_map, tmp_path, preset):
    done = commmap_map("--graph", "ring.graph", *TREE, "--preset", preset, "-o", "placement")

    assert (done.returncode, done.stderr) == (0, "")
    pus = [int(line) for line in (tmp_path / "placement").read_text().split("\n")[:-1]]
    assert sorted(pus) == list(range(8))
    assert all(pus[v] // 2 == pus[v + 4] // 2 for v in range(4))
    (line,) = done.stdout.splitlines()
    figures = json.loads(line)
    assert figures["hop_bytes"] == hop_bytes(pus)
    assert set(figures) == {"hop_bytes", "port_cost", "process_time", "user_s", "peak_mib"}


def test_to_standard_output_the_figures_go_beside(commmap_map):
    done = commmap_map("--graph", "ring.graph", *TREE, "--seed", "3")
    again = commmap_map("--graph", "ring.graph", *TREE, "--seed", "3")

    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 8
    assert done.stdout == again.stdout
    assert json.loads(done.stderr)["hop_bytes"] == hop_bytes([int(line) for line in done.stdout.split()])


def test_only_pus_that_may_be_used(commmap_map):
    done = commmap_map("--graph", "ring.graph", "--tree", "3:2:2", "--distances", "1:10:100", "--available", "1-2,4-7,10-11")
    assert done.returncode == 0
    assert sorted(map(int, done.stdout.split())) == [1, 2, 4, 5, 6, 7, 10, 11]


def test_explain_says_what_was_made_and_what_is_loaded(commmap_map):
    done = commmap_map("--graph", "ring.graph", *TREE, "--explain", "-o", "placement")
    assert done.returncode == 0
    for text in ("candidate", "order", "multisection", "chosen", "most loaded links", "height 2, group"):
        assert text in done.stderr


def test_figures_that_cannot_be_written_are_no_success(tmp_path):
    (tmp_path / "ring.graph").write_text(GRAPH)
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([PREFIX / "bin/commmap", "map", "--graph", "ring.graph", *TREE, "-o", "placement"], stdout=full,
                              stderr=subprocess.PIPE, text=True, cwd=tmp_path, timeout=60, check=False)
    assert done.returncode != 0 and len(done.stderr.splitlines()) == 1


def test_a_budget_that_is_gone_at_once_still_gives_a_placement(commmap_map):
    done = commmap_map("--graph", "ring.graph", *TREE, "--budget", "1e-6")
    assert done.returncode == 0
    assert sorted(map(int, done.stdout.split())) == list(range(8))


@pytest.mark.parametrize("arguments, message", [
    (["--graph", "none.graph", *TREE], "commmap: --graph: cannot read 'none.graph': No such file or directory"),
    (["--graph", "bad.graph", *TREE], "commmap: --graph: bad.graph:3: vertex 2 is its own neighbour"),
    (["--graph", "ring.graph", "--tree", "2:2", "--distances", "1:10"], "commmap: 8 ranks do not fit on 4 PUs"),
    (["--graph", "ring.graph", "--tree", "2:two", "--distances", "1:10"], "commmap: --tree: '2:two' is no tree"),
    (["--graph", "ring.graph", "--tree", "2:4", "--distances", "1:-1"], "commmap: --distances: '1:-1' are no distances"),
    (["--graph", "ring.graph", "--tree", "2:4", "--distances", "1"], "1 distances for 2 levels"),
    (["--graph", "ring.graph", *TREE, "--available", "0-8"], "commmap: --available: PU 8 does not exist"),
    (["--graph", "ring.graph", *TREE, "--available", ""], "commmap: --available: no PU may be used"),
    (["--graph", "", *TREE], "commmap: --graph: cannot read ''"),
    (["--graph", "ring.graph", *TREE, "--preset", "best"], "--preset"),
    (["--graph", "ring.graph", *TREE, "--objective", "beauty"], "--objective"),
    (["--graph", "ring.graph", *TREE, "--budget", "0"], "--budget"),
    (["--graph", "ring.graph", *TREE, "--budget", "nan"], "--budget"),
    (["--graph", "ring.graph", *TREE, "--budget", "1e10"], "--budget"),
    (["--graph", "ring.graph"], "--tree"),
    (["--tree", "2:4"], "--graph"),
    (["--graph", "ring.graph", *TREE, "--mapper", "greedy"], "--mapper"),
    (["--graph", "ring.graph", *TREE, "--profile", "x"], "--profile"),
])
def test_bad_input_gives_one_line(commmap_map, tmp_path, arguments, message):
    (tmp_path / "bad.graph").write_text("2 1\n2\n2\n")
    done = commmap_map(*arguments, "-o", "placement")
    assert done.returncode != 0
    assert done.stdout == ""
    assert message in done.stderr and len(done.stderr.splitlines()) <= 2
    assert not (tmp_path / "placement").exists()
