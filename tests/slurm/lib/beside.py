# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""One script twice, with srun as it is and with --commmap=auto, and what of the two must be the same."""

import glob
import os
import re
import shutil

import cluster as clusters
import retries
from cluster import NODES

DRIVE = os.path.join(clusters.LIBRARY, "drive.py")

# What a step that was asked to wait for CPUs says; whether it has to wait is a matter of time.
WAITING = re.compile(r"srun: (Job \d+ step creation (temporarily disabled|still disabled), retrying|Step created for |"
                     r"job \d+ (queued and waiting for|has been allocated) resources)")
# What a step's daemon says while it is ended reaches srun or does not; ranks may run before srun knows that all do.
RACE = re.compile(r"(slurmstepd-\S+: )?error: \*\*\* STEP \S+ ON \S+ CANCELLED AT \S+ (DUE to SIGNAL \w+ )?\*\*\*$|"
                  r"srun: (launch/slurm: launch_p_step_launch: )?StepId=\S+ aborted before step completely launched|"
                  # after the second interrupt srun may or may not wait for what the first one's tasks say
                  r"srun: error: \S+: tasks? [-0-9,]+: Interrupt$")
# When a job's time is over, Slurm ends the tasks and the batch script at once. The script's processes get SIGCONT and SIGTERM,
# and an srun among them says so unless it has ended before.
END_OF_JOB = ("srun: got SIGCONT", "srun: forcing job termination")
# What srun says where Slurm itself lost output, or a node's daemon ended while srun still sent it standard input.
LOST = re.compile(r"unexpected eof reading message body|_server_write write failed: (Connection reset by peer|Broken pipe)")
STAMP = re.compile(r"^\[\d{4}-\d\d-\d\dT[\d:.]+\] ")  # slurmstepd of 26.05
NORMAL = [
    (re.compile(r"\bm\[[-0-9,]+\]|\bm[0-7]\b|\blogin\b"), "NODE"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"), "TIME"),
    (re.compile(r"\b(StepId|STEP|step|Step)([= ])\d+\.\d+\b"), r"\1\2STEP"),
    (re.compile(r"\b(JobId|JOB|job|Job|jobid)([= ])\d+\b"), r"\1\2JOB"),
    (re.compile(r"\b(pid|PID|process)([= ])\d+\b"), r"\1\2PID"),
]
# "srun: error: m1: tasks 2-3: Killed": how many tasks one line is about depends on when they ended.
GROUPED = re.compile(r"(srun: (?:(?:error: )?NODE:|StepId=STEP) )tasks? ([-0-9,]+): (.*)")


def normal(text):
    """Lines without what differs between two runs of the same command, in alphabetical order."""
    lines = []
    for line in text.replace("^C", "").splitlines():  # the terminal shows the key before whatever comes next
        line = STAMP.sub("", line)
        if line.startswith("commmap:") or WAITING.match(line) or RACE.match(line):
            continue
        for pattern, replacement in NORMAL:
            line = pattern.sub(replacement, line)
        if line.startswith("srun: interrupt (one more within") and line in lines:
            continue  # drive.py, again
        group = GROUPED.match(line)
        if group:
            if group[3] in ("running", "unknown"):  # a rank that runs may be either, or not named at all, until srun has heard of it
                lines += [f"{group[1]}running"] if f"{group[1]}running" not in lines else []
            else:
                lines += [f"{group[1]}task {task}: {group[3]}" for task in _numbers(group[2])]
        else:
            lines.append(line)
    return sorted(lines)


def _numbers(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def block(tasks=16, nodes=8):
    """rank -> node, as Slurm places that many tasks on the first nodes"""
    counts = [tasks // nodes + (node < tasks % nodes) for node in range(nodes)]
    return dict(enumerate(name for name, count in zip(NODES, counts) for _ in range(count)))


def reverse(tasks=16, nodes=8):
    """rank -> node, as fake_planner.py places them"""
    counts = [tasks // nodes + (node < tasks % nodes) for node in range(nodes)]
    return dict(enumerate(name for name, count in reversed(list(zip(NODES, counts))) for _ in range(count)))


class Run:
    def __init__(self, done, places, directory):
        self.done, self.places, self.directory = done, places, directory
        self.code, self.out = done.code, normal(done.out)
        self.said = done.said + [line for line in done.lines if line.startswith("commmap:")]  # a terminal has both
        self.errors = normal(done.err)

    def shows(self, text):
        return text in self.done.out or text in self.done.err

    def __repr__(self):
        return f"{self.done!r}--- places {self.places}"


class Beside:
    """where: "allocation" (srun within a job of 8 nodes and 16 tasks) or "standalone" (srun makes the job itself).

    In scripts: SRUN = srun for all nodes and 16 tasks, plain or with --commmap=auto; RANK = programs/rank.c, which notes
    the rank's place; DRIVE = drive.py; HERE = the directory of the run, which is also the working directory.
    """

    def __init__(self, cluster, work, rank, where):
        self.cluster, self.work, self.rank, self.where = cluster, work, rank, where
        self.directory = os.path.join(work, "beside")

    def words(self, script, option):
        for word, meaning in (("SRUN", f"srun -N8 -n16 {option}"), ("RANK", f"{self.rank} {self.directory}"),
                              ("DRIVE", f"{DRIVE} {self.directory}"), ("HERE", self.directory), ("OPTION", option)):
            script = re.sub(rf"\b{word}\b", meaning, script)
        return script

    def run(self, script, option="", **how):
        """Runs it once more where Slurm itself lost input or output, twice at most.

        docs/admin/slurm-versions.md: plain launches do so too, and only on a busy machine.
        """
        run = self.run_once(script, option, **how)
        for _ in range(2):
            lost = LOST.search(run.done.err)
            if not lost:
                break
            retries.note(f"Slurm lost input or output ({option or 'plain'}): {lost[0]}")
            run = self.run_once(script, option, **how)
        return run

    def run_once(self, script, option="", user=None, job_options=(), **variables):
        shutil.rmtree(self.directory, ignore_errors=True)
        os.mkdir(self.directory)
        os.chmod(self.directory, 0o777)
        # a variable that is not ours: the tasks' environment is looked at
        variables.setdefault("XDG_CACHE_HOME", self.cluster.some_profiles())
        text = f"cd {self.directory}\n{SETTLED[self.where]}\n{self.words(script, option)}"
        if self.where == "standalone":
            done = self.cluster.login("bash", "-c", text, user=user, **variables)
        elif user or job_options:
            done = self.cluster.login("salloc", "-Q", "-N8", "-n16", *job_options, "bash", "-c", text, user=user, **variables)
        else:
            done = self.cluster.job(text, **variables)
        places = {}
        for path in glob.glob(f"{self.directory}/place.*"):
            with open(path, encoding="utf-8") as file:
                places[int(path.rpartition(".")[2])] = file.read().strip()
        return Run(done, places, self.directory)

    def plain(self, script, **how):
        run = self.run(script, **how)
        assert run.said == [], run
        return run

    def auto(self, script, **how):
        """The run with --commmap=auto; in an allocation and in a launch of its own."""
        return self.run(script, "--commmap=auto", **how)

    def check_places(self, plain, auto, tasks=16, nodes=8):
        """That the tasks ran where the plan says: else the comparison proves nothing."""
        assert plain.places == block(tasks, nodes), plain
        assert auto.places == reverse(tasks, nodes), auto
        assert auto.said == [], auto

    def compare(self, script, tasks=16, nodes=8, **how):
        """Placed and all the same."""
        plain, auto = self.plain(script, **how), self.auto(script, **how)
        self.check_places(plain, auto, tasks, nodes)
        same(plain, auto)
        return plain, auto

    def compare_unplaced(self, script, said=None, **how):
        """Not placed, for a reason that is said (a part of it) unless None; and all the same."""
        plain, auto = self.plain(script, **how), self.auto(script, **how)
        assert auto.places == plain.places, auto
        assert len(auto.said) <= 1, auto
        if said is not None:
            assert len(auto.said) == 1, auto
            assert said in auto.said[0], auto
        same(plain, auto)
        return plain, auto


# The step or job before must be gone: an srun that waits for CPUs says so, and meets signals in another way.
SETTLED = {
    "allocation": "while squeue -h -s -o %i -j $SLURM_JOB_ID | grep -qE '\\.[0-9]+$'; do sleep 0.05; done",
    "standalone": "while squeue -h | grep -q .; do sleep 0.05; done",
}


def same(plain, auto):
    assert auto.code == plain.code, (plain, auto)
    assert auto.out == plain.out, (plain, auto)
    assert auto.errors == plain.errors, (plain, auto)
