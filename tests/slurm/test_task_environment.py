# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The environment of every task, with and without commmap: all the same but what is listed here."""

import re

import pytest

# What differs between any two launches of one command, placed or not.
EVERY_LAUNCH = {
    "SLURM_STEP_ID": "the number of the step", "SLURM_STEPID": "the number of the step",
    "SLURM_SRUN_COMM_PORT": "a port of srun's", "SLURM_STEP_LAUNCHER_PORT": "a port of srun's",
    "SLURM_PMIXP_ABORT_AGENT_PORT": "a port of srun's",
    "SLURM_TASK_PID": "the task's process",
    "PMI_JOBID": "has the number of the step", "PMI_FD": "a descriptor",
    "OMPI_MCA_orte_precondition_transports": "has the numbers of job and step (24.11)",
    "PMIX_NAMESPACE": "has the number of the step", "PMIX_SERVER_TMPDIR": "has the number of the step",
    "PMIX_SERVER_URI2": "a port and a process", "PMIX_SERVER_URI21": "a port and a process",
    "PMIX_SERVER_URI3": "a port and a process", "PMIX_SERVER_URI4": "a port and a process", "PMIX_SERVER_URI41": "a port and a process",
    "PMIX_DSTORE_21_BASE_PATH": "has the number of the step", "PMIX_DSTORE_ESH_BASE_PATH": "has the number of the step",
}
EVERY_JOB = {  # of a launch that makes its own job
    "SLURM_JOB_ID": "the number of the job", "SLURM_JOBID": "the number of the job",
    "SLURM_JOB_START_TIME": "a time", "SLURM_JOB_END_TIME": "a time", "SLURM_JOB_SLUID": "the number of the job (26.05)",
}
# What a placement is.
PLACED = {
    "SLURMD_NODENAME": "the rank's node", "SLURM_NODEID": "the rank's node", "SLURM_TOPOLOGY_ADDR": "the rank's node",
    "PMIX_HOSTNAME": "the rank's node",
    "SLURM_PMIX_MAPPING_SERV": "which ranks are on which node",
    "I_MPI_PIN": "a binder that is off", "MV2_ENABLE_AFFINITY": "a binder that is off", "MVP_ENABLE_AFFINITY": "a binder that is off",
}
# Not like plain, and not to be mended: (case, variable) -> why
KNOWN = {
    ("srun-prolog", "SLURM_DISTRIBUTION"): "srun runs its prolog before a plugin can act, and knows the order as 'arbitrary' by then",
}
OURS = re.compile("COMMMAP|SLURM_SPANK|_SLURM_SPANK|SLURM_HOSTFILE|SLURM_OVERLAP", re.IGNORECASE)
NOTE = "RANK bash -c 'env -0 > HERE/env.$SLURM_PROCID'"


def environments(run):
    found = []
    for rank in range(16):
        with open(f"{run.directory}/env.{rank}", encoding="utf-8") as file:
            found.append(dict(entry.partition("=")[::2] for entry in file.read().split("\0") if entry))
    return found


def differing(plain, auto, allowed):
    return {name: (plain.get(name), auto.get(name)) for name in plain.keys() | auto.keys()
            if plain.get(name) != auto.get(name) and name not in allowed}


def compare(plain, auto, allowed, case=None):
    known = set()
    for rank, (one, other) in enumerate(zip(plain, auto)):
        found = differing(one, other, allowed)
        known |= {KNOWN[case, name] for name in found if (case, name) in KNOWN}
        assert {name: values for name, values in found.items() if (case, name) not in KNOWN} == {}, f"rank {rank}"
        assert [name for name in other if OURS.search(name)] == []
    if known:
        pytest.xfail("; ".join(sorted(known)))


@pytest.mark.row("the environment of the tasks")
@pytest.mark.parametrize("options", ["", "--export=NONE,A=1", "--cpu-bind=cores", "--ntasks-per-node=2 -J name"])
def test_environment(beside, options):
    plain = beside.plain(f"SRUN {options} {NOTE}")
    before = environments(plain)
    auto = beside.auto(f"SRUN {options} {NOTE}")

    beside.check_places(plain, auto)
    allowed = EVERY_LAUNCH | PLACED | (EVERY_JOB if beside.where == "standalone" else {})
    compare(before, environments(auto), allowed, options)


@pytest.mark.row("the environment of the tasks, two plain launches")
def test_the_list_is_needed(beside):
    """What stands under EVERY_LAUNCH and EVERY_JOB differs without commmap too."""
    first = environments(beside.plain(f"SRUN {NOTE}"))
    second = environments(beside.plain(f"SRUN {NOTE}"))
    compare(first, second, EVERY_LAUNCH | (EVERY_JOB if beside.where == "standalone" else {}))


@pytest.mark.row("the environment of the tasks, option from salloc")
def test_handed_on(beside):
    """--commmap=auto of salloc reaches srun in its environment; there it ends."""
    if beside.where == "standalone":
        pytest.skip("needs an allocation")
    plain = beside.plain(f"SRUN {NOTE}", job_options=["-J", "name"])
    before = environments(plain)
    auto = beside.run(f"SRUN {NOTE}", job_options=["-J", "name", "--commmap=auto"])
    beside.check_places(plain, auto)
    compare(before, environments(auto), EVERY_LAUNCH | PLACED | EVERY_JOB)


PROLOGS = """
for name in srun-prolog srun-epilog task-prolog task-epilog; do
    printf '#!/bin/bash\\nenv -0 > HERE/'$name'.env.${SLURM_PROCID:-0}' > $name; chmod +x $name
done
SRUN --prolog=HERE/srun-prolog --epilog=HERE/srun-epilog --task-prolog=HERE/task-prolog --task-epilog=HERE/task-epilog RANK true"""


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=pytest.mark.row(f"the environment of the {kind}"))
                                  for kind in ("srun-prolog", "srun-epilog", "task-prolog", "task-epilog")])
def test_environment_of_prologs(beside, kind):
    def seen(run):
        with open(f"{run.directory}/{kind}.env.0", encoding="utf-8") as file:
            return dict(entry.partition("=")[::2] for entry in file.read().split("\0") if entry)
    plain = beside.plain(PROLOGS)
    before = seen(plain)
    auto = beside.auto(PROLOGS)
    after = seen(auto)

    beside.check_places(plain, auto)
    allowed = EVERY_LAUNCH | PLACED | (EVERY_JOB if beside.where == "standalone" else {})
    if kind.startswith("srun"):
        allowed |= {"_SLURM_SPANK_OPTION_commmap_commmap": "Slurm's note of the option, which the plain launch was not given",
                    "SLURM_SRUN_COMM_HOST": "an address of srun's"}
    found = differing(before, after, allowed)
    known = [KNOWN[kind, name] for name in found if (kind, name) in KNOWN]
    assert {name: values for name, values in found.items() if (kind, name) not in KNOWN} == {}
    if known:
        pytest.xfail("; ".join(known))
