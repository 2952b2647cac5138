"""What a plan says is what the tasks get: order, CPUs, environment, nested launches, handing on."""

import os
import re
import time

import pytest

from cluster import NODES

WHERE = "'echo $SLURM_PROCID $SLURMD_NODENAME $(taskset -cp $$ | sed s/.*://)'"


@pytest.fixture(autouse=True)
def _fake(cluster):
    cluster.use_fake()


def places(done):
    """rank -> (node, CPUs)"""
    assert done.code == 0, done
    found = {}
    for line in done.lines:
        rank, node, cpus = line.split()
        found[int(rank)] = (node, cpus)
    return found


REVERSED = {rank: (NODES[7 - rank // 2], str(1 - rank % 2)) for rank in range(16)}
BLOCK = {rank: (NODES[rank // 2], str(rank % 2)) for rank in range(16)}


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
    done = cluster.job(f"srun {options} --commmap=auto bash -c {WHERE}")
    done.out = re.sub(r"(?m)^ *\d+: ", "", done.out)
    assert places(done) == REVERSED


def test_fewer_tasks_than_cpus(cluster):
    done = cluster.job(f"srun -n11 --commmap=auto bash -c {WHERE}")
    found = places(done)
    assert [found[rank][0] for rank in range(11)] == ["m7", "m6", "m5", "m4", "m3", "m2", "m2", "m1", "m1", "m0", "m0"]
    assert found[5][1] == "1" and found[6][1] == "0"
    assert done.said == []


@pytest.mark.parametrize("choice", ["map_cpu:0,0", "none", "mask_cpu:0x3,0x3"])
def test_users_binding_stays(cluster, choice):
    plain = places(cluster.job(f"srun -n16 --cpu-bind={choice} bash -c {WHERE}"))
    auto = places(cluster.job(f"srun -n16 --cpu-bind={choice} --commmap=auto bash -c {WHERE}"))
    assert [auto[rank][0] for rank in range(16)] == [REVERSED[rank][0] for rank in range(16)]
    assert {place for place in auto.values()} == {place for place in plain.values()}


def test_from_the_environment_and_from_salloc(cluster):
    assert places(cluster.job(f"srun -n16 bash -c {WHERE}", COMMMAP="auto")) == REVERSED
    assert places(cluster.job(f"srun bash -c {WHERE}", "--commmap=auto")) == REVERSED
    assert places(cluster.job(f"srun -n16 --commmap=off bash -c {WHERE}", "--commmap=auto", COMMMAP="auto")) == BLOCK
    assert places(cluster.job(f"srun -n16 bash -c {WHERE}", "--commmap=off", COMMMAP="auto")) == BLOCK


def test_from_plugstack(cluster):
    cluster.use_fake("mode=auto")
    assert places(cluster.job(f"srun -n16 bash -c {WHERE}")) == REVERSED
    assert places(cluster.job(f"srun -n16 bash -c {WHERE}", COMMMAP="off")) == BLOCK


def test_from_sbatch(cluster, work):
    script = f"{work}/batch.sh"
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/bash\n#SBATCH -N8 -n16 --commmap=auto\nsrun bash -c {WHERE}\necho end\n")
    done = cluster.login("sbatch", "-Q", "-o", f"{work}/batch.out", script)
    assert done.code == 0, done
    end = time.monotonic() + 30
    while "end" not in done.lines and time.monotonic() < end:  # sbatch --wait looks every ten seconds
        time.sleep(0.1)
        if os.path.exists(f"{work}/batch.out"):
            with open(f"{work}/batch.out", encoding="utf-8") as file:
                done.out = file.read()
    done.out = done.out.removesuffix("end\n")
    assert places(done) == REVERSED


@pytest.mark.parametrize("tasks", [16, 8, 5])
def test_environment_of_the_tasks(cluster, work, tasks):
    """Only what tells the place or the step apart differs; nothing of ours is left."""
    varying = re.compile(r"PMIX_|SLURM_PMIX|SLURM_SRUN_COMM_PORT$|SLURM_STEP_?ID$|SLURM_STEP_LAUNCHER_PORT$|SLURM_TASK_PID$"
                         r"|SLURMD_NODENAME$|SLURM_NODEID$|SLURM_TOPOLOGY_ADDR$|HOSTNAME$|_$")
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
    assert done.said == ["commmap: srun inside a step is left alone; launching as without commmap"]


def test_left_over_files(cluster):
    done = cluster.job("mkdir left; export TMPDIR=$PWD/left; srun -n16 --commmap=auto true; FAKE_PLAN=crash srun -n16 --commmap=auto true; "
                       "ls -A left; rmdir left")
    assert done.code == 0 and done.out == "", done


def test_srun_maps_neither_metis_nor_a_yaml_parser(cluster, work):
    mark = f"{work}/runs"
    script = (f"rm -f {mark}; srun -n16 --commmap=auto bash -c 'touch {mark}; sleep 1' & until [ -e {mark} ]; do sleep 0.02; done; "
              "cat /proc/$!/maps; ps -o comm= -p $!; wait")
    done = cluster.job(script)
    assert done.code == 0, done
    assert "commmap.so" in done.out
    assert not re.search("metis|yaml|libelf|commmap_task|stdc", done.out)
    assert done.lines[-1] == "srun"


def test_other_users(cluster):
    done = cluster.login("salloc", "-Q", "-N8", "-n16", "-D", "/", "srun", "--commmap=auto", "bash", "-c", WHERE.strip("'"), user="nobody")
    assert places(done) == REVERSED
