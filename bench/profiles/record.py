# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Records the profiles of this directory anew: record.py PREFIX PROGRAMS [NAME...]

PREFIX is where commmap is installed, PROGRAMS the directory of the benchmark programs. Each program runs with 16 ranks on
an emulated cluster of its own, shape 8x2, in Slurm's own order. Programs of 256 ranks (NAME-256) run on this machine under
mpirun: what they send does not depend on where they are. Each profile replaces NAME.commmap beside this file.

The programs are Debian's packages: apt-get install lammps hpcc quantum-espresso quantum-espresso-data meep-mpi-default
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TESTBED = os.path.join(ROOT, "tests", "testbed", "testbed")
sys.path += [os.path.join(ROOT, "bench", "compare"), os.path.join(ROOT, "bench", "recorder")]
import cases
import hpcc

STEPS = 40  # of LAMMPS


def commands():
    return {
        "lammps-long": cases.melt((10, 10, 80), (2, 2, 4), STEPS),
        "lammps-cube": cases.melt((24, 24, 24), (4, 2, 2), STEPS),
        "lammps-slab": cases.melt((40, 40, 6), (4, 4, 1), STEPS),
        "hpl": ["hpcc"],
        "quantum-espresso": ["pw.x", "-nk", "2", "-in", "silicon.in"],
        "meep": ["meep", "waveguide.ctl"],
        "cg": ["./cg", "--message-bytes", "65536", "--iterations", "60"],
        "irregular": ["./irregular", f"{ROOT}/bench/programs/graphs/irregular16.graph", "--scale", "4", "--iterations", "24"],
    }


def large_commands(work):
    """Of 256 ranks."""
    return {
        "lammps-cube-256": cases.melt((40, 40, 40), (8, 8, 4), 10),
        "cg-256": ["./cg", "--message-bytes", "65536", "--iterations", "4"],
        "irregular-256": ["./irregular", f"{work}/irregular256.graph", "--iterations", "2"],
    }


def prepare(work, programs):
    """The programs' input and the benchmark programs, in the directory where all run."""
    for name in ("cg", "irregular"):
        shutil.copy(f"{programs}/{name}", work)
    with open(f"{work}/hpccinf.txt", "w", encoding="utf-8") as file:
        file.write(hpcc.settings(size=400, block=20, rows=4, columns=4))
    for name in ("silicon.in", "waveguide.ctl"):
        shutil.copy(f"{HERE}/{name}", work)
    with open(f"{work}/irregular256.graph", "w", encoding="utf-8") as file:
        subprocess.run([sys.executable, f"{ROOT}/bench/programs/graphs/make_irregular.py", "--vertices", "256", "--cluster", "16", "--seed", "7"],
                       check=True, stdout=file)


def record(launcher, work, name, command):
    profiles = f"{work}/profiles-{name}"
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("COMMMAP", "SLURM"))}
    environment |= {"COMMMAP_PROFILE_DIR": profiles, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run([*launcher, *command], check=True, env=environment, cwd=work, stdout=subprocess.DEVNULL)
    found = glob.glob(f"{profiles}/*.commmap")
    if len(found) != 1:
        sys.exit(f"record.py: {name}: {len(found)} profiles, expected one")
    shutil.copy(found[0], f"{HERE}/{name}.commmap")


def main():
    prefix, programs = (os.path.abspath(path) for path in sys.argv[1:3])
    testbed = [TESTBED, "--name", f"record{os.getpid()}"]
    with tempfile.TemporaryDirectory(prefix="commmap-profiles-", dir="/var/tmp") as work:
        small, large = commands(), large_commands(work)
        wanted = sys.argv[3:] or [*small, *large]
        if unknown := [name for name in wanted if name not in small and name not in large]:
            sys.exit(f"record.py: no program '{unknown[0]}': expected one of {' '.join([*small, *large])}")
        prepare(work, programs)
        for name in filter(large.get, wanted):
            recorder = ["-x", f"LD_PRELOAD={prefix}/lib/commmap/libcommmap_hooks_ompi.so", "-x", "COMMMAP_RECORD=1"]
            record(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "256", "--mca", "mpi_yield_when_idle", "1", *recorder], work, name,
                   large[name])
            print(f"{name}.commmap", flush=True)
        if not any(map(small.get, wanted)):
            return
        with open(f"{work}/plugstack.conf", "w", encoding="utf-8") as file:
            file.write(f"optional {prefix}/lib/commmap/commmap.so\n")
        subprocess.run([*testbed, "up", "8x2", "--plugstack", f"{work}/plugstack.conf"], check=True, stdout=subprocess.DEVNULL)
        try:
            for name in filter(small.get, wanted):
                record([*testbed, "exec", "srun", "-Q", "-N8", "-n16", "--commmap=profile"], work, name, small[name])
                print(f"{name}.commmap", flush=True)
        finally:
            subprocess.run([*testbed, "down"], check=False, stdout=subprocess.DEVNULL)


main()
