# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""A cluster that is upgraded while it works: srun has one build of commmap, some nodes have another.

COMMMAP_OLD_PREFIX is an installed tree of the other build; docs/developer/testing.md says how to make one. Without it nothing is run.
"""

import contextlib
import os
import re

import patience
import pytest

from cluster import FAKE_PLANNER, PATIENCE, PMIX, RELEASE, SHAPE, need
from killed_steps import STEP, WAITING
from places import BLOCK, REVERSED, WHERE, places

OLD = os.environ.get("COMMMAP_OLD_PREFIX")
NODES = [f"m{number}" for number in range(8)]
pytestmark = pytest.mark.skipif(not OLD or RELEASE.suite is not None, reason="COMMMAP_OLD_PREFIX is not set, or of another release's root")


@pytest.fixture(name="mixed", params=["new srun, old nodes", "old srun, new nodes", "new srun, half the nodes old"])
def _mixed(request, cluster):
    """What sets plugstack arguments for both builds."""
    srun, nodes = request.param.split(", ")
    others = NODES[:4] if "half" in nodes else NODES
    file = f"/run/commmap-testbed/{cluster.name}/plugstack.conf.d/testbed.conf"
    prefixes = {"new": cluster.prefix, "old": OLD}
    mounted = contextlib.ExitStack()

    def use(*arguments):
        mounted.close()
        build_of_srun = srun.split()[0]
        build_of_others = "new" if build_of_srun == "old" else "old"
        cluster.use(*arguments, plugin=f"{prefixes[build_of_srun]}/lib/commmap/commmap.so")
        of_nodes = f"{cluster.work}/plugstack-of-nodes"
        with open(of_nodes, "w", encoding="utf-8") as text:
            text.write(" ".join(["optional", f"{prefixes[build_of_others]}/lib/commmap/commmap.so", *arguments]) + "\n")
        for node in others:
            with open(f"/run/commmap-testbed/{cluster.name}/nodes/{node}/slurmd.pid", encoding="utf-8") as number:
                inside = ["nsenter", "-m", "-t", number.read().strip()]
            patience.run([*inside, "mount", "--bind", of_nodes, file], check=True)
            mounted.callback(patience.run, [*inside, "umount", file], check=True)

    use.name = request.param
    use.answer = answer_of(prefixes[srun.split()[0]])
    yield use
    mounted.close()
    cluster.use_planner()


def from_login(cluster, line, **variables):
    """Not in a batch script, which runs on the first node and has what that node has."""
    return cluster.login("salloc", "-Q", "-N8", "-n16", "bash", "-c", line, **variables)


def answer_of(prefix):
    """The version of the planner's answer that a build's plugin reads. Planner and plugin of srun are of one build."""
    with open(f"{prefix}/lib/commmap/commmap.so", "rb") as file:
        return re.search(rb"commmap-plan (\d)", file.read())[1].decode()


def test_placed(cluster, mixed):
    """The order is srun's; nodes that do not know what srun says of CPUs leave them to Slurm."""
    mixed(f"program={FAKE_PLANNER}", PATIENCE)
    plain = from_login(cluster, f"srun -n16 bash -c {WHERE}")
    done = from_login(cluster, f"srun -n16 --commmap=auto bash -c {WHERE}", COMMMAP_PROFILE_DIR=cluster.some_profiles(), FAKE_ANSWER=mixed.answer)
    assert places(plain) == BLOCK and nodes(places(done)) == nodes(REVERSED), (plain, done)
    assert len(done.told) <= 1, done


def nodes(found):
    return {rank: node for rank, (node, _) in found.items()}


ENDS = {
    "finalize": "srun -n16 OPTION LEAVER finalize",
    "mpi_abort": "srun -n16 OPTION LEAVER mpi_abort",
    "scancel": f"{WAITING}; scancel {STEP}; wait $!",
    "kill": f"{WAITING}; pkill -KILL -f '^LEAVER wait'; wait $!",  # of every rank, for all nodes see one table of processes
}
CODES = {"finalize": "code 0", "mpi_abort": "code 42", "scancel": "code 137", "kill": "code 137"}


def line_of(end, programs, work):
    return ENDS[end].replace("LEAVER", programs["leaver"]).replace("OUT", f"{work}/leaver.out") + "; echo code $?"


@pytest.mark.parametrize("end", ENDS)
def test_placed_ends_as_plain(cluster, programs, work, mixed, end):
    need(PMIX)
    mixed(f"program={FAKE_PLANNER}", PATIENCE)
    line = line_of(end, programs, work)
    plain = from_login(cluster, line.replace("OPTION", ""))
    done = from_login(cluster, line.replace("OPTION", "--commmap=auto"), COMMMAP_PROFILE_DIR=cluster.some_profiles(), FAKE_ANSWER=mixed.answer)
    assert (done.code, done.out) == (plain.code, plain.out) and plain.lines[-1] == CODES[end], (plain, done)
    assert len(done.told) <= 1 and "launching as without commmap" not in done.err, done


@pytest.mark.parametrize("end", ENDS)
def test_recorded(cluster, programs, work, mixed, end):
    need(PMIX)
    mixed(f"cluster={SHAPE}", PATIENCE)
    line = line_of(end, programs, work)
    plain = from_login(cluster, line.replace("OPTION", ""))
    place = f"{work}/{mixed.name} {end}".replace(" ", "-").replace(",", "")
    done = from_login(cluster, line.replace("OPTION", "--commmap=profile"), COMMMAP_PROFILE_DIR=place)
    assert (done.code, done.out) == (plain.code, plain.out), (plain, done)
    assert len(done.told) <= 1, done
    found = patience.run(["find", place, "-type", "f"], capture_output=True, text=True).stdout.split()
    whole, partial, parts = ([name for name in found if name.endswith(suffix)] for suffix in (".commmap", ".partial", ".part"))
    if "half" in mixed.name:
        assert len(partial) == 1 and len(parts) == 4 and "without 0-7 of 16 ranks" in done.told[0], (found, done)
    elif end == "finalize":
        assert len(whole) == 1 and parts == [], found
    else:
        assert len(parts) == 8, found
