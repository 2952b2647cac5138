"""Running things on the testbed: one allocation with a script in it, or one command on the login host."""

import os
import select
import shlex
import signal
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TESTBED = os.path.join(ROOT, "tests", "testbed", "testbed")
SHAPE = os.path.join(ROOT, "tests", "testbed", "shapes", "8x2.yaml")
FAKE_PLANNER = os.path.join(HERE, "fake_planner.py")
NODES = [f"m{number}" for number in range(8)]


class Done:
    """What a command left behind."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def said(self):
        """the plugin's lines on standard error"""
        return [line for line in self.err.splitlines() if line.startswith("commmap:")]

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

    def testbed(self, *words):
        subprocess.run([TESTBED, "--name", self.name, *words], check=True, timeout=60, stdout=subprocess.DEVNULL)

    def up(self):
        self.testbed("up", "8x2")
        self.use_planner()

    def down(self):
        self.end_shell()
        self.testbed("down")

    def use(self, *arguments, plugin=None):
        """plugstack arguments of the launches to come"""
        line = " ".join(["optional", plugin or f"{self.prefix}/lib/commmap/commmap.so", *arguments]) + "\n"
        if line == self.plugstack:
            return
        path = os.path.join(self.work, "plugstack.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(line)
        self.testbed("plugstack", path)
        self.plugstack = line

    def use_planner(self, *arguments):
        """The installed planner, with the testbed's shape."""
        self.use(f"cluster={SHAPE}", *arguments)

    def use_fake(self, *arguments):
        """fake_planner.py plans; the variable FAKE_PLAN says how."""
        self.use(f"program={FAKE_PLANNER}", *arguments)

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
                process.communicate(stdin.encode() if stdin is not None else None, timeout=seconds)
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

    def clean_up(self):
        """After something that hung: no allocation and no step may be left for the next test."""
        self.end_shell()
        self.login("scancel", "--user", "root")
        self.login("scancel", "--user", "nobody")

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
        self.directory = tempfile.mkdtemp(dir=cluster.work)
        self.count = 0
        for name in ("requests", "replies"):
            os.mkfifo(os.path.join(self.directory, name))
        with open(os.path.join(self.directory, "loop.sh"), "w", encoding="utf-8") as file:
            file.write(self.LOOP.replace("{directory}", self.directory))
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("COMMMAP", "SLURM"))}
        subprocess.run([TESTBED, "--name", cluster.name, "exec", "sbatch", "-Q", "-N8", "-n16", "-o",
                        os.path.join(self.directory, "log"), os.path.join(self.directory, "loop.sh")], check=True, cwd=cluster.work, env=environment, timeout=60)
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

        if not select.select([self.replies], [], [], seconds)[0]:
            running = subprocess.run(["ps", "axo", "pid,ppid,etimes,stat,wchan:20,args"], capture_output=True, text=True, check=False).stdout
            running = "\n".join(line for line in running.splitlines() if "srun" in line or "slurmstepd" in line)
            raise TimeoutError(f"{script}: no end in {seconds} s\n--- output\n{content('.out')}--- errors\n{content('.err')}--- running\n{running}")
        code = int(self.replies.readline())
        return Done(code, content(".out"), content(".err"))

    def end(self):
        """The loop reads the end of its input and ends; the next job waits for that by itself."""
        os.close(self.requests)
        self.replies.close()
