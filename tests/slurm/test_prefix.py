# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The installed tree goes away or is replaced while steps run, or is one that others than root can change."""

import contextlib
import glob
import os
import re
import threading

import patience
import pytest

from cluster import FAKE_PLANNER, PATIENCE, PMIX, build, need, profiles_in
from killed_steps import STEP, WAITING
from places import BLOCK, REVERSED, WHERE, places

REFUSED = "cannot be run: others than root can change '{}'"


def logged(cluster):
    """What slurmd and slurmstepd of all nodes have said of commmap."""
    lines = []
    for path in glob.glob(cluster.log("slurmd.*")):
        with open(path, encoding="utf-8", errors="replace") as file:
            lines += [line for line in file if "commmap" in line]
    return "".join(lines)


def recorded(programs, work, between):
    """A recorded step that somebody ends from outside, after `between`."""
    waiting = WAITING.replace("LEAVER", programs["leaver"]).replace("OUT", f"{work}/leaver.out")
    return f"{waiting}; {between}; scancel {STEP}; wait $!; echo code $?"


def both_ways(cluster, programs, work, place, between):
    """@param between  what happens to the recorded step before its end"""
    plain = cluster.job(recorded(programs, work, "true").replace("OPTION", ""))
    return plain, cluster.job(recorded(programs, work, between).replace("OPTION", "--commmap=profile"), COMMMAP_PROFILE_DIR=place)


def test_a_recorded_step_outlives_the_tree(cluster, programs, work, own):
    """What would have kept its part is missing: a line in slurmd's log, and the step ends as without."""
    need(PMIX)
    place = f"{own}.profiles"
    plain, done = both_ways(cluster, programs, work, place, f"mv {own} {own}.gone")
    assert (done.code, done.out) == (plain.code, plain.out), (plain, done)
    assert len(done.said) <= 1 and not os.path.exists(place), done
    assert f"'{own}/lib/commmap/commmap-collect' cannot be run: No such file or directory" in logged(cluster)


@contextlib.contextmanager
def replaced_when_asked(own):
    """Gives shell words that end when `cmake --install` has replaced every file of the tree."""
    if "COMMMAP_BUILD" not in os.environ:
        pytest.skip("COMMMAP_BUILD is not set")
    asked, answer = f"{own}.asked", f"{own}.answer"

    def upgrade():
        patience.until(lambda: os.path.exists(asked), 60, "the beginning of the step")
        build("cmake", "--install", os.environ["COMMMAP_BUILD"], "--prefix", own)
        open(answer, "w", encoding="utf-8").close()

    with contextlib.ExitStack() as before:
        # open, so that no new file gets an old one's inode
        files = {path: before.enter_context(open(path, "rb")) for path in glob.glob(f"{own}/**", recursive=True) if os.path.isfile(path)}
        for path in files:
            os.utime(path, (0, 0))  # cmake leaves a file alone that has the time of the build's
        upgrading = threading.Thread(target=upgrade)
        upgrading.start()
        yield f"touch {asked}; until test -e {answer}; do sleep 0.05; done"
        upgrading.join()
        assert [path for path, file in files.items() if os.path.samestat(os.stat(path), os.fstat(file.fileno()))] == []


def test_a_recorded_step_outlives_an_upgrade(cluster, programs, work, own):
    """What it has recorded is kept by the new tree."""
    need(PMIX)
    place = f"{own}.profiles"
    with replaced_when_asked(own) as upgrade:
        plain, done = both_ways(cluster, programs, work, place, upgrade)
    assert (done.code, done.out) == (plain.code, plain.out), (plain, done)
    assert profiles_in(place)[0].endswith("-np16.commmap.partial"), done


@pytest.mark.parametrize("change", ["renamed", "replaced"])
def test_a_placed_step_outlives_the_tree(cluster, own, change):
    """The first on these nodes with that tree: at its end root asks each node for its CPUs, and the program for that is gone or another."""
    cluster.use(f"program={FAKE_PLANNER}", PATIENCE, plugin=f"{own}/lib/commmap/commmap.so")

    def step(option, name, words):
        """All ranks are there before rank 0 does it, and end after that. One of them fails."""
        place = f"{own}.{name}"
        all_there = f"echo $SLURM_PROCID $SLURMD_NODENAME 0 >{place}.$SLURM_PROCID; until [ $(ls {place}.[0-9]* | wc -l) = 16 ]; do sleep 0.05; done"
        once = f"if [ $SLURM_PROCID = 0 ]; then {words}; touch {place}.done; fi; until test -e {place}.done; do sleep 0.05; done"
        return cluster.job(f"srun -n16 {option} bash -c '{all_there}; {once}; echo rank $SLURM_PROCID ends; exit $((SLURM_PROCID == 5 ? 3 : 0))'; "
                           f"echo code $?; cat {place}.[0-9]* >&2", FAKE_PLAN="reverse")

    plain = step("", "plain", "true")
    if change == "renamed":
        done = step("--commmap=auto", "placed", f"mv {own} {own}.gone")
    else:
        with replaced_when_asked(own) as upgrade:
            done = step("--commmap=auto", "placed", upgrade)
    assert (done.code, sorted(done.lines)) == (plain.code, sorted(plain.lines)) and plain.lines[-1] == "code 3", (plain, done)
    assert done.told == [], done
    nodes = dict(map(int, rank) for rank in re.findall(r"^(\d+) m(\d+) 0$", done.err, re.MULTILINE))
    assert nodes == {rank: 7 - rank // 2 for rank in range(16)}, done
    if change == "replaced":
        after = cluster.job(f"srun -n16 --commmap=auto bash -c {WHERE}", FAKE_PLAN="reverse")
        assert places(after) == REVERSED and after.said == [], after


@pytest.mark.parametrize("mode", [0o777, 0o775])
def test_a_tree_that_others_can_change_is_not_run_by_root(cluster, programs, work, own, mode):
    need(PMIX)
    above = os.path.dirname(own)
    os.chmod(above, mode)
    place = f"{work}/refused {mode}"
    plain, done = both_ways(cluster, programs, work, place, "true")
    assert (done.code, done.out) == (plain.code, plain.out), (plain, done)
    assert len(done.said) <= 1 and not os.path.exists(place), done
    assert REFUSED.format(above) in logged(cluster)


def test_a_node_is_not_asked_by_root_in_a_tree_that_others_can_change(cluster, own):
    """A user's tasks ask it, as the user."""
    above = os.path.dirname(own)
    os.chmod(above, 0o777)
    cluster.use(f"program={FAKE_PLANNER}", PATIENCE, plugin=f"{own}/lib/commmap/commmap.so")
    done = cluster.login("salloc", "-Q", "-N8", "-n16", "-D", "/", "bash", "-c", f"srun -n16 --commmap=auto bash -c {WHERE}",
                         user="nobody", FAKE_PLAN="reverse")
    assert places(done) == REVERSED and done.said == [], done
    assert f"'{own}/lib/commmap/commmap-node' {REFUSED.format(above)}" in logged(cluster)


def test_a_planner_that_others_can_change_is_not_run_by_root(cluster, own):
    above = os.path.dirname(own)
    os.chmod(above, 0o777)
    cluster.use("cluster=/nonexistent.yaml", PATIENCE, plugin=f"{own}/lib/commmap/commmap.so")
    done = cluster.job(f"srun -n16 --commmap=auto bash -c {WHERE}")
    assert places(done) == BLOCK
    assert len(done.said) == 1 and REFUSED.format(above) in done.said[0], done
