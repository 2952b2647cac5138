# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Processes of a testbed: how they are started, recognised and ended.

Ours is whatever runs in one of the testbed's network namespaces (all daemons, slurmstepds, tasks and what tasks left
behind) but for that of the login host, and Slurm's own commands elsewhere whose environment names the testbed's slurm.conf. No other process
is ever signalled but those that this one started, and none by a bare number: the check is repeated once the number is pinned by a pidfd.
"""

import contextlib
import os
import signal
import subprocess

import network
import patience
from problem import Problem

SLURM = {"munged", "slurmctld", "slurmd", "slurmstepd", "srun", "salloc", "sbatch", "sattach", "sbcast"}


_started = []


def start(state, command, log, env=None):
    with open(log, "ab") as file, _signals_wait():
        _started.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, cwd="/",
                                         start_new_session=True, env=environment(state, env)))
    return _started[-1]


@contextlib.contextmanager
def _signals_wait():
    """Until a child is known: it is not yet in the namespace that it would be recognised by."""
    came = []
    handlers = {number: signal.signal(number, lambda *arguments: came.append(arguments))
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for number, frame in came:
        if callable(handlers[number]):
            handlers[number](number, frame)


def environment(state, more=None):
    kept = {key: value for key, value in os.environ.items()
            if not key.startswith(("SLURM", "LD_PRELOAD", "OMPI_", "PMIX_", "HWLOC_"))}
    return {**kept, "SLURM_CONF": state.path("slurm.conf"), **(more or {})}


def inside(state, node=None):
    return ["nsenter", f"--net={os.path.join(network.RUN, network.namespace(state, node))}"]


def until(condition, seconds, what, interval=0.02):
    """Gives what the condition gives once that is true; after the seconds, more on a busy machine, `what` is the problem."""
    try:
        return patience.until(condition, seconds, "", interval)
    except TimeoutError:
        raise Problem(what() if callable(what) else what) from None


def _inodes(state):
    inodes = {}
    for name in network.namespaces(state):
        if name == network.namespace(state, network.LOGIN):
            continue
        with contextlib.suppress(OSError):
            inodes[f"net:[{os.stat(os.path.join(network.RUN, name)).st_ino}]"] = name
    return inodes


def _is_ours(pid, inodes, conf):
    try:
        if os.readlink(f"/proc/{pid}/ns/net") in inodes:
            return True
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            if file.read().strip() not in SLURM:
                return False
        with open(f"/proc/{pid}/environ", "rb") as file:
            return b"SLURM_CONF=" + os.fsencode(conf) in file.read().split(b"\0")
    except OSError:
        return False  # gone


def ours(state):
    inodes, conf = _inodes(state), state.path("slurm.conf")
    numbers = [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]
    return [pid for pid in numbers if pid not in (1, os.getpid()) and _is_ours(pid, inodes, conf)]


def end_all(state):
    for child in _started:
        if child.poll() is None:
            child.kill()
            child.wait()
    inodes, conf = _inodes(state), state.path("slurm.conf")

    def sweep():
        found = ours(state)
        for pid in found:
            with contextlib.suppress(OSError):
                handle = os.pidfd_open(pid)
                try:
                    if _is_ours(pid, inodes, conf):
                        signal.pidfd_send_signal(handle, signal.SIGKILL)
                finally:
                    os.close(handle)
        return not found

    until(sweep, 20, lambda: f"processes do not end: {' '.join(map(str, ours(state)))}")


def daemons(state):
    """{(namespace, command name)} of the testbed's namespaces, for `status`"""
    inodes, found = _inodes(state), set()
    for pid in ours(state):
        with contextlib.suppress(OSError, KeyError):
            name = inodes[os.readlink(f"/proc/{pid}/ns/net")]
            with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
                found.add((name, file.read().strip()))
    return found
