# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Allocations of other kinds, with and without commmap: memory, time limits, busy nodes, another job's, heterogeneous."""

import os

import pytest

import cluster as clusters
import halves
import slurm_conf
from beside import END_OF_JOB, Beside, block, same


@pytest.fixture(name="outside")
def _outside(cluster, work, programs):
    """Scripts on the login host that make their own allocations."""
    cluster.use_fake()
    return Beside(cluster, work, programs["rank"], "standalone")


# memory

@pytest.fixture(name="with_memory", scope="module")
def _with_memory(prefix, work, programs, where):
    """A cluster whose jobs get memory as they get CPUs: slurmctld takes that setting at its start only."""
    it = clusters.Cluster(f"mem{os.getpid()}", prefix, work)
    it.up("--set", "SelectTypeParameters=CR_Core_Memory", "--set", "DefMemPerNode=100")
    try:
        it.use_fake()
        yield Beside(it, work, programs["rank"], where)
    finally:
        it.down()


MEMORY = """bash -c 'env | grep SLURM_MEM; [ $SLURM_PROCID != 0 ] || scontrol show step $SLURM_JOB_ID.$SLURM_STEP_ID | grep -o "mem=[^,]*"'"""


@pytest.mark.parametrize("options, shows", [
    pytest.param("", "mem=800M", marks=pytest.mark.row("memory by default")),
    pytest.param("--mem=60", "mem=480M", marks=pytest.mark.row("--mem")),
    pytest.param("--mem-per-cpu=20", "mem=320M", marks=pytest.mark.row("--mem-per-cpu")),
    pytest.param("--mem=0", "mem=", marks=pytest.mark.row("--mem=0")),
])
def test_memory(with_memory, options, shows):
    plain, _ = with_memory.compare(f"SRUN {options} RANK {MEMORY}")
    assert any(line.startswith(shows) for line in plain.out), plain


@pytest.mark.row("more memory than there is")
def test_too_much_memory(with_memory):
    plain, _ = with_memory.compare_unplaced("SRUN --mem=100G RANK true")
    assert plain.code == 1 and "srun: error: " in "\n".join(plain.errors), plain


# time limits

@pytest.mark.row("time limit of the job")
def test_time_limit(beside):
    """The end is moved to now; slurmctld looks every 30 seconds."""
    plain, auto = halves.run(beside.cluster, beside.work, beside.rank, beside.where, "limit",
                             action="for id in $(squeue -h -o %i); do until scontrol update job=$id EndTime=now; do sleep 0.2; done; done")
    halves.check_places(plain, auto)
    assert auto.said == [], auto
    assert any("DUE TO TIME LIMIT" in line for line in plain.errors), plain
    for each in (plain, auto):
        each.errors = [line for line in each.errors if line not in END_OF_JOB]
    same(plain, auto)


@pytest.mark.row("InactiveLimit: an allocation of srun's own is left alone")
def test_inactive_limit(beside):
    """slurmctld asks the srun that made the allocation whether it lives; after a second start nobody answers."""
    with slurm_conf.changed(beside.cluster, InactiveLimit="60"):
        if beside.where == "allocation":
            beside.compare("SRUN RANK true")
        else:
            beside.compare_unplaced("SRUN RANK true", "InactiveLimit")


# other people's nodes

@pytest.mark.row("--immediate when the nodes are busy")
def test_immediate_when_busy(beside):
    plain, _ = beside.compare_unplaced("DRIVE started:16 'sh:SRUN --immediate true; echo code $?' go -- srun -N8 -n16 RANK")
    assert "code 1" in plain.out and plain.places == block(), plain


@pytest.mark.row("--jobid from outside the allocation")
def test_jobid_from_outside(outside):
    """Neither placed nor is the job of others ended with the step."""
    plain, _ = outside.compare_unplaced("""
        id=$(salloc --no-shell -N8 -n16 2>&1 | sed -n 's/.*Granted job allocation //p')
        srun --jobid=$id -n16 OPTION RANK bash -c 'exit 3'; echo code $?; squeue -h -o %T -j $id; scancel $id""",
                                        "--jobid names another job")
    assert "code 3" in plain.out and "RUNNING" in plain.out and plain.places == block(), plain


@pytest.fixture(name="quickly", scope="module")
def _quickly(cluster):
    """Only the backfill scheduler starts heterogeneous jobs, and it looks every 30 seconds."""
    with slurm_conf.changed(cluster, SchedulerParameters="bf_interval=1"):
        yield


# All without PMIx: now and then Slurm 22.05's srun waits for ever in mpi_pmix.so for its own thread when a step has two parts.

@pytest.mark.row("a step of several parts")
def test_heterogeneous_step(outside, quickly):
    """In an allocation, and as a job of its own."""
    step = "srun -N1 -n1 --mpi=none OPTION RANK echo a : -N1 -n1 --mpi=none RANK echo b"
    for script in (f"salloc -Q -N2 -n2 bash -c '{step}'", step):
        plain, _ = outside.compare_unplaced(script, "':' separates")
        assert plain.out == ["a", "b"], plain


@pytest.mark.row("a heterogeneous job")
def test_heterogeneous_job(outside, quickly):
    plain, auto = outside.compare_unplaced(
        "salloc -Q -N1 -n2 : -N1 -n2 bash -c 'srun --mpi=none --het-group=0,1 OPTION RANK echo text'", "--het-group is a heterogeneous job")
    assert plain.out == ["text"] * 4, plain
    assert auto.said == ["commmap: --het-group is a heterogeneous job; launching as without commmap"]


@pytest.mark.row("a step in a part of a heterogeneous job")
def test_step_in_a_heterogeneous_job(outside, quickly):
    plain, _ = outside.compare_unplaced("salloc -Q -N1 -n2 : -N1 -n2 bash -c 'srun OPTION RANK echo text'", "the job is heterogeneous")
    assert plain.out == ["text"] * 2, plain
