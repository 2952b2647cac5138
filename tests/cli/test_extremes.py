# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Profiles and graphs at their limits: a plan, or what was found by then."""

import json
import os
import pathlib

import patience
import pytest

PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
BUILD = pathlib.Path(os.environ["COMMMAP_BUILD"])


def commmap(home, *words):
    return patience.run([PREFIX / "bin/commmap", *map(str, words)], capture_output=True, text=True, cwd=home,
                        env={"PATH": "/usr/bin:/bin", "HOME": str(home)})


@pytest.mark.parametrize("what", ["one", "all", "unlike"])
@pytest.mark.parametrize("ranks", [2, 3, 16, 255, 1024])
def test_a_plan_within_its_budget(tmp_path, ranks, what):
    """With the plugin's budget. On a busy machine the time may be up before a placement has been looked at."""
    nodes = (ranks + 7) // 8
    (tmp_path / "cluster.yaml").write_text(f"""\
version: 1
links: {{net: {{bandwidth: 100 MB/s}}}}
node_classes: {{wide: {{hwloc: {{synthetic: "core:8 pu:1"}}, link: net}}}}
switches: {{s: {{nodes: "n[0-{nodes - 1}]", class: wide}}}}
""")
    patience.run([BUILD / "tests/cli/make_extreme", tmp_path / "app.commmap", str(ranks), what], check=True)

    done = commmap(tmp_path, "plan", "--profile", "app.commmap", "--cluster", "cluster.yaml", "--nodelist", f"n[0-{nodes - 1}]",
                   "--cpus-per-node", f"8(x{nodes})", "--ntasks", ranks, "--budget", 0.6)

    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "") and lines[0] == "commmap-plan 2" and lines[-1] == "end", done
    [decision] = [line for line in lines if line.startswith("decision ")]
    may_be_late = ranks >= 255 and what != "one"
    assert decision in ("decision apply", "decision keep") or may_be_late and "planning took too long" in done.stdout, done
    if ranks <= 16:
        # all pairs alike: nothing is better than Slurm's own; a single message is worth no change
        assert decision == "decision keep"


def graph_text(vertices, edges):
    rows = [[] for _ in range(vertices)]
    for one, other, weight in edges:
        rows[one].append(f"{other + 1} {weight}")
        rows[other].append(f"{one + 1} {weight}")
    return f"{vertices} {len(edges)} 001\n" + "".join(" ".join(row) + "\n" for row in rows)


@pytest.mark.parametrize("preset", ["fast", "default", "strong"])
@pytest.mark.parametrize("edges", [
    [(v, v + 1, 0) for v in range(255)],
    [(0, v, v) for v in range(1, 256)],
    [(v, (v + 1) % 128, 7) for v in range(128)] + [(128 + v, 128 + (v + 1) % 128, 7) for v in range(128)],
    [],
], ids=["zero weights", "a hub to all", "two components", "no edges"])
def test_each_rank_gets_a_pu(tmp_path, preset, edges):
    (tmp_path / "g.graph").write_text(graph_text(256, edges))

    done = commmap(tmp_path, "map", "--graph", "g.graph", "--tree", "8:4:8", "--distances", "1:10:100", "--preset", preset, "-o", "placement")

    assert (done.returncode, done.stderr) == (0, ""), done
    assert sorted(map(int, (tmp_path / "placement").read_text().split())) == list(range(256))
    assert json.loads(done.stdout)["cut_short"] is False
