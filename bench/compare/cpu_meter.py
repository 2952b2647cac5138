# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""CPU time that other processes of this machine use while a job runs on the emulated cluster.

Runs during which something else computes are not comparable, because the nodes of the emulated
cluster share the machine's CPUs. Counted as other: the user and system time of every process that is
- not a kernel thread,
- not in the network namespace of one of the job's nodes, and
- neither the comparison itself nor started by it (srun).

The processes are sampled several times a second. What a process used between its last sample and its
end is found in its parent's account of dead children, so that compilers, which live for a short
time, are counted too; lost is only what nobody waits for and init reaps.

Not used: the machine's busy time less that of the job. Busy time comes from sampling at ticks and
contains the network's interrupt work, which is the job's; and tasks that end between two samples
would make the difference too large at the end of each run.
"""

import os
import time
from dataclasses import dataclass

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_KERNEL_THREAD = 0x00200000  # PF_KTHREAD
_INIT = 1


@dataclass(frozen=True)
class ProcessTimes:
    pid: int
    start: int  # ticks after boot: tells a reused pid from the old one
    parent: int
    flags: int
    own: int  # ticks
    reaped: int  # ticks of children that were waited for

    @property
    def key(self):
        return self.pid, self.start


def read_processes():
    """One ProcessTimes for each process of the machine."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                # The second field, the name, may hold spaces and brackets.
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue  # ended meanwhile
        utime, stime, cutime, cstime = (int(field) for field in fields[11:15])
        found.append(ProcessTimes(pid=int(name), start=int(fields[19]), parent=int(fields[1]),
                                  flags=int(fields[6]), own=utime + stime, reaped=cutime + cstime))
    return found


def network_namespace(pid):
    """Identity of the network namespace of a process, e.g. 'net:[4026532686]'; None when unknown."""
    try:
        return os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        return None


class OtherCpuMeter:
    """start(), then sample() now and then, then mean_cpus()."""

    def __init__(self, job_namespaces, read=read_processes, namespace_of=network_namespace,
                 clock=time.monotonic, own_pid=None):
        self._job_namespaces = frozenset(job_namespaces)
        self._read = read
        self._namespace_of = namespace_of
        self._clock = clock
        self._own_pid = os.getpid() if own_pid is None else own_pid
        self._namespaces = {}
        self.start()

    def start(self):
        self._ticks = 0
        self._last = self._others()
        self._started = self._sampled = self._clock()

    def sample(self):
        now = self._others()
        counted = self._counted_of_dead(now)
        for key, process in now.items():
            before = self._last.get(key)
            self._ticks += process.own - (before.own if before else 0)
            if process.pid != _INIT:
                reaped = process.reaped - (before.reaped if before else 0)
                self._ticks += max(0, reaped - counted.get(process.pid, 0))
        self._last = now
        self._sampled = self._clock()

    def _counted_of_dead(self, now):
        """Ticks that were counted already for processes that have ended since, by the pid of the
        nearest ancestor that lives: there they turn up again as time of dead children.

        The nearest, because a compiler and its driver may both end between two samples.
        """
        living = {process.pid for process in now.values()}
        parents = {process.pid: process.parent for process in self._last.values()}
        counted = {}
        for key, process in self._last.items():
            if key in now:
                continue
            heir = process.parent
            for _ in range(len(parents)):
                if heir in living or heir not in parents:
                    break
                heir = parents[heir]
            # What a dead child had reaped was counted when it reaped it.
            counted[heir] = counted.get(heir, 0) + process.own + process.reaped
        return counted

    def mean_cpus(self):
        """CPUs that others kept busy, on average from start() to the last sample()."""
        elapsed_s = self._sampled - self._started
        return self._ticks / _TICKS_PER_S / elapsed_s if elapsed_s > 0 else 0.0

    def _others(self):
        processes = self._read()
        parents = {process.pid: process.parent for process in processes}
        alive = {process.key for process in processes}
        self._namespaces = {key: value for key, value in self._namespaces.items() if key in alive}
        return {process.key: process for process in processes
                if not process.flags & _KERNEL_THREAD and not self._is_own(process.pid, parents)
                and self._namespace(process) not in self._job_namespaces}

    def _is_own(self, pid, parents):
        # Not read at one instant: with a reused pid the parents may form a loop.
        for _ in range(len(parents)):
            if pid == self._own_pid:
                return True
            pid = parents.get(pid, 0)
        return False

    def _namespace(self, process):
        # Asked again while a process is young: slurmd enters its node's namespace after its start.
        if process.key not in self._namespaces or process.own < 2:
            self._namespaces[process.key] = self._namespace_of(process.pid)
        return self._namespaces[process.key]


class NoMeter:
    """For a cluster of real nodes, where this machine's load says nothing about the job."""

    def start(self):
        pass

    def sample(self):
        pass

    def mean_cpus(self):
        return 0.0
