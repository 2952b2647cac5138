# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""`commmap map --graph`: a graph file and a tree in, a placement and its figures out."""

import json
import os
import pathlib
import random
import re
import signal
import subprocess
import xml.etree.ElementTree

import patience
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
        return patience.run([PREFIX / "bin/commmap", "map", *arguments], capture_output=True, text=True, cwd=tmp_path,
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
    assert set(figures) == {"hop_bytes", "port_cost", "process_time", "cut_short", "hard", "user_s", "wall_s", "peak_mib"}


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
    for text in ("candidate", "order", "multisection", "chosen", "most loaded links, ranks in order", "chosen placement", "height 2, group"):
        assert text in done.stderr


def test_figures_that_cannot_be_written_are_no_success(tmp_path):
    (tmp_path / "ring.graph").write_text(GRAPH)
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = patience.run([PREFIX / "bin/commmap", "map", "--graph", "ring.graph", *TREE, "-o", "placement"], stdout=full,
                            stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    assert done.returncode != 0 and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("objective", ["hop-bytes", "port-cost", "process-time"])
@pytest.mark.parametrize("write", ["random_graph", "renumbered_grid"])
def test_threads_do_not_change_what_is_found(commmap_map, tmp_path, write, objective):
    # More ranks than one piece of any loop that threads share has (16,384); no budget, which depends on the clock.
    {"random_graph": random_graph, "renumbered_grid": renumbered_grid}[write](tmp_path / "large.graph", 20000, 4)
    ask = ["--graph", "large.graph", "--tree", "32:25:25", "--distances", "1:10:100", "--objective", objective, "--budget", "1000"]
    one, two, many = (commmap_map(*ask, "--threads", number) for number in ("1", "2", "5"))
    assert (one.returncode, two.returncode, many.returncode) == (0, 0, 0)
    assert len(set(one.stdout.split())) == 20000
    assert one.stdout == two.stdout
    assert one.stdout == many.stdout


@pytest.mark.parametrize("parts", ["grids", "hierarchies,combinations", "exchanges,balancing", "chains,kicks"])
def test_without_parts_there_is_still_a_placement(commmap_map, parts):
    done = commmap_map("--graph", "ring.graph", *TREE, "--objective", "port-cost", "--without", parts)
    assert done.returncode == 0
    assert sorted(map(int, done.stdout.split())) == list(range(8))


def test_an_old_name_of_a_part_is_answered_with_its_new_name(commmap_map):
    refused = commmap_map("--graph", "ring.graph", *TREE, "--without", "evening")
    assert refused.returncode == 2 and refused.stdout == ""
    assert len(refused.stderr.splitlines()) == 1 and "'evening' is called 'balancing' now" in refused.stderr


def test_without_annealing_another_placement_is_found(commmap_map, tmp_path):
    chance = random.Random(1)
    pairs = {tuple(sorted(chance.sample(range(256), 2))) for _ in range(1500)}
    rows = [" ".join(f"{other + 1} 1" for pair in pairs if v in pair for other in pair if other != v) for v in range(256)]
    (tmp_path / "256.graph").write_text(f"256 {len(pairs)} 001\n" + "\n".join(rows) + "\n")
    ask = ["--graph", "256.graph", "--tree", "4:8:8", "--distances", "1:10:100", "-o", "placement"]
    with_all, without = (json.loads(commmap_map(*ask, *more).stdout) for more in ([], ["--without", "annealing"]))
    assert with_all["hop_bytes"] < without["hop_bytes"]
    assert not with_all["hard"]


def test_parts_that_are_left_out_are_not_used(commmap_map, tmp_path):
    (tmp_path / "64.graph").write_text("64 64 001\n" + "".join(f"{(v - 1) % 64 + 1} 1 {(v + 1) % 64 + 1} 1\n" for v in range(64)))
    ask = ["--graph", "64.graph", "--tree", "4:4:4", "--distances", "1:10:100", "--budget", "1000", "--explain", "-o", "placement"]
    with_all = commmap_map(*ask)
    without = commmap_map(*ask, "--without", "grids")
    assert "boxes" in with_all.stderr
    assert "boxes" not in without.stderr and "multisection" in without.stderr


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_term_and_int_end_the_search_with_what_there_is(commmap_map, tmp_path, ending):
    # A graph that takes the strong preset a second of a CPU; the signal comes when the program has read it and maps. The
    # program lets every other one have the CPU first, so that the signal is there in time.
    ranks = 4096
    edges = {frozenset((v, (v * 7 + step * step * 31 + 1) % ranks)) for v in range(ranks) for step in range(12)}
    rows = [[] for _ in range(ranks)]
    for edge in edges:
        if len(edge) == 2:
            a, b = edge
            rows[a].append(b)
            rows[b].append(a)
    number = sum(map(len, rows)) // 2
    (tmp_path / "large.graph").write_text(f"{ranks} {number} 001\n" + "".join(" ".join(f"{u + 1} 1" for u in row) + "\n" for row in rows))
    ask = ["--graph", "large.graph", "--tree", "16:4:8:8", "--distances", "1:10:100:1000", "--preset", "strong", "--threads", "2", "--budget", "1000",
           "-o", "placement"]
    with subprocess.Popen(["nice", "-n", "19", PREFIX / "bin/commmap", "map", *ask], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}) as process:
        tasks = pathlib.Path(f"/proc/{process.pid}/task")
        patience.until(lambda: process.poll() is not None or len(list(tasks.iterdir())) > 1, 60, "a second thread: it maps")
        assert process.poll() is None, "it was done before it could be told to end: make the graph larger"
        process.send_signal(ending)
        out, err = patience.communicate(process, 60)
    assert (process.returncode, err) == (0, "")
    assert len({int(line) for line in (tmp_path / "placement").read_text().split()}) == ranks
    whole = commmap_map(*ask)
    assert whole.returncode == 0
    assert (json.loads(out)["cut_short"], json.loads(whole.stdout)["cut_short"]) == (True, False)


@pytest.mark.parametrize("words, message", [
    (["--bugdet", "5"], "--bugdet"),
    (["--prset", "strong"], "--prset"),
    (["extra"], "unexpected word 'extra' beside --graph"),
])
def test_mistyped_options_and_stray_words_are_named(commmap_map, words, message):
    done = commmap_map("--graph", "ring.graph", *TREE, *words)
    assert done.returncode != 0 and message in done.stderr and "excludes" not in done.stderr


def test_a_budget_that_is_gone_at_once_still_gives_a_placement(commmap_map):
    done = commmap_map("--graph", "ring.graph", *TREE, "--budget", "1e-6")
    assert done.returncode == 0
    assert sorted(map(int, done.stdout.split())) == list(range(8))


SVG = "{http://www.w3.org/2000/svg}"


def elements(picture, name, kind=None):
    return [e for e in picture.iter(SVG + name) if kind in (None, e.get("class"))]


def cells_of(panel):
    """Row and column of every cell that is drawn, each once, to its colour."""
    (group,) = elements(panel, "g", "cells")
    cells = {}
    for path in group:
        x = y = 0
        assert re.fullmatch(r"(m-?\d+ -?\d+h\d+)+", path.get("d"))
        for dx, dy, length in re.findall(r"m(-?\d+) (-?\d+)h(\d+)", path.get("d")):
            x, y = x + int(dx), y + int(dy)
            for column in range(x, x + int(length)):
                assert cells.setdefault((y, column), path.get("stroke")) == path.get("stroke")
            x += int(length)
    return cells


def matrix_of(pus):
    """What has bytes in PAIRS' matrix, its ranks sorted by PU, and how many."""
    place = {rank: i for i, rank in enumerate(sorted(range(len(pus)), key=lambda rank: pus[rank]))}
    return {(place[a], place[b]): weight for pair, weight in PAIRS.items() for a in pair for b in pair if a != b}


def random_graph(path, ranks, degree):
    """Weights from 1 to 2^30, by orders of magnitude."""
    draw = random.Random(7)
    rows = [{} for _ in range(ranks)]
    for a in range(ranks):
        for _ in range(degree // 2):
            b = draw.randrange(ranks)
            if a != b:
                rows[a][b] = rows[b][a] = 2 ** draw.randrange(31)
    write_rows(path, rows)


def renumbered_grid(path, ranks, degree):
    """Of 2 * degree by 25 by what is left, without diagonals."""
    number = list(range(ranks))
    random.Random(7).shuffle(number)
    rows = [{} for _ in range(ranks)]
    stride = 1
    for side in 2 * degree, 25, ranks // 25 // (2 * degree):
        for v in range(ranks):
            if v // stride % side + 1 < side:
                a, b = number[v], number[v + stride]
                rows[a][b] = rows[b][a] = 8
        stride *= side
    write_rows(path, rows)


def write_rows(path, rows):
    """Each vertex's neighbours and the weights of their edges."""
    text = "".join(" ".join(f"{b + 1} {weight}" for b, weight in row.items()) + "\n" for row in rows)
    path.write_text(f"{len(rows)} {sum(map(len, rows)) // 2} 001\n" + text)


def test_picture_has_both_matrices_in_the_order_of_pus(commmap_map, tmp_path):
    done = commmap_map("--graph", "ring.graph", *TREE, "--svg", "ring.svg", "-o", "placement")

    assert (done.returncode, done.stderr) == (0, "")
    picture = xml.etree.ElementTree.parse(tmp_path / "ring.svg").getroot()
    assert picture.tag == SVG + "svg"
    assert [e.text for e in picture[:2]][0] == "ring.graph on 2:2:2" and picture[1].tag == SVG + "desc"
    before, after = elements(picture, "g", "panel")
    assert [panel[0].text for panel in (before, after)] == ["ranks in order", "chosen placement"]
    pus = [int(line) for line in (tmp_path / "placement").read_text().split()]
    for panel, expected in ((before, list(range(8))), (after, pus)):
        cells, matrix = cells_of(panel), matrix_of(expected)
        assert set(cells) == set(matrix)
        assert len({(cells[at], matrix[at]) for at in cells}) == len(set(cells.values())) == 2
    words = "\n".join(e.text for e in elements(picture, "text"))
    assert f"hop-bytes {hop_bytes(range(8)):g}\n" in words
    assert f"hop-bytes {hop_bytes(pus):g}, {hop_bytes(pus) / hop_bytes(range(8)):.3g} of ranks in order" in words
    assert "load of 2 links above groups of height 2: at most 4002 in order (grey), " in words


def test_picture_of_a_large_graph_is_small(commmap_map, tmp_path):
    random_graph(tmp_path / "large.graph", 3000, 8)
    done = commmap_map("--graph", "large.graph", "--tree", "2:2:800", "--distances", "1:10:100", "--svg", "large.svg", "-o", "placement")
    assert done.returncode == 0
    assert (tmp_path / "large.svg").stat().st_size < 300 * 1024
    picture = xml.etree.ElementTree.parse(tmp_path / "large.svg").getroot()
    for panel in elements(picture, "g", "panel"):
        cells = cells_of(panel)
        assert 1000 < len(cells) and max(max(at) for at in cells) == 249  # of 12 ranks
        assert set(cells) == {(column, row) for row, column in cells}
    (links,) = elements(picture, "g", "links")
    for bars in links.findall(SVG + "path")[:2]:
        assert 0 < bars.get("d").count("M") <= 200  # of 4 links each


def test_picture_of_a_dense_graph_has_larger_cells(commmap_map, tmp_path):
    random_graph(tmp_path / "dense.graph", 256, 700)
    done = commmap_map("--graph", "dense.graph", "--tree", "8:32", "--distances", "1:10", "--svg", "dense.svg", "-o", "placement")
    assert done.returncode == 0
    assert (tmp_path / "dense.svg").stat().st_size < 300 * 1024
    picture = xml.etree.ElementTree.parse(tmp_path / "dense.svg").getroot()
    assert [max(max(at) for at in cells_of(panel)) for panel in elements(picture, "g", "panel")] == [127, 127]


def test_same_question_same_picture(commmap_map, tmp_path):
    random_graph(tmp_path / "some.graph", 300, 6)
    for number in "1", "2":
        ask = ["--graph", "some.graph", "--tree", "4:4:20", "--distances", "1:10:100", "--threads", number, "--budget", "1000", "--svg", number + ".svg"]
        assert commmap_map(*ask).returncode == 0
    assert (tmp_path / "1.svg").read_bytes() == (tmp_path / "2.svg").read_bytes()


@pytest.mark.parametrize("name, title", [
    ("<a> & \"b\" 'c'.graph", "<a> & \"b\" 'c'.graph on 2:2:2"), ("größe.graph", "größe.graph on 2:2:2"),
    (b"\xff\xed\xa0\x80\xc3.graph", "?????.graph on 2:2:2"), (b"\xef\xbf\xbf\x01.graph", "??? .graph on 2:2:2")])
def test_any_name_can_be_in_a_picture(commmap_map, tmp_path, name, title):
    name = os.fsdecode(name)
    (tmp_path / name).write_text(GRAPH)
    assert commmap_map("--graph", name, *TREE, "--svg", "ring.svg").returncode == 0
    assert xml.etree.ElementTree.parse(tmp_path / "ring.svg").getroot()[0].text == title


@pytest.mark.parametrize("graph, tree", [("0 0\n", "2:2"), ("1 0\n\n", "4"), ("3 0\n\n\n\n", "2:2"), ("2 1\n2\n1\n", "1:1:4")])
def test_picture_of_next_to_nothing(commmap_map, tmp_path, graph, tree):
    (tmp_path / "small.graph").write_text(graph)
    distances = ":".join("1" for _ in tree.split(":"))
    assert commmap_map("--graph", "small.graph", "--tree", tree, "--distances", distances, "--svg", "small.svg").returncode == 0
    text = (tmp_path / "small.svg").read_text()
    assert "nan" not in text and "inf" not in text
    assert len(elements(xml.etree.ElementTree.fromstring(text), "g", "panel")) == 2


@pytest.mark.parametrize("path", ["none/ring.svg", "."])
def test_a_picture_that_cannot_be_written_is_no_success(commmap_map, tmp_path, path):
    done = commmap_map("--graph", "ring.graph", *TREE, "--svg", path, "-o", "placement")
    assert done.returncode != 0 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("commmap: ") and f"'{path}'" in line
    assert len((tmp_path / "placement").read_text().split()) == 8  # what was asked for first is there
    assert {p.name for p in tmp_path.iterdir()} == {"ring.graph", "placement"}


@pytest.mark.parametrize("graph, svg, output, message", [
    ("ring.graph", None, "ring.graph", "--graph and --output"),
    ("ring.graph", None, "to-ring.graph", "--graph and --output"),
    ("to-ring.graph", "ring.graph", "placement", "--graph and --svg"),
    ("ring.graph", "hard.graph", "placement", "--graph and --svg"),
    ("ring.graph", "to-placement", "placement", "--svg and --output"),
    ("ring.graph", "placement", "here/to-placement", "--svg and --output"),
    ("ring.graph", "here/placement", "placement", "--svg and --output"),
])
def test_what_is_written_is_no_other_file_of_the_same_call(commmap_map, tmp_path, graph, svg, output, message):
    (tmp_path / "to-ring.graph").symlink_to("ring.graph")
    (tmp_path / "hard.graph").hardlink_to(tmp_path / "ring.graph")
    (tmp_path / "to-placement").symlink_to("placement")  # which is not there yet
    (tmp_path / "here").symlink_to(".")
    done = commmap_map("--graph", graph, *TREE, *(["--svg", svg] if svg else []), "-o", output)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"commmap: {message} name the same file\n"
    assert (tmp_path / "ring.graph").read_text() == GRAPH
    assert not (tmp_path / "placement").exists()


def test_a_link_to_somewhere_else_is_written_through(commmap_map, tmp_path):
    (tmp_path / "to-picture").symlink_to("picture")
    (tmp_path / "loop").symlink_to("loop")
    assert commmap_map("--graph", "ring.graph", *TREE, "--svg", "to-picture", "-o", "placement").returncode == 0
    assert (tmp_path / "picture").read_text().startswith("<svg")
    assert commmap_map("--graph", "ring.graph", *TREE, "--svg", "loop", "-o", "placement").returncode != 0


@pytest.mark.parametrize("arguments, message", [
    (["--graph", "none.graph", *TREE], "commmap: --graph: cannot read 'none.graph': No such file or directory"),
    (["--graph", "bad.graph", *TREE], "commmap: --graph: bad.graph:3: vertex 2 is its own neighbour"),
    (["--graph", "ring.graph", "--tree", "2:2", "--distances", "1:10"], "commmap: --graph: ring.graph: 8 ranks do not fit on 4 PUs"),
    (["--graph", "ring.graph", "--tree", "2:two", "--distances", "1:10"], "commmap: --tree: '2:two' is no tree"),
    (["--graph", "ring.graph", "--tree", "2:4", "--distances", "1:-1"], "commmap: --distances: '1:-1' are no distances"),
    (["--graph", "ring.graph", "--tree", "2:4", "--distances", "1"], "commmap: --tree, --distances: 1 distances for 2 levels"),
    (["--graph", "ring.graph", *TREE, "--available", "0-8"], "commmap: --available: PU 8 does not exist"),
    (["--graph", "ring.graph", *TREE, "--available", ""], "commmap: --available: no PU may be used"),
    (["--graph", "", *TREE], "commmap: --graph: cannot read ''"),
    (["--graph", "ring.graph", *TREE, "--preset", "best"], "--preset"),
    (["--graph", "ring.graph", *TREE, "--objective", "beauty"], "--objective"),
    (["--graph", "ring.graph", *TREE, "--budget", "0"], "--budget"),
    (["--graph", "ring.graph", *TREE, "--threads", "0"], "--threads"),
    (["--graph", "ring.graph", *TREE, "--threads", "many"], "--threads"),
    (["--graph", "ring.graph", *TREE, "--without", "chains,luck"], "--without"),
    (["--threads", "2"], "--graph"),
    (["--graph", "ring.graph", *TREE, "--budget", "nan"], "--budget"),
    (["--graph", "ring.graph", *TREE, "--budget", "1e10"], "--budget"),
    (["--graph", "ring.graph"], "--tree"),
    (["--tree", "2:4"], "--graph"),
    (["--graph", "ring.graph", *TREE, "--mapper", "greedy"], "--mapper"),
    (["--graph", "ring.graph", *TREE, "--profile", "x"], "--profile"),
    (["--graph", "ring.graph", *TREE, "--svg", "-"], "--svg: a picture goes to a file"),
    (["--graph", "ring.graph", *TREE, "--svg", ""], "--svg: a picture goes to a file"),
    (["--graph", "ring.graph", *TREE, "--svg", "./placement"], "--svg and --output name the same file"),
    (["--graph", "ring.graph", *TREE, "--svg", "ring.graph"], "--graph and --svg name the same file"),
    (["--svg", "ring.svg"], "--svg requires --graph"),
])
def test_bad_input_gives_one_line(commmap_map, tmp_path, arguments, message):
    (tmp_path / "bad.graph").write_text("2 1\n2\n2\n")
    done = commmap_map(*arguments, "-o", "placement")
    assert done.returncode != 0
    assert done.stdout == ""
    assert message in done.stderr and len(done.stderr.splitlines()) <= 2
    assert not (tmp_path / "placement").exists()
