# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Control groups of the nodes, where the kernel enforces what Slurm grants.

Each node has a control group of its own, and sees that as the root: nodes of several testbeds have the same names, and
Slurm names its groups after the node alone. With version 1 a node needs one for `up --real-cpus` only. With version 2 Slurm's
plugin makes groups whatever the configuration is, so that every node has one.
"""

import contextlib
import glob
import os
from pathlib import Path

import network
from problem import Problem
from processes import until

ROOT = "/sys/fs/cgroup"
CPUSETS = f"{ROOT}/cpuset"  # of version 1
# What Slurm's plugin for version 2 gives to jobs, and one more: 22.05 does not know the last word of the kernel's list, for
# the newline behind it (_get_controllers). A controller that is not there is its complaint in slurmd's log.
CONTROLLERS = ("cpuset", "cpu", "memory", "pids")

# Words before a command, then the group: a namespace of control groups has as its root where the process was at that time.
ENTER = ["sh", "-c", 'set -e; echo 0 > "$1/cgroup.procs"; shift; exec "$@"', "sh"]
# Shell lines within the node's mounts, with the group in $group. In version 2 a group that hands controllers down has no
# process of its own, but for the machine's root: so slurmd begins in a group below, and a slurmstepd that leaves its job's
# group for the root, to remove that, comes there too.
SEE_1 = f'mount --bind "$group" {CPUSETS}\n'
SEE_2 = f"""\
echo 0 > "$group/slurmd/cgroup.procs"
for parent in "$group" "$group/system.slice"; do
    for controller in {" ".join(CONTROLLERS)}; do
        echo "+$controller" > "$parent/cgroup.subtree_control" || :
    done
done
mount --bind "$group" {ROOT}
mount --bind {ROOT}/slurmd/cgroup.procs {ROOT}/cgroup.procs
"""


def version():
    """1 or 2; None without control groups that a node could have."""
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        only_2 = all(line.startswith("0::") for line in file)
    if only_2 and os.path.exists(f"{ROOT}/cgroup.controllers"):
        return 2
    return 1 if os.path.exists(f"{CPUSETS}/cpuset.cpus") else None


def has_cpusets():
    return version() == 1 or (version() == 2 and "cpuset" in Path(ROOT, "cgroup.controllers").read_text(encoding="ascii").split())


def check(shape):
    if not has_cpusets():
        raise Problem(f"--real-cpus needs control groups with cpusets in {ROOT}")
    here = len(os.sched_getaffinity(0))
    for node in shape.nodes:
        if node.cpus.pus > here:
            raise Problem(f"--real-cpus: {node.name} has {node.cpus.pus} CPUs, this machine {here}")


def make(state, node):
    """(the directory of the node's control group, words before its namespaces, options of its unshare, lines to see it);
    nothing of it where the node needs none."""
    which = version()
    if which == 2:
        group = _make_2(network.namespace(state, node))
        return group, [*ENTER, group], ["--cgroup"], SEE_2
    if state.record.get("real_cpus"):
        return _make_1(network.namespace(state, node)), [], [], SEE_1
    return "", [], [], ""


def _make_1(name):
    group = os.path.join(CPUSETS, name)
    with contextlib.suppress(FileExistsError):
        os.mkdir(group)
    for file in ("cpuset.cpus", "cpuset.mems"):  # a new one has none, and no process can enter it
        Path(group, file).write_text(Path(CPUSETS, file).read_text(encoding="ascii"), encoding="ascii")
    return group


def _make_2(name):
    group = os.path.join(ROOT, name)
    for directory in ("slurmd", "system.slice"):  # the second is systemd's, where there is one
        try:
            os.makedirs(os.path.join(group, directory), exist_ok=True)
        except OSError as error:
            raise Problem(f"cannot make the control group {group}: {error.strerror}") from error
    for controller in CONTROLLERS:
        with contextlib.suppress(OSError):
            Path(ROOT, "cgroup.subtree_control").write_text(f"+{controller}", encoding="ascii")
    return group


def remove(state):
    """Once no process is left in them, which the kernel may notice a little after they ended."""
    name = network.namespace(state) + "-*"
    places = [os.path.join(CPUSETS, name), os.path.join(ROOT, name)]

    def left():
        return [group for place in places for group in glob.glob(place)]

    def gone():
        for group in left():
            for directory, _, _ in os.walk(group, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(directory)
        return not left()

    until(gone, 5, lambda: f"control groups stay: {' '.join(left())}")
