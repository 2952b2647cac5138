# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""JSON that `commmap` prints, beside the pages that list its keys."""

import json
import os
import pathlib

import documented
import patience
import pytest
from two_nodes import CLUSTER

PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
BUILD = pathlib.Path(os.environ["COMMMAP_BUILD"])
# with something in every list
FULL_PROFILE = pathlib.Path(__file__).resolve().parents[1] / "data/profile/profile_v3.commmap"
JOB = ("--nodelist", "n[0-1]", "--cpus-per-node", "2(x2)", "--ntasks", "4")
# These keys hold one kind of value in one place and another in another; their tables say what they are in each.
OF_SEVERAL_KINDS = {"bytes", "calls", "placement", "ranks", "rounds", "step"}


@pytest.fixture
def printed(tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    app = tmp_path / "app"
    app.write_text("#!/bin/sh\n")
    app.chmod(0o755)
    (tmp_path / "ring.graph").write_text("4 4\n2 4\n1 3\n2 4\n1 3\n")
    patience.run([BUILD / "tests/cli/make_profile", tmp_path / "app.commmap", "4", "2", "100000000"], check=True)

    def run(*arguments):
        done = patience.run([PREFIX / "bin/commmap", *map(str, arguments)], capture_output=True, text=True, cwd=tmp_path,
                            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "COMMMAP_CLUSTER": str(tmp_path / "cluster.yaml")})
        assert done.returncode == 0, done
        return done.stdout
    run.directory = tmp_path
    return run


def figures_of_a_graph(printed):
    return json.loads(printed("map", "--graph", "ring.graph", "--tree", "2:2", "--distances", "1:10", "-o", "placement"))


def placement(printed):
    return json.loads(printed("map", "--profile", "app.commmap", "--format", "json"))


def profile(printed):
    document = json.loads(printed("profile", "export", "--json", FULL_PROFILE))
    assert document == json.loads(printed("profile", "export", "--format", "json", FULL_PROFILE))
    for rank in document["ranks"]:
        rank["calls"] = list(rank["calls"].values())  # the keys are functions of MPI
    return document


def estimate(printed):
    return json.loads(printed("estimate", "--profile", "app.commmap", "--random", "10", "--json"))


def report(printed):
    printed("plan", "--profile", "app.commmap", "--command", "app", *JOB, "--report", "plan.json")
    printed("launch-report", "finish", "plan.json", "--step", "7.1", "--nodelist", "n[0-1]", "--layout", "0,1,0,1")
    return json.loads((printed.directory / "plan.json").read_text())


def peers(printed):
    lines = "phase solve 2\n0 1 100 20\n1 2 100 30\nphase output 1\n0 2 100 40\n"
    for name in ("small", "large"):
        patience.run([BUILD / "tests/cli/make_phases", printed.directory / name, "3"], input=lines, text=True, check=True)
    return json.loads(printed("analyze", "peers", "large", "--schedule-from", "small", "--format", "json",
                              "--connection-cost", "0.001", "--saved-per-message", "0.00001"))


DOCUMENTS = [
    (figures_of_a_graph, "user/mapping.md", "The line of JSON:"),
    (placement, "user/machine-files.md", "## JSON"),
    (profile, "formats/profile-format.md", "## JSON"),
    (estimate, "user/mappers.md", "## JSON of estimate"),
    (report, "user/launch.md", "The report:"),
    (peers, "user/peers.md", "## JSON"),
]


@pytest.mark.parametrize("document, page, heading", DOCUMENTS, ids=[document.__name__ for document, *_ in DOCUMENTS])
def test_pages_have_the_keys(printed, document, page, heading):
    documented.check(document(printed), page, heading)


def kinds_of_keys(value):
    """(key, kind of its value) of an object and all that is in it; nothing for null, which may stand for any."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if inner is not None:
                yield key, "number" if type(inner) in (int, float) else type(inner).__name__
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from kinds_of_keys(inner)


def test_a_key_is_of_one_kind_in_all_documents(printed):
    kinds = {}
    for document, *_ in DOCUMENTS:
        for key, kind in kinds_of_keys(document(printed)):
            kinds.setdefault(key, set()).add(kind)
    assert {key for key, found in kinds.items() if len(found) > 1} == OF_SEVERAL_KINDS, kinds
