"""Nodes with the machine's own CPUs, in real control groups: `up --real-cpus`.

Each node has a control group of its own, and sees that as the root: nodes of several testbeds have the same names, and
Slurm names its groups after the node alone.
"""

import contextlib
import glob
import os

import network
from problem import Problem
from processes import until

HIERARCHY = "/sys/fs/cgroup/cpuset"


def check(shape):
    if not os.path.exists(os.path.join(HIERARCHY, "cpuset.cpus")):
        raise Problem(f"--real-cpus needs the control groups of cpusets, version 1, in {HIERARCHY}")
    here = len(os.sched_getaffinity(0))
    for node in shape.nodes:
        if node.cpus.pus > here:
            raise Problem(f"--real-cpus: {node.name} has {node.cpus.pus} CPUs, this machine {here}")


def make(state, node):
    """The directory of the node's control group."""
    group = os.path.join(HIERARCHY, network.namespace(state, node))
    with contextlib.suppress(FileExistsError):
        os.mkdir(group)
    for name in ("cpuset.cpus", "cpuset.mems"):  # a new one has none, and no process can enter it
        with open(os.path.join(HIERARCHY, name), encoding="ascii") as file:
            value = file.read()
        with open(os.path.join(group, name), "w", encoding="ascii") as file:
            file.write(value)
    return group


def remove(state):
    """Once no process is left in them, which the kernel may notice a little after they ended."""
    groups = os.path.join(HIERARCHY, network.namespace(state) + "-*")

    def gone():
        for group in glob.glob(groups):
            for directory, _, _ in os.walk(group, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(directory)
        return not glob.glob(groups)

    until(gone, 5, lambda: f"control groups stay: {' '.join(glob.glob(groups))}")
