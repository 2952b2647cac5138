# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Every command line of srun and commmap that a comparison uses, in one place."""

import json
import os

PLACEMENTS = ("block", "cyclic", "auto", "best")


def salloc(nodes, ranks, command):
    return ["salloc", "--quiet", f"--nodes={nodes}", f"--ntasks={ranks}", *command]


def srun(ranks, *options):
    """A step that ends as a whole when one of its tasks dies."""
    return ["srun", f"--ntasks={ranks}", "--kill-on-bad-exit=1", *options]


_OWN = "commmap-demo"

# 16 ranks on 8x2: 4 s, and 12 times what the four refinements of a plan look at. Three seeds of 300,000 and one of
# 3,000,000 ended at one cost, for each of eleven graphs (halos, cg, irregular16, random ones). 64 ranks on 32x2 want
# 2,000,000 (15 s): with 300,000 one of two seeds was 2 % above the plan of a random graph.
_ANNEALING_EVALUATIONS = 1_000_000


def standalone(placement, nodes, ranks, program):
    """A launch that makes its allocation itself, with Slurm's own placement or auto."""
    option = {"block": "off", "auto": "auto"}[placement]
    return ["srun", "--quiet", f"--job-name={_OWN}", f"--nodes={nodes}", f"--ntasks={ranks}", "--kill-on-bad-exit=1",
            f"--commmap={option}", *program]


def cancel_own():
    return ["scancel", f"--name={_OWN}"]


def list_own():
    return ["squeue", f"--name={_OWN}", "--noheader", "--format=%i"]


def node_namespaces(nodes):
    """Prints the network namespace of each node of the job."""
    return ["srun", f"--nodes={nodes}", f"--ntasks={nodes}", "readlink", "/proc/self/ns/net"]


def profile(ranks, program):
    return [*srun(ranks, "--commmap=profile"), *program]


def placed(placement, ranks, program, hostfile=None):
    """@return command and what it adds to the environment

    `hostfile`, one host per rank, is for every placement that is neither block, cyclic nor auto.
    """
    if placement in ("block", "cyclic"):
        return [*srun(ranks, f"--distribution={placement}"), *program], {}
    if placement == "auto":
        return [*srun(ranks, "--commmap=auto"), *program], {}
    return [*srun(ranks), *program], {"SLURM_HOSTFILE": str(hostfile)}


def profile_environment(directory):
    """One directory per program: two inputs of one executable would share a profile."""
    return {"COMMMAP_PROFILE_DIR": str(directory)}


def _job(ranks, program):
    arguments = ["--command", program[0], "--ntasks", str(ranks)]
    for option, variable in (("--nodelist", "SLURM_JOB_NODELIST"),
                             ("--cpus-per-node", "SLURM_JOB_CPUS_PER_NODE")):
        if variable in os.environ:
            arguments += [option, os.environ[variable]]
    return arguments


def best_hostfile(ranks, program, hostfile):
    """Writes `hostfile`, the best placement that a long search finds."""
    return ["commmap", "map", "--mapper", "anneal", "--evaluations", str(_ANNEALING_EVALUATIONS),
            *_job(ranks, program), "-o", str(hostfile)]


def plan_hostfile(ranks, program, hostfile):
    """Writes `hostfile`, the placement that --commmap=auto takes."""
    return ["commmap", "map", "--mapper", "plan", *_job(ranks, program), "-o", str(hostfile)]


def plan_report(ranks, program, report):
    """Writes `report`: what --commmap=auto decides, and why."""
    return ["commmap", "plan", "--plan-cache", "off", *_job(ranks, program), "--report", str(report)]


def decision(report):
    """Of the text of plan_report()'s file."""
    document = json.loads(report)
    return {key: document[key] for key in ("decision", "reason")}


def predict(ranks, program, placements):
    """@param placements  'block', 'cyclic' or the path of a hostfile (with a / in it)"""
    command = ["commmap", "estimate", *_job(ranks, program), "--json"]
    for placement in placements:
        command += ["--placement", str(placement)]
    return command


def predictions(output):
    """Seconds of the job and of its most loaded port by placement, from the output of predict()."""
    return {row["placement"]: {key: row[key] for key in ("predicted_s", "port_cost_s")} for row in json.loads(output)}


def list_job(job):
    """Prints the job's number while it runs."""
    return ["squeue", f"--jobs={job}", "--states=RUNNING", "--noheader", "--format=%i"]


def list_steps(job):
    return ["squeue", "--steps", f"--jobs={job}", "--noheader", "--format=%i"]


def cancel_step(step):
    return ["scancel", "--signal=KILL", step]
