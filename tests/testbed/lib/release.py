# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Slurm's releases that a testbed can run, and everything that differs between them.

Each is what one Debian release has; nothing is built. 22.05 is the machine itself (Debian 12), the others run in a root
(roots.py). The sources are files of Slurm's repository at the tag of the release.
"""

from dataclasses import dataclass, field

from problem import Problem

PMIX, PMI2 = "pmix", "pmi2"
# what a release may lack, beside PMIx
LEAVERS = "a rank may leave without MPI_Finalize"
SMALL_STEPS = "a step may have fewer nodes than its job"
SHARED = "MPI_COMM_TYPE_SHARED"
RANKMAP = "mpiexec -rankmap"


@dataclass(frozen=True)
class Release:
    name: str
    suite: str = None  # of Debian; None: the machine itself
    script: str = None  # debootstrap's, where it has none of the suite's name
    apt: tuple = ()  # options of apt in the root
    mpi: str = PMIX  # MpiDefault
    mpicc: str = "mpicc.openmpi"  # the compiler whose programs srun can start
    mpi_conf: str = ""
    cgroup_automount: bool = False  # the word is known and needed; later releases call it defunct
    early_signal: int = None  # srun's exit code after an interrupt before its step is there; None: it asks for another
    lacks: dict = field(default_factory=dict)  # feature -> why


# The tree fence of mpi/pmix (and its default) now and then lets ranks out of MPI_Init while others still wait in it: one
# first step of new slurmds in five with 22.05, and 24.11 does so too. Those get a message that ob1 has no callback for yet:
# signal 11.
RING = "PMIxCollFence=ring\n"

RELEASES = {release.name: release for release in (
    Release(
        "22.05",
        mpi_conf=RING,
        cgroup_automount=True,
        lacks={RANKMAP: "Debian 12's MPICH 4.0.2 has no -rankmap"}),
    Release(
        "24.11", suite="trixie",
        mpi_conf=RING,
        lacks={LEAVERS: "Open MPI 5 ends the other ranks, with exit code 14, when it sees one leave without MPI_Finalize",
               SMALL_STEPS: "now and then all ranks of one wait in MPI_Init for ever: 15 of 440 plain steps on 2 of 8 nodes, by tree, by "
                            "ring and without direct connections; 0 of 632 in jobs of 2 nodes",
               RANKMAP: "MPICH 4.2.1 takes -rankmap and still numbers the ranks node after node"}),
    Release(
        "26.05", suite="forky", script="sid",
        # forky is testing: its index is valid for a week, and a mirror may be older
        apt=("-o", "Acquire::Check-Valid-Until=false"),
        # The package has no mpi_pmix.so, and Open MPI has not spoken PMI-2 since 5.0: MPICH is what srun can start.
        mpi=PMI2, mpicc="mpicc.mpich",
        early_signal=1,  # also after one interrupt: src/srun/signals.c, _on_signal
        lacks={PMIX: "Debian's Slurm 26.05 is built without PMIx, and Open MPI starts with nothing else",
               SHARED: "MPI_COMM_TYPE_SHARED of Debian's MPICH 5.0.2 has one rank each, under its own mpiexec too"}),
)}
DEFAULT = "22.05"


def find(name):
    if name not in RELEASES:
        raise Problem(f"unknown release '{name}'; known: {' '.join(RELEASES)}")
    return RELEASES[name]
