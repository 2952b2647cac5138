# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What sacct says about a job afterwards, with and without commmap."""

import os

import patience
import pytest

import cluster as clusters
import halves

# not DerivedExitCode: of two plain jobs that end with 3 one has 0:0 now and then
FIELDS = "JobID,JobName,State,ExitCode,NNodes,NTasks,AllocCPUS"
ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_ME")
# name -> words for rank.c, what happens when all run, the state of the job
ROWS = {
    "exit-code-0": ("true", "true", "COMPLETED"),
    "exit-code-3": ("sh -c 'exit 3'", "true", "FAILED"),
    "killed-by-a-signal": ("sh -c 'kill -9 \\$\\$'", "true", "FAILED"),
    "scancel": ("", "scancel --user=root", "CANCELLED by 0"),
    "time-limit": ("", "for id in $(squeue -h -o %i); do until scontrol update job=$id EndTime=now; do sleep 0.2; done; done", "TIMEOUT"),
}


@pytest.fixture(name="accounted", scope="module")
def _accounted(prefix, work):
    if clusters.RELEASE.suite:
        pytest.skip("the testbed has slurmdbd for the machine's own Slurm only")
    it = clusters.Cluster(f"acct{os.getpid()}", prefix, work)
    it.up("--accounting")
    it.use_fake()
    yield it
    it.down()


def sacct(cluster, name):
    """Lines of the job of that name, once it has ended there: slurmctld reports new jobs every five seconds."""
    def ended():
        lines = [line.split("|") for line in cluster.login("sacct", "-n", "-P", "-a", f"--format={FIELDS}", f"--name={name}").lines]
        return lines and all(line[2].startswith(ENDED) for line in lines) and lines
    return patience.until(ended, 60, f"the end of job {name} in sacct", between=0.2)


def job_and_steps(lines, name):
    """(line of the job, {step: its line}) without the job's number and name"""
    lines = [[line[0].partition(".")[2], line[1].removeprefix(name), *line[2:]] for line in lines]
    # Slurm ends the script and its steps together: now and then the script, plain too, sees its srun end before the signal comes
    for line in lines:
        if line[0] == "batch" and line[2:4] == ["FAILED", "15:0"]:
            line[2:4] = ["CANCELLED", "0:15"]
    job = [line[1:] for line in lines if not line[0]]
    assert len(job) == 1, lines
    return job[0], {line[0]: line[1:] for line in lines if line[0]}


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.row("sacct: " + name.replace("-", " "))) for name in ROWS])
def test_sacct(accounted, work, programs, where, name):
    command, action, state = ROWS[name]

    job = f"{name}-{where}"
    runs = halves.run(accounted, work, programs["rank"], where, job, command.replace("\\", "" if where == "standalone" else "\\"), action)

    halves.check_places(*runs)
    plain, steps = job_and_steps(sacct(accounted, f"plain-{job}"), f"plain-{job}")
    auto, auto_steps = job_and_steps(sacct(accounted, f"auto-{job}"), f"auto-{job}")
    assert plain[1] == state, (plain, steps)
    assert auto == plain
    if where == "standalone":
        # srun's first step only holds the job's nodes while the plan is made; its second one runs the tasks
        first = auto_steps.pop("0")
        assert first[1].startswith("CANCELLED"), first
        auto_steps = {"0": auto_steps.pop("1"), **auto_steps}
    assert auto_steps == steps
