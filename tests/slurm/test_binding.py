# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Which CPUs a task gets, on nodes of two packages of two cores of two threads."""

import os
import shlex
import shutil

import patience
import pytest

import cluster as clusters

NODES = ["m0", "m1"]
WHERE = "'echo $SLURM_PROCID $SLURMD_NODENAME $(taskset -p $$ | sed s/.*://)'"
PACKAGES = [0x0F, 0xF0]
CORES = [0x03, 0x0C, 0x30, 0xC0]


@pytest.fixture(name="smt", scope="module")
def _smt(prefix, work):
    it = clusters.Cluster(f"smt{os.getpid()}", prefix, work)
    it.up(shape=os.path.join(clusters.HERE, "shapes", "2x8-smt.yaml"))
    try:
        it.use_fake()
        yield it
    finally:
        it.down()


@pytest.fixture(name="run", params=["allocation", "standalone"])
def _run(smt, request):
    def run(options, command=f"bash -c {WHERE}", option="--commmap=auto", **variables):
        variables.setdefault("COMMMAP_PROFILE_DIR", smt.some_profiles())
        line = f"srun -Q {options} {option} {command}"
        if request.param == "allocation":
            line = f"salloc -Q -N2 --exclusive bash -c {shlex.quote(line)}"
        return smt.login("bash", "-c", line, **variables)
    run.where = request.param
    return run


def masks(done):
    """rank -> (node, CPU mask)"""
    assert done.code == 0, done
    return {int(rank): (node, int(mask, 16)) for rank, node, mask in (line.split() for line in done.lines)}


def check_disjoint(places):
    for node in NODES:
        used = 0
        for _, mask in (place for place in places.values() if place[0] == node):
            assert used & mask == 0, places
            used |= mask


@pytest.mark.parametrize("options, shared", [
    ("-N2 -n4 -c4", PACKAGES), ("-N2 -n8 -c2", CORES), ("-N2 -n16", CORES), ("-N2 -n8 --ntasks-per-node=4", CORES),
])
def test_each_rank_has_cpus_that_share_the_closest_cache(run, options, shared):
    """As many as Slurm gives it, which is more than asked for where it gives whole cores."""
    plain = masks(run(options, option=""))
    placed = masks(run(options))
    ranks = len(plain)
    assert len(placed) == ranks
    per_node = ranks // 2
    assert {rank: node for rank, (node, _) in placed.items()} == {rank: NODES[1 - rank // per_node] for rank in range(ranks)}
    for rank, (_, mask) in placed.items():
        assert mask.bit_count() == plain[rank][1].bit_count(), (plain, placed)
        assert any(mask & ~group == 0 for group in shared), placed
    check_reversed_inside_the_nodes(placed)  # which is what the planner said, not what Slurm does


@pytest.mark.parametrize("options, per_task", [("-N2 -n4 -c2 --hint=nomultithread", 2), ("-N2 -n4 -c2 --threads-per-core=1", 2)])
def test_one_thread_of_a_core_when_the_user_says_so(run, options, per_task):
    plain = masks(run(options, option=""))
    auto = masks(run(options))
    for node in NODES:
        def used(places):
            return sum(mask for where, mask in places.values() if where == node)
        assert used(auto) == used(plain), (plain, auto)
    check_disjoint(auto)
    if run.where == "standalone":
        assert {node for rank, (node, _) in auto.items() if rank < 2} == {"m1"}, auto
        for _, mask in auto.values():
            assert any(mask & ~group == 0 for group in PACKAGES), auto


@pytest.mark.parametrize("options, reason", [
    ("-N2 -n8 -c2 -m cyclic", "--distribution chooses the placement"),
    ("-N2 -n8 -c2 -m plane=2", "--distribution chooses the placement"),
    ("-N2 -n8 -c2 -m cyclic --export=LD_PRELOAD", "--distribution chooses the placement"),
    ("-N2 -n8 -c2 -m cyclic --multi-prog", None),
    ("-N2 -n8 -c2 -m cyclic --cpu-bind=none", None),
])
def test_an_order_of_the_users_stays_and_cpus_are_bound(run, work, options, reason):
    command = f"/bin/bash -c {WHERE}"
    if "--multi-prog" in options:
        command = f"{work}/several.conf"
        with open(command, "w", encoding="utf-8") as file:
            file.write(f"* /bin/bash -c {WHERE}\n")
    plain = masks(run(options, command, option=""))
    done = run(options, command)
    bound = masks(done)
    assert {rank: node for rank, (node, _) in bound.items()} == {rank: node for rank, (node, _) in plain.items()}
    if reason is None:  # nothing is left to do
        assert bound == plain
        assert len(done.said) == 1 and done.said[0].endswith("; launching as without commmap"), done
        return
    assert done.said == [f"commmap: {reason}: the order stays, only CPUs are bound"]
    check_reversed_inside_the_nodes(bound)


def test_keep_order_is_binding_only(run):
    options = "-N2 -n8 -c2"
    plain = masks(run(options, option=""))
    done = run(options, option="--commmap=auto,keep=order")
    assert done.said == []
    bound = masks(done)
    assert {rank: node for rank, (node, _) in bound.items()} == {rank: node for rank, (node, _) in plain.items()}
    check_reversed_inside_the_nodes(bound)
    step = run(options, "bash -c 'echo $SLURM_STEP_ID'", option="--commmap=auto,keep=order")
    assert set(step.lines) == {"0"}, step
    left = run(options, "bash -c 'env | cut -d= -f1 | grep -i commmap; true'", option="--commmap=auto,keep=order")
    assert [line for line in left.lines if line != "COMMMAP_PROFILE_DIR"] == []


def check_reversed_inside_the_nodes(places):
    check_disjoint(places)
    for node in NODES:
        mine = [places[rank][1] for rank in sorted(places) if places[rank][0] == node]
        assert mine == sorted(mine, reverse=True) and len(set(mine)) == len(mine), places


def test_the_mpis_own_binder_is_off(run):
    names = "I_MPI_PIN MV2_ENABLE_AFFINITY MVP_ENABLE_AFFINITY"
    show = f"bash -c 'for name in {names}; do echo $name=${{!name}}; done'"
    plain = run("-N2 -n8 -c2", show, option="")
    assert set(plain.lines) == {f"{name}=" for name in names.split()}
    bound = run("-N2 -n8 -c2", show)
    assert set(bound.lines) == {"I_MPI_PIN=off", "MV2_ENABLE_AFFINITY=0", "MVP_ENABLE_AFFINITY=0"}
    left = run("-N2 -n8 -c2 --cpu-bind=none", show)
    assert set(left.lines) == set(plain.lines)
    own = run("-N2 -n8 -c2", show, I_MPI_PIN="on")
    assert "I_MPI_PIN=on" in own.lines


def test_verbose_shows_it(run):
    done = run("-N2 -n8 -c2 --cpu-bind=verbose", "true")
    assert done.code == 0
    assert done.err.count("cpu-bind=MASK") == 8 or done.err.count("cpu_bind=MASK") == 8, done


def install(prefix, place, script):
    """The plugin in a place of its own, with this script, or nothing, as its commmap-node; the script's inode."""
    if not os.path.isdir(place):  # else a slurmstepd may still have the plugin in memory
        os.mkdir(place)
        shutil.copy(f"{prefix}/lib/commmap/commmap.so", place)
    program = f"{place}/commmap-node"
    if script is None:
        return None
    with open(f"{program}.new", "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\n{script}\n")
    os.chmod(f"{program}.new", 0o755)
    os.rename(f"{program}.new", program)
    return os.stat(program).st_ino


PROGRAMS = {
    "missing": None,
    "crash": "kill -SEGV $$",
    "hang": "sleep 1000",
    "nonsense": "echo nonsense",
    "error": "echo no /sys >&2; exit 1",
}


@pytest.mark.parametrize("way, reason", [
    ("missing", "'PROGRAM' cannot be run: No such file or directory"), ("crash", "'PROGRAM' was killed by signal 11 (Segmentation fault)"),
    ("hang", "'PROGRAM' took longer than 1 s"), ("nonsense", "what hwloc says of this node is damaged; run commmap-node on the node, and report a bug"),
    ("error", "'PROGRAM' failed with exit code 1: no /sys"),
])
def test_hwloc_fails(smt, prefix, work, way, reason):
    """Ranks are in the planned order, and no node is half bound; one line, whatever the number of nodes and tasks."""
    place = f"{work}/hwloc-{way}"
    install(prefix, place, PROGRAMS[way])
    reason = reason.replace("PROGRAM", f"{place}/commmap-node")
    options, how = "-N2 -n8 -c2", {"COMMMAP_PROFILE_DIR": smt.some_profiles()}
    plain = masks(smt.login("bash", "-c", f"srun -Q {options} bash -c {WHERE}", **how))
    smt.use(f"program={clusters.FAKE_PLANNER}", clusters.PATIENCE, plugin=f"{place}/commmap.so")
    try:
        done = smt.login("bash", "-c", f"srun -Q {options} --commmap=auto bash -c {WHERE}", **how)
        verbose = smt.login("bash", "-c", f"srun -Q {options} --commmap=auto,verbose true", **how)
    finally:
        smt.use_fake()
    placed = masks(done)
    assert {rank: node for rank, (node, _) in placed.items()} == {rank: NODES[1 - rank // 4] for rank in range(8)}
    assert sorted(placed.values()) == sorted(plain.values())
    lines = [f"commmap: {node}: CPU binding is left to Slurm: {reason}" for node in NODES]
    assert done.said == [lines[NODES.index("m1")]]
    assert sorted(line for line in verbose.said if "CPU binding" in line) == lines


def test_hwloc_is_asked_once_for_all_launches(smt, prefix, work):
    """By a task, and by root, which keeps its own answer and not the task's; once more when the program is another."""
    place, real = f"{work}/hwloc-kept", f"{prefix}/lib/commmap/commmap-node"
    program, runs = f"{place}/commmap-node", f"{place}/runs"
    script = f"id -un >> {runs}\n[ $(id -u) = 0 ] || export HWLOC_SYNTHETIC=pu:8\nexec {real}"

    def asked():
        """By whom, since the last time."""
        with open(runs, "r+", encoding="utf-8") as file:
            names = file.read().split()
            file.truncate(0)
        return sorted(names)

    def launch(before="", after="", allowed=()):
        """Gives the exit code of what comes last. `allowed`: what commmap may say."""
        srun = f"srun -Q -N2 -n8 -c2 --commmap=auto bash -c {WHERE}"
        done = smt.login("bash", "-c", f"cd /; {before}{shlex.quote(srun + after) if before else srun}", user="nobody", COMMMAP_PROFILE_DIR=profiles)
        assert set(done.said) <= set(allowed), done
        if not done.said:
            check_reversed_inside_the_nodes(masks(done))
        return done.code

    def launch_until_kept(number):
        """In an allocation: the step ends before its slurmstepds do, and the end of a job would end what they ask.

        On a busy machine a question may take too long; the next launch asks again.
        """
        late = [f"commmap: {node}: CPU binding is left to Slurm: '{program}' took longer than 1 s" for node in NODES]
        look = f"for look in $(seq 100); do grep -q \"^commmap-node {program} {number} \" /run/commmap/node && exit; sleep 0.1; done; exit 9"
        patience.until(lambda: launch("salloc -Q -N2 --exclusive bash -c ", f"; srun -Q -N2 -n2 --mpi=none sh -c '{look}'", late) == 0, 60, "an answer that is kept")
        return asked()

    profiles = smt.some_profiles()
    number = install(prefix, place, script)
    with open(runs, "w", encoding="utf-8") as file:
        os.chmod(file.name, 0o666)
    smt.use(f"program={clusters.FAKE_PLANNER}", clusters.PATIENCE, plugin=f"{place}/commmap.so")
    try:
        first = launch_until_kept(number)
        launch()
        second = asked()
        bytes_kept, bytes_of_node, bytes_of_task = smt.login(
            "srun", "-Q", "-N1", "-n1", "sh", "-c", f"tail -n +3 /run/commmap/node | cksum; {real} | cksum; HWLOC_SYNTHETIC=pu:8 {real} | cksum").lines
        third = launch_until_kept(install(prefix, place, script))
        launch()
        fourth = asked()
    finally:
        smt.use_fake()
    for both in (first, third):
        assert both.count("nobody") >= 2 and both.count("root") >= 2 and set(both) == {"nobody", "root"}
    assert second == fourth == []
    assert bytes_kept == bytes_of_node != bytes_of_task
