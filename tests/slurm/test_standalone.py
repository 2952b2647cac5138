# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""srun outside an allocation: placed inside the one that it makes, and gone with it."""

import os
import shutil
import signal

import patience
import pytest

from cluster import NODES, RELEASE
from launches import Launch, queue
from places import BLOCK, REVERSED, WHERE, places

TAIL = "; launching as without commmap"


@pytest.fixture(autouse=True)
def _fake(cluster):
    cluster.use_fake()


@pytest.fixture(name="profiles")
def _profiles(cluster):
    return cluster.some_profiles()


@pytest.fixture(name="srun")
def _srun(cluster, profiles):
    def run(options, *command, **variables):
        return cluster.login("srun", "-Q", *options.split(), *command, COMMMAP_PROFILE_DIR=profiles, **variables)
    return run


def where(srun, options, **variables):
    return places(srun(options, "bash", "-c", WHERE.strip("'"), **variables))


def job_facts(cluster):
    """JobState and ExitCode of the newest job"""
    text = cluster.login("scontrol", "-o", "show", "job").lines[-1]
    facts = dict(word.split("=", 1) for word in text.split() if "=" in word)
    return facts["JobState"], facts["ExitCode"]


def test_order_and_binding(srun, cluster):
    done = srun("-N8 -n16 --commmap=auto", "bash", "-c", WHERE.strip("'"))
    assert places(done) == REVERSED
    assert done.said == []
    assert queue(cluster) == ""


@pytest.mark.parametrize("options", [
    "-N8 --ntasks-per-node=2", "-n16", "-w m[0-7] -N8 -n16", "-N8 -n16 --exclusive -t5 -J name --mem=100", "-n16 -I60",
    "--nodes=8 --ntasks=16 --kill-on-bad-exit=1 -u --mpi=MPI",
])
def test_options_of_the_allocation(srun, options):
    options = options.replace("MPI", RELEASE.mpi)
    assert where(srun, f"{options} --commmap=auto") == REVERSED


def test_uneven_layout_is_kept(srun):
    plain = where(srun, "-N2 -n3 -w m[2-3]")
    auto = where(srun, "-N2 -n3 -w m[2-3] --commmap=auto")
    assert [plain[rank][0] for rank in range(3)] == ["m2", "m2", "m3"]
    assert [auto[rank][0] for rank in range(3)] == ["m3", "m2", "m2"]


def test_several_cpus_for_a_task_are_slurms_choice(srun):
    auto = where(srun, "-N8 -n8 -c2 --commmap=auto")
    assert {rank: node for rank, (node, _) in auto.items()} == {rank: NODES[7 - rank] for rank in range(8)}
    assert {cpus for _, cpus in auto.values()} == {"0,1"}


def test_by_variable_and_by_site(srun, cluster):
    assert where(srun, "-N8 -n16", COMMMAP="auto") == REVERSED
    assert where(srun, "-N8 -n16 --commmap=off", COMMMAP="auto") == BLOCK
    cluster.use_fake("mode=auto")
    assert where(srun, "-N8 -n16") == REVERSED
    assert where(srun, "-N8 -n16", COMMMAP="off") == BLOCK


def test_keep_and_off_are_slurms_own(srun):
    step = ("bash", "-c", "echo $SLURM_STEP_ID $SLURM_OVERLAP")
    plain = srun("-N8 -n16", *step).out
    assert plain == "0\n" * 16
    assert srun("-N8 -n16 --commmap=off", *step).out == plain
    assert srun("-N8 -n16 --commmap=auto", *step, FAKE_PLAN="keep").out == plain


@pytest.mark.parametrize("way, words", [
    ("decline", ["commmap: I decline"]), ("exit", None), ("crash", None), ("empty", None), ("wrong-hosts", None),
])
def test_without_a_plan_the_job_runs(srun, way, words):
    done = srun("-N8 -n16 --commmap=auto", "bash", "-c", WHERE.strip("'"), FAKE_PLAN=way)
    assert places(done) == BLOCK
    assert len(done.said) == 1 and (words is None or done.said == words), done


def test_nothing_recorded_nothing_touched(cluster, work):
    done = cluster.login("srun", "-Q", "-n4", "--commmap=auto", "true", COMMMAP_PROFILE_DIR=f"{work}/nothing")
    assert done.code == 0
    assert done.said == [f"commmap: no profile in '{work}/nothing' (--commmap=profile records one){TAIL}"]


@pytest.mark.parametrize("command, code, facts", [
    ("exit 0", 0, ("COMPLETED", "0:0")), ("exit 3", 3, ("FAILED", "3:0")), ("kill -9 $$", 137, ("FAILED", "0:9")),
    ("exit $SLURM_PROCID", 15, ("FAILED", "15:0")),
])
def test_the_job_ends_as_its_tasks_do(srun, cluster, command, code, facts):
    for option in ("--commmap=off", "--commmap=auto"):
        assert srun(f"-N8 -n16 {option}", "bash", "-c", command).code == code
        assert job_facts(cluster) == facts
        assert queue(cluster) == ""


def test_no_variable_is_left_or_lost(srun):
    """Of the task on one node: what differs is what the step's number and the order make different."""
    show = "[ $SLURMD_NODENAME.$SLURM_LOCALID = m3.0 ] && env | sort; true"
    options = "-N8 -n16 -t5 -J name --exclusive"
    plain = srun(options, "bash", "-c", show, SLURM_TIMELIMIT="9").lines
    placed = srun(f"{options} --commmap=auto", "bash", "-c", show, SLURM_TIMELIMIT="9").lines
    changed = {line.split("=")[0] for line in set(plain) ^ set(placed)}
    expected = {"SLURM_JOBID", "SLURM_JOB_ID", "SLURM_STEPID", "SLURM_STEP_ID", "SLURM_PROCID", "SLURM_GTIDS", "SLURM_TASK_PID",
                "SLURM_SRUN_COMM_PORT", "SLURM_STEP_LAUNCHER_PORT", "SLURM_PMIX_MAPPING_SERV", "SLURM_PMIXP_ABORT_AGENT_PORT"}
    expected |= {"SLURM_JOB_START_TIME", "SLURM_JOB_END_TIME", "SLURM_JOB_SLUID", "OMPI_MCA_orte_precondition_transports"}  # 24.11
    expected |= {"I_MPI_PIN", "MV2_ENABLE_AFFINITY", "MVP_ENABLE_AFFINITY"}  # binders that are off when commmap binds
    assert {name for name in changed if not name.startswith("PMI")} <= expected
    assert "SLURM_STEP_ID" in changed  # else nothing was placed


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
def test_signal_while_planning(cluster, profiles, work, number):
    cluster.end_shell()
    started = f"{work}/planning"
    launch = Launch(cluster, profiles, "-N8 -n16 --commmap=auto", ["hostname"], FAKE_PLAN="hang", FAKE_STARTED=started)
    patience.until(lambda: os.path.exists(started), 60, "the planner's mark")
    code, out, err = launch.end(number)
    os.remove(started)
    if number == signal.SIGINT:  # one interrupt is a question, as without commmap
        assert (code == 0 and len(out.splitlines()) == 16) or code == RELEASE.early_signal
        assert "one more within 1 sec to abort" in err or RELEASE.early_signal
    else:
        assert code == -number and out == ""
    patience.until(lambda: queue(cluster) == "", 60, "the end of the job")


def test_killed_while_tasks_run(cluster, profiles, work):
    """Once all tasks run: a node that the launch has not reached yet keeps Slurm 22.05 waiting for a minute, see test_never_stuck."""
    cluster.end_shell()
    marks = f"{work}/running"
    os.mkdir(marks)
    launch = Launch(cluster, profiles, "-N8 -n16 --commmap=auto", ["bash", "-c", f"touch {marks}/$SLURM_PROCID; exec sleep 1000"])
    patience.until(lambda: len(os.listdir(marks)) == 16, 60, "the marks of all tasks")
    assert launch.end(signal.SIGKILL)[0] == -signal.SIGKILL
    shutil.rmtree(marks)
    patience.until(lambda: queue(cluster) == "" and cluster.login("squeue", "-h", "-s").out == "", 60, "the end of job and step")


def test_another_users_launch(cluster, profiles):
    done = cluster.login("srun", "-Q", "-N8", "-n16", "--commmap=auto", "bash", "-c", WHERE.strip("'"), user="nobody",
                         COMMMAP_PROFILE_DIR=profiles)
    assert places(done) == REVERSED
    assert job_facts(cluster) == ("COMPLETED", "0:0")
