# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Runs programs under Open MPI's mpirun, each run with a directory of its own for what its processes share.

Without that, all runs of a user share /tmp/ompi.HOST.UID: each run makes that directory, and the last one that ends removes it.
Open MPI 4.1 fails where another run makes or removes the directory between its look and its mkdir ("File exists").
"""

import os
import subprocess
import tempfile

import patience


def run(words, *, env=None, **how):
    """As patience.run(["mpirun.openmpi", *words]), with what the run prints as text.

    The directory is in /tmp, for a Unix socket's path has 107 bytes at most.
    """
    with tempfile.TemporaryDirectory(prefix="ompi-", dir="/tmp") as directory:
        return patience.run(["mpirun.openmpi", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                            env={**(os.environ if env is None else env), "OMPI_MCA_orte_tmpdir_base": directory}, **how)
