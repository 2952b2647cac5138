# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Records a program under mpirun on this machine: what a program sends does not depend on where it runs."""

import json
import pathlib
import subprocess
import tempfile

import mpi_job


def record(prefix, ranks, command):
    """@param prefix  where commmap is installed. Returns the profile, as its JSON says it."""
    with tempfile.TemporaryDirectory(prefix="commmap-papers-", dir="/var/tmp") as work:
        settings = {"LD_PRELOAD": f"{prefix}/lib/commmap/libcommmap_hooks_ompi.so", "COMMMAP_RECORD": "1", "COMMMAP_PROFILE_DIR": work}
        words = [word for name, value in settings.items() for word in ("-x", f"{name}={value}")]
        done = mpi_job.run(["--allow-run-as-root", "--oversubscribe", "-n", str(ranks), "--mca", "pml", "ob1", "--mca", "btl", "self,vader",
                            "--mca", "mpi_yield_when_idle", "1", *words, *map(str, command)])
        profiles = list(pathlib.Path(work).glob("*.commmap"))
        if done.returncode or len(profiles) != 1:
            raise RuntimeError(f"{command[0]} on {ranks} ranks: exit code {done.returncode}, {len(profiles)} profiles: {done.stderr[-500:]}")
        text = subprocess.run([f"{prefix}/bin/commmap", "profile", "export", profiles[0]], check=True, capture_output=True, text=True).stdout
    return json.loads(text)
