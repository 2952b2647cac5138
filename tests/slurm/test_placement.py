# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What a plan says is what the tasks get: order, CPUs, environment, nested launches, handing on."""

import os
import re

import patience
import pytest

from cluster import LONG_RING, PMIX, RELEASE, need
from places import BLOCK, REVERSED, WHERE, places


@pytest.fixture(autouse=True)
def _fake(cluster):
    cluster.use_fake()


def test_order_and_binding(cluster):
    done = cluster.job(f"srun -n16 --commmap=auto bash -c {WHERE}")
    assert places(done) == REVERSED
    assert done.said == []


def test_off_is_slurms_own(cluster):
    for option in ("", "--commmap=off"):
        assert places(cluster.job(f"srun -n16 {option} bash -c {WHERE}")) == BLOCK


def test_keep_changes_nothing(cluster):
    done = cluster.job(f"srun -n16 --commmap=auto bash -c {WHERE}", FAKE_PLAN="keep")
    assert places(done) == BLOCK
    assert done.said == []


def test_decline_shows_the_planners_reason(cluster):
    done = cluster.job(f"srun -n16 --commmap=auto bash -c {WHERE}", FAKE_PLAN="decline")
    assert places(done) == BLOCK
    assert done.said == ["commmap: I decline"]


def test_verbose_is_handed_to_the_planner(cluster):
    done = cluster.job("srun -n16 --commmap=auto,verbose true")
    assert done.said == ["commmap: 16 tasks on m[0-7] with 2(x8)"]


@pytest.mark.parametrize("options", [
    "--nodes=8 -n16 --ntasks-per-node=2",
    "-N8 -ln16 --cpu-bind=cores",
    "--ntasks-per-n 2 -n16 -D / --export=ALL,A=1",
    "-n16 -c1 -u -K1 --mpi=pmix -J name",
])
def test_options_are_written_again(cluster, options):
    if "pmix" in options:
        need(PMIX)
    done = cluster.job(f"srun {options} --commmap=auto bash -c {WHERE}")
    done.out = re.sub(r"(?m)^ *\d+: ", "", done.out)
    assert places(done) == REVERSED


def test_fewer_tasks_than_cpus(cluster):
    done = cluster.job(f"srun -n11 --commmap=auto bash -c {WHERE}")
    found = places(done)
    assert [found[rank][0] for rank in range(11)] == ["m7", "m6", "m5", "m4", "m3", "m2", "m2", "m1", "m1", "m0", "m0"]
    assert found[5][1] == "1" and found[6][1] == "0"
    assert done.said == []


@pytest.mark.parametrize("options, order", [
    ("-N2 -n4 -w m[2-3]", "3 3 2 2"), ("-N3 -n5 -r2", "4 3 3 2 2"), ("-N2 -n3 -r6", "7 6 6"), ("-N2 -n3 -x m[0-5]", "7 6 6"), ("-n8 --exact", "7 6 5 4 3 2 1 0"),
    ("-n8 -c2", "7 6 5 4 3 2 1 0"), ("-n8 --overlap", "7 6 5 4 3 2 1 0"), ("--ntasks-per-node=1 -n8", "7 6 5 4 3 2 1 0"),
])
def test_a_part_of_the_job(cluster, options, order):
    if "-r" in options and RELEASE.name == "26.05":
        pytest.skip("--relative counts in the order of the switches there, and is left alone")
    if "-r2" in options and RELEASE.name == "24.11":
        pytest.skip("more nodes are left than are wanted, and are taken in turn there: it is left alone")
    found = places(cluster.job(f"srun {options} --commmap=auto bash -c {WHERE}"))
    assert [found[rank][0][1:] for rank in range(len(found))] == order.split()


def test_steps_beside_each_other(cluster):
    """Two of them at once, each a task on every node; and one that finds another at work."""
    both = "for i in 1 2; do srun -n8 --exact --commmap=auto bash -c 'echo $SLURM_PROCID $SLURMD_NODENAME' & done; wait"
    done = cluster.job(both)
    assert sorted(done.lines) == sorted(f"{rank} m{7 - rank}" for rank in range(8) for _ in range(2)), done
    beside = "srun -n8 --exact --overlap sleep 1000 & until squeue -hs -o %i | grep -q '[.][0-9]'; do :; done; " \
             "srun -n12 --exact --commmap=auto true; kill -KILL $!; wait"
    assert any("other steps of the job run" in line for line in cluster.job(beside).said)


@pytest.mark.parametrize("choice", ["map_cpu:0,0", "none", "mask_cpu:0x3,0x3"])
def test_users_binding_stays(cluster, choice):
    plain = places(cluster.job(f"srun -n16 --cpu-bind={choice} bash -c {WHERE}"))
    auto = places(cluster.job(f"srun -n16 --cpu-bind={choice} --commmap=auto bash -c {WHERE}"))
    assert [auto[rank][0] for rank in range(16)] == [REVERSED[rank][0] for rank in range(16)]
    assert {place for place in auto.values()} == {place for place in plain.values()}


# srun's own option, COMMMAP, salloc's option, plugstack: the first that says anything counts
@pytest.mark.parametrize("option, variable, handed_on, site, placed", [
    ("", "", "", "", False), ("", "", "", "auto", True), ("", "", "auto", "", True), ("", "auto", "", "", True), ("auto", "", "", "", True),
    ("", "", "off", "auto", False), ("", "off", "", "auto", False), ("off", "", "", "auto", False),
    ("", "off", "auto", "", False), ("", "auto", "off", "", True), ("", "auto", "off", "off", True), ("", "off", "auto", "auto", False),
    ("off", "auto", "auto", "auto", False), ("auto", "off", "off", "off", True), ("auto", "off", "", "", True), ("off", "", "auto", "", False),
    ("", "nonsense", "auto", "", True),
])
def test_who_decides(cluster, option, variable, handed_on, site, placed):
    cluster.use_fake(*([f"mode={site}"] if site else []))
    script = f"srun -n16 {'--commmap=' + option if option else ''} bash -c {WHERE}"
    options = [f"--commmap={handed_on}"] if handed_on else []
    done = cluster.job(script, *options, **({"COMMMAP": variable} if variable else {}))
    assert places(done) == (REVERSED if placed else BLOCK)


def test_switched_off_by_the_admin(cluster):
    """In a hurry, and for everybody: scripts that say --commmap go on running."""
    cluster.use_fake("mode=auto", "disabled=1")
    line = "commmap: switched off on this cluster by its admin; launching as without commmap"
    for option, variables, said in (("", {}, []), ("--commmap=auto", {}, [line]), ("", {"COMMMAP": "auto"}, [line]),
                                    ("--commmap=profile", {}, [line]), ("--commmap=off", {}, [])):
        done = cluster.job(f"srun -n16 {option} bash -c {WHERE}", **variables)
        assert places(done) == BLOCK and done.said == said, done
    done = cluster.job("srun -n2 --commmap=profile env")
    assert "COMMMAP_RECORD" not in done.out and "libcommmap_hooks" not in done.out, done
    done = cluster.login("srun", "-Q", "-n2", "--commmap=auto", "hostname", COMMMAP_PROFILE_DIR=cluster.some_profiles())
    assert done.code == 0 and done.said == [line], done
    done = cluster.job("srun -n2 --commmap=auto,dry-run touch /nonexistent/never")
    assert done.code == 0 and done.said[-1].startswith("commmap: dry run: nothing is launched"), done


def test_who_decides_what_tasks_do(cluster, programs, work):
    """Recording is set up in the tasks, which get the option of salloc too."""
    need(PMIX)
    cluster.use_planner()
    place = f"{work}/decided"
    run = f"srun -n4 {programs['ring']} > {work}/decided.out; ls {place} | grep -c commmap; srun -n4 env | grep COMMMAP_MODE"
    assert cluster.job(run, "--commmap=profile", COMMMAP="off", COMMMAP_PROFILE_DIR=place).lines == ["0"]
    assert cluster.job(run, "--commmap=off", COMMMAP="profile", COMMMAP_PROFILE_DIR=place).lines == ["1"]


def test_from_sbatch(cluster, work):
    script = f"{work}/batch.sh"
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/bash\n#SBATCH -N8 -n16 --commmap=auto\nsrun bash -c {WHERE}\necho end\n")
    done = cluster.login("sbatch", "-Q", "-o", f"{work}/batch.out", script)
    assert done.code == 0, done

    def whole():
        with open(f"{work}/batch.out", encoding="utf-8") as file:
            text = file.read()
        return text.endswith("end\n") and text
    # sbatch --wait looks every ten seconds
    done.out = patience.until(lambda: os.path.exists(f"{work}/batch.out") and whole(), 60, "the end of the batch job").removesuffix("end\n")
    assert places(done) == REVERSED


@pytest.mark.parametrize("tasks", [16, 8, 5])
def test_environment_of_the_tasks(cluster, work, tasks):
    """Only what tells the place or the step apart differs; nothing of ours is left."""
    # srun 26.05 gives fewer tasks than nodes other nodes in the second step than in the first: SLURM_STEP_NODELIST
    varying = re.compile(r"PMIX_|SLURM_PMIX|OMPI_MCA_orte_precondition_transports$|PMI_JOBID$|PMI_FD$|SLURM_SRUN_COMM_PORT$|SLURM_STEP_?ID$|SLURM_STEP_LAUNCHER_PORT$|SLURM_TASK_PID$"
                         r"|SLURMD_NODENAME$|SLURM_STEP_NODELIST$|SLURM_NODEID$|SLURM_TOPOLOGY_ADDR$|HOSTNAME$|_$"
                         r"|I_MPI_PIN$|MV2_ENABLE_AFFINITY$|MVP_ENABLE_AFFINITY$")
    script = f"bash -c 'env -0 > {work}/env.$0.$SLURM_PROCID'"
    done = cluster.job(f"srun -n{tasks} {script} plain && srun -n{tasks} --commmap=auto {script} auto")
    assert done.code == 0, done
    done = cluster.job(f"srun -n{tasks} {script} handed", "--commmap=auto")
    assert done.code == 0, done

    def environment(which):
        with open(f"{work}/env.{which}.0", encoding="utf-8") as file:
            pairs = dict(entry.partition("=")[::2] for entry in file.read().split("\0") if entry)
        return {key: value for key, value in pairs.items() if not varying.match(key)}

    plain, auto = environment("plain"), environment("auto")
    differing = {key for key in plain.keys() | auto.keys() if plain.get(key) != auto.get(key)}
    assert differing == set()
    for which in ("plain", "auto", "handed"):
        assert [key for key in environment(which) if "commmap" in key.lower() or key == "SLURM_HOSTFILE"] == []


@pytest.mark.parametrize("option, site, variables, keep", [
    ("auto,keep=blocks", [], {}, "blocks"), ("auto", [], {"COMMMAP_KEEP": "blocks"}, "blocks"),
    ("auto", ["keep=blocks"], {}, "blocks"), ("auto,keep=none", ["keep=blocks"], {}, "none"),
    ("auto,keep=order", [], {}, "order"), ("", ["mode=auto,keep=order"], {"COMMMAP": "auto,keep=blocks"}, "blocks"),
])
def test_what_is_kept(cluster, programs, recorded, option, site, variables, keep):
    """Partners' nodes come below one switch, as far as five nodes and three allow; a node's ranks stay together."""
    cluster.use_planner(*site)
    srun = f"srun -n16 {'--commmap=' + option if option else ''} {programs['ring']}"
    done = cluster.job(srun, COMMMAP_PROFILE_DIR=recorded, **variables)
    assert done.code == 0 and done.said == [], done
    node = {int(line.split()[1]): int(line.split()[5][1]) for line in done.lines}
    assert len(node) == 16 and all(line.endswith("right") for line in done.lines), done
    assert node[0] == 0
    together = sum(node[rank] == node[rank + 8] for rank in range(8))
    whole = all(node[rank] == node[rank + 1] for rank in range(0, 16, 2))
    if keep == "none":
        assert together == 8
    elif keep == "order":
        assert node == {rank: rank // 2 for rank in range(16)}
    else:
        assert whole and sorted(node.values()) == sorted(2 * list(range(8)))
        switch = {rank: where >= 5 for rank, where in node.items()}
        assert sum(switch[rank] == switch[rank + 8] for rank in range(8)) == 6, node


def test_kept_with_uneven_blocks(cluster, programs, work):
    """Fourteen ranks, r talks to r + 7: m6 and m7 have one, the others two, and m5 is below their switch."""
    need(PMIX)
    cluster.use_planner()
    place = f"{work}/uneven"
    assert cluster.job(f"srun -n14 --commmap=profile {programs['ring']} {LONG_RING}", COMMMAP_PROFILE_DIR=place).code == 0
    lines = {}
    for option in ("auto,keep=blocks", "off"):
        done = cluster.job(f"srun -n14 --commmap={option} {programs['ring']}", COMMMAP_PROFILE_DIR=place)
        assert done.code == 0, done
        lines[option] = {int(line.split()[1]): int(line.split()[5][1]) for line in done.lines}
    kept, plain = lines["auto,keep=blocks"], lines["off"]
    assert len(kept) == 14 and kept[0] == plain[0]
    assert sorted(kept.values()) == sorted(plain.values())
    for rank in range(1, 14):
        assert (kept[rank] == kept[rank - 1]) == (plain[rank] == plain[rank - 1])

    def crossing(nodes):
        return sum((nodes[rank] >= 5) != (nodes[rank + 7] >= 5) for rank in range(7))
    assert crossing(plain) == 4 and crossing(kept) == 2


def test_nested_srun(cluster):
    """A launch from within a placed task, and one from within a task that inherits COMMMAP=auto."""
    nested = "'[ $SLURM_PROCID = 0 ] || exit 0; srun -N1 -n1 --overlap -w $SLURMD_NODENAME hostname; srun -n2 --overlap hostname | wc -l'"
    for how in ({}, {"COMMMAP": "auto"}):
        done = cluster.job(f"srun -n16 --commmap=auto bash -c {nested}", **how)
        assert done.code == 0, done
        assert done.lines == ["m7", "2"], done
        assert done.said == []


def test_nested_srun_that_asks(cluster):
    done = cluster.job("srun -n16 bash -c '[ $SLURM_PROCID = 0 ] || exit 0; srun -n2 --overlap --commmap=auto hostname'")
    assert done.code == 0, done
    assert done.said == ["commmap: this srun runs inside a step, whose CPUs it shares; launching as without commmap"]


def test_left_over_files(cluster):
    done = cluster.job("mkdir left; export TMPDIR=$PWD/left; srun -n16 --commmap=auto true; FAKE_PLAN=crash srun -n16 --commmap=auto true; "
                       "ls -A left; rmdir left")
    assert done.code == 0 and done.out == "", done


def test_srun_maps_neither_metis_nor_a_yaml_parser(cluster, work):
    mark = f"{work}/runs"
    script = (f"rm -f {mark} {mark}.seen; srun -n16 --commmap=auto bash -c 'touch {mark}; until [ -e {mark}.seen ]; do sleep 0.1; done' & "
              f"until [ -e {mark} ]; do sleep 0.02; done; cat /proc/$!/maps; ps -o comm= -p $!; touch {mark}.seen; wait")
    done = cluster.job(script)
    assert done.code == 0, done
    assert "commmap.so" in done.out
    assert not re.search("metis|yaml|libelf|commmap_task|stdc", done.out)
    assert done.lines[-1] == "srun"


def test_other_users(cluster):
    done = cluster.login("salloc", "-Q", "-N8", "-n16", "-D", "/", "srun", "--commmap=auto", "bash", "-c", WHERE.strip("'"), user="nobody")
    assert places(done) == REVERSED
