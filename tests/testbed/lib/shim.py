# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The preloaded libraries (shim/*.c), built into the testbed's directory."""

import os
import subprocess

import roots
from problem import Problem

SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "shim")
NAMES = ("yield", "cpus")


def path(state, name):
    return state.path("shim", name + ".so")


LONGEST_NAP_NS = 1000000  # of a patient testbed's ranks


def build(state, patient):
    """With the compiler and the C library of the release's root: both are what the libraries are loaded beside."""
    macros = [f"-DLONGEST_NS={LONGEST_NAP_NS}"] if patient else []
    os.makedirs(state.path("shim"))
    for name in NAMES:
        command = ["cc", "-O2", "-fPIC", "-shared", *macros, "-o", path(state, name),
                   os.path.join(SOURCES, name + ".c"), "-ldl"]
        done = subprocess.run(roots.command(state, command), capture_output=True, text=True)
        if done.returncode:
            raise Problem(f"cannot build {name}.so: {done.stderr.strip().splitlines()[0]}")
