# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Running things on the testbed: one allocation with a script in it, or one command on the login host."""

import os
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import patience
import pytest
import retries

import evidence

LIBRARY = os.path.dirname(os.path.abspath(__file__))
HERE = os.path.dirname(LIBRARY)
ROOT = os.path.dirname(os.path.dirname(HERE))
TESTBED = os.path.join(ROOT, "tests", "testbed", "testbed")
SHAPE = os.path.join(ROOT, "tests", "testbed", "shapes", "8x2.yaml")
FAKE_PLANNER = os.path.join(LIBRARY, "fake_planner.py")
# Four clusters share this machine; the default is for nodes that nobody else uses. A search ends by itself after about a
# second of a CPU, so only a planner that hangs takes so long: tests of that say plan-seconds themselves.
PATIENCE = "plan-seconds=60"
# Arguments of the ring for a profile that is to move ranks: it sends for 0.6 s. With less, a busy machine's time in MPI hides
# what another order gains.
LONG_RING = "100000 40"
NODES = [f"m{number}" for number in range(8)]
SECONDS_TO_IDLE = 150

# shell: the step before is gone, and its CPUs are free
NO_STEP = "while squeue -h -s -o %i | grep -qE '\\.[0-9]+$'; do sleep 0.1; done"

sys.path.append(os.path.join(ROOT, "tests", "testbed", "lib"))
import release as releases

# what tests ask need() for
LEAVERS, PMIX, RANKMAP, SHARED, SMALL_STEPS = releases.LEAVERS, releases.PMIX, releases.RANKMAP, releases.SHARED, releases.SMALL_STEPS
RELEASE = releases.find(os.environ.get("COMMMAP_RELEASE", releases.DEFAULT))


def need(feature):
    """Skips the test, or what is left of it, and says why, where the release of Slurm lacks it."""
    if feature in RELEASE.lacks:
        pytest.skip(RELEASE.lacks[feature])


def skip_but_in_vm(why):
    """What scripts/test --vm is for must not be left out there."""
    (pytest.fail if os.environ.get("COMMMAP_VM") else pytest.skip)(why)


def sums(sent):
    """By rank, of an exported profile's "sent" of each: (peer, messages, bytes)."""
    return [[(to["peer"], sum(to["messages"]), sum(to["bytes"])) for to in rank] for rank in sent]


def profiles_in(place):
    """Names in a directory of profiles, but for the directory of what runs took."""
    return [name for name in os.listdir(place) if not name.startswith("history-")]


def alike(both, same_output=True):
    """Makes both(number), up to three times: it gives a plain run, a recorded one, and where its profile is. Both runs have to end in
    the same way, unless their output may differ.

    Two races can be lost. Slurm's PMIx plugin cancels a step, recorded or not, whose other ranks go on for a
    second after one has left. So most steps with such a rank are small (FEW in killed_steps.py). And each node has ten
    seconds (collect_seconds in record_collection.cpp) to keep its part.
    """
    for number in range(3):
        plain, recorded, place = both(number)
        differ = same_output and (plain.code, plain.out) != (recorded.code, recorded.out)
        if any("partial profile, until it was ended" not in line for line in recorded.said):
            why = f"a part of the profile was not kept: {recorded.said}"
        elif differ:
            why = f"the step ended in another way: plain {plain.out!r}, recorded {recorded.out!r}"
        else:
            break
        if number < 2:
            retries.note(why)
    assert not differ, (plain, recorded)
    return plain, recorded, place


def build(*words):
    """Runs a compiler or cmake with the libraries that the nodes have."""
    patience.run([TESTBED, "root", RELEASE.name, *words], seconds=600, check=True, stdout=subprocess.DEVNULL)


class Done:
    """What a command left behind."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def said(self):
        """the plugin's lines on standard error"""
        return [line for line in self.err.splitlines() if line.startswith("commmap:")]

    @property
    def told(self):
        """The same, and what slurmstepd says of the plugin behind its own name."""
        return [line[line.index("commmap: "):] for line in self.err.splitlines() if line.startswith(("commmap: ", "slurmstepd")) and "commmap: " in line]

    @property
    def lines(self):
        return self.out.splitlines()

    def __repr__(self):
        return f"exit code {self.code}\n--- output\n{self.out}--- errors\n{self.err}"


class Cluster:
    def __init__(self, name, prefix, work):
        self.name, self.prefix, self.work = name, prefix, work
        self.plugstack = None
        self.shell = None
        self.options, self.shape = (), "8x2"

    def exec_words(self, *words):
        return [TESTBED, "--name", self.name, "exec", *words]

    def log(self, daemon):
        return f"/run/commmap-testbed/{self.name}/log/{daemon}.log"

    def testbed(self, *words):
        patience.run([TESTBED, "--name", self.name, *words], seconds=300, check=True, stdout=subprocess.DEVNULL)

    def up(self, *options, shape="8x2"):
        self.options, self.shape, self.plugstack = options, shape, None
        self.testbed("up", shape, "--patient", "--release", RELEASE.name, *options)
        self.use_planner()

    def down(self):
        self.end_shell()
        self.testbed("down")

    def use(self, *arguments, plugin=None):
        """plugstack arguments of the launches to come"""
        self.use_line(" ".join(["optional", plugin or f"{self.prefix}/lib/commmap/commmap.so", *arguments]))

    def use_line(self, line):
        line += "\n"
        if line == self.plugstack:
            return
        path = os.path.join(self.work, "plugstack.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(line)
        self.testbed("plugstack", path)
        self.plugstack = line

    def use_planner(self, *arguments):
        """The installed planner, with the testbed's shape."""
        self.use(f"cluster={SHAPE}", PATIENCE, *arguments)

    def use_fake(self, *arguments):
        """fake_planner.py plans; the variable FAKE_PLAN says how."""
        self.use(f"program={FAKE_PLANNER}", PATIENCE, *arguments)

    def login(self, *words, stdin=None, seconds=60, user=None, **variables):
        """One command on the login host. Gives the nodes back first when an allocation holds them."""
        self.end_shell()
        who = ["--user", user] if user else []
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("COMMMAP", "SLURM"))}
        environment.update(variables)
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            # files, not pipes: a process that outlives the command does not hold the test up
            process = subprocess.Popen([TESTBED, "--name", self.name, "exec", *who, *words], stdout=output, stderr=errors,
                                       stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
                                       cwd=self.work, env=environment, start_new_session=True)
            try:
                patience.communicate(process, seconds, stdin.encode() if stdin is not None else None)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                self.clean_up()
                raise
            output.seek(0)
            errors.seek(0)
            return Done(process.returncode, output.read().decode(errors="replace"), errors.read().decode(errors="replace"))

    def job(self, script, *options, seconds=60, **variables):
        """A script in an allocation of all nodes, 16 tasks. Without options in one that stays."""
        if options:
            return self.login("salloc", "-Q", "-N8", "-n16", *options, "bash", "-c", script, seconds=seconds, **variables)
        if self.shell is None:
            self.shell = Shell(self)
        try:
            return self.shell.run(script, variables, seconds)
        except TimeoutError:
            self.clean_up()
            raise

    def either(self, where, line, allocation, before=""):
        """The srun `line` as somebody with profiles starts it: standalone, or in an allocation with those options of salloc's."""
        if where == "allocation":
            line = f"salloc -Q {allocation} bash -c {shlex.quote(line)}"
        done = self.login("bash", "-c", before + line, COMMMAP_PROFILE_DIR=self.some_profiles())
        assert done.code == 0, done
        return done

    def some_profiles(self):
        """A directory with a profile, whatever it is of: else a standalone launch is not even looked at.

        Good as COMMMAP_PROFILE_DIR and as XDG_CACHE_HOME."""
        place = os.path.join(self.work, "some-profiles")
        if not os.path.isdir(place):
            os.makedirs(os.path.join(place, "commmap"))
            for name in ("any-np16.commmap", "commmap/any-np16.commmap"):
                open(os.path.join(place, name), "w", encoding="utf-8").close()
        return place

    def clean_up(self):
        """After something that failed or hung: no job is left for the next test, and every node is idle.

        A slurmstepd waits up to a minute for those below it that never began (stepd_wait_for_children_slurmstepd)."""
        self.end_shell()
        limit = patience.Limit(SECONDS_TO_IDLE)
        while self.busy():
            if limit.over():
                retries.note("the cluster did not become idle, and was started anew")
                sys.stderr.write(f"the cluster does not become idle, and is started anew\n{evidence.of(self)}")
                self.testbed("down")
                self.up(*self.options, shape=self.shape)
                return
            time.sleep(0.2)

    def busy(self):
        """Cancels what there is, and brings back nodes that slurmctld has given up."""
        asked = [patience.run(self.exec_words(*words), capture_output=True, text=True, stdin=subprocess.DEVNULL)
                 for words in (["squeue", "-h", "-o", "%i"], ["sinfo", "-h", "-N", "-o", "%N %T"])]
        if any(done.returncode != 0 for done in asked):
            return True
        jobs = asked[0].stdout.split()
        states = dict(line.split() for line in asked[1].stdout.splitlines())
        lost = [node for node, state in states.items() if any(word in state for word in ("down", "drain", "unknown"))]
        if jobs:
            patience.run(self.exec_words("scancel", *jobs), stdin=subprocess.DEVNULL, capture_output=True)
        for node in lost:
            patience.run(self.exec_words("scontrol", "update", f"nodename={node}", "state=resume"),
                         stdin=subprocess.DEVNULL, capture_output=True)
        return bool(jobs) or set(states.values()) != {"idle"}

    def end_shell(self):
        if self.shell is not None:
            self.shell.end()
            self.shell = None


class Shell:
    """A batch job that runs one script after another: an allocation for each costs half a second.

    A batch job and not salloc, because there srun runs on a node: slurmctld 22.05 cannot reach an srun on a host that is
    no node when it has to wait for the CPUs of the step before (srun_step_signal looks the host up in slurm.conf).
    """

    LOOP = """#!/bin/bash
exec 3< {directory}/requests 4> {directory}/replies
while read -r script <&3; do
    bash "$script" < /dev/null > "$script.out" 2> "$script.err" 3<&- 4>&-
    echo $? >&4
done
"""

    def __init__(self, cluster):
        self.cluster = cluster
        self.directory = tempfile.mkdtemp(dir=cluster.work)
        self.count = 0
        for name in ("requests", "replies"):
            os.mkfifo(os.path.join(self.directory, name))
        with open(os.path.join(self.directory, "loop.sh"), "w", encoding="utf-8") as file:
            file.write(self.LOOP.replace("{directory}", self.directory))
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("COMMMAP", "SLURM"))}
        patience.run([TESTBED, "--name", cluster.name, "exec", "sbatch", "-Q", "-N8", "-n16", "-o",
                      os.path.join(self.directory, "log"), os.path.join(self.directory, "loop.sh")], check=True, cwd=cluster.work, env=environment)
        # opened for both ways: no waiting for the other side, which may never come
        self.requests = os.open(os.path.join(self.directory, "requests"), os.O_RDWR)
        self.replies = os.fdopen(os.open(os.path.join(self.directory, "replies"), os.O_RDWR), "rb", buffering=0)

    def run(self, script, variables, seconds):
        self.count += 1
        path = os.path.join(self.directory, str(self.count))
        with open(path, "w", encoding="utf-8") as file:
            for name, value in variables.items():
                file.write(f"export {name}={shlex.quote(value)}\n")
            file.write(script + "\n")
        os.write(self.requests, path.encode() + b"\n")

        def content(name):
            with open(path + name, encoding="utf-8", errors="replace") as file:
                return file.read()

        limit = patience.Limit(seconds)
        while not select.select([self.replies], [], [], patience.BETWEEN_LOOKS)[0]:
            if not limit.over():
                continue
            if os.path.exists(path + ".out"):
                how = f"no end in {seconds} s\n--- output\n{content('.out')}--- errors\n{content('.err')}"
            else:
                how = f"its job's shell has not begun with it in {seconds} s\n"
            raise TimeoutError(f"{script}: {how}{evidence.of(self.cluster)}")
        code = int(self.replies.readline())
        return Done(code, content(".out"), content(".err"))

    def end(self):
        """The loop reads the end of its input and ends; the next job waits for that by itself."""
        os.close(self.requests)
        self.replies.close()
