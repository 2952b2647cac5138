"""Records the profiles of this directory anew: record.py PREFIX PROGRAMS [NAME...]

PREFIX is where commmap is installed, PROGRAMS the directory of the benchmark programs. Each program runs with 16 ranks on
an emulated cluster of its own, shape 8x2, in Slurm's own order. Its profile replaces NAME.commmap beside this file.

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
import cases  # noqa: E402
import hpcc  # noqa: E402

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


def prepare(work, programs):
    """The programs' input and the benchmark programs, in the directory where all run."""
    for name in ("cg", "irregular"):
        shutil.copy(f"{programs}/{name}", work)
    with open(f"{work}/hpccinf.txt", "w", encoding="utf-8") as file:
        file.write(hpcc.settings(size=400, block=20, rows=4, columns=4))
    for name in ("silicon.in", "waveguide.ctl"):
        shutil.copy(f"{HERE}/{name}", work)


def record(testbed, work, name, command):
    profiles = f"{work}/profiles-{name}"
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("COMMMAP", "SLURM"))}
    environment |= {"COMMMAP_PROFILE_DIR": profiles, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run([*testbed, "exec", "srun", "-Q", "-N8", "-n16", "--commmap=profile", *command], check=True, env=environment, cwd=work,
                   stdout=subprocess.DEVNULL)
    found = glob.glob(f"{profiles}/*.commmap")
    if len(found) != 1:
        sys.exit(f"record.py: {name}: {len(found)} profiles, expected one")
    shutil.copy(found[0], f"{HERE}/{name}.commmap")


def main():
    prefix, programs = (os.path.abspath(path) for path in sys.argv[1:3])
    known = commands()
    wanted = sys.argv[3:] or list(known)
    if unknown := [name for name in wanted if name not in known]:
        sys.exit(f"record.py: no program '{unknown[0]}': expected one of {' '.join(known)}")
    testbed = [TESTBED, "--name", f"record{os.getpid()}"]
    with tempfile.TemporaryDirectory(prefix="commmap-profiles-", dir="/var/tmp") as work:
        prepare(work, programs)
        with open(f"{work}/plugstack.conf", "w", encoding="utf-8") as file:
            file.write(f"optional {prefix}/lib/commmap/commmap.so\n")
        subprocess.run([*testbed, "up", "8x2", "--plugstack", f"{work}/plugstack.conf"], check=True, stdout=subprocess.DEVNULL)
        try:
            for name in wanted:
                record(testbed, work, name, known[name])
                print(f"{name}.commmap", flush=True)
        finally:
            subprocess.run([*testbed, "down"], check=False, stdout=subprocess.DEVNULL)


main()
