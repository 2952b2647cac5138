# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""commmap map --format: real launchers read the files, and each rank runs where the map says.

Intel MPI and HPE Cray MPICH are not here: tests/core/plan/machine_files_test.cpp compares the text with what their vendors
document.
"""

import json
import os
import re

import pytest

import cluster as clusters
from cluster import NODES, RANKMAP, RELEASE, SHAPE, need

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

# Nodes of two cores with two threads each: the network of SHAPE does not matter here.
THREADS = """\
version: 1
links: {net: {bandwidth: 100 Mbit/s, latency: 60 us}}
node_classes: {threads: {hwloc: {synthetic: "core:2 pu:2"}, link: net}}
switches: {s: {nodes: "m[0-3]", class: threads}}
x-emulation: {subnets: 10.78.0.0/16, burst: 32 KiB}
"""

# What ssh is elsewhere. (MPICH 4.2 and later put an option of srun's before the host.)
REMOTE_SHELL = """\
#!/bin/sh
[ "$1" != --external-launcher ] || shift
host=$1; shift
exec srun --overlap -Q -N1 -n1 -w "$host" sh -c "$*"
"""


@pytest.fixture(scope="module", name="where_programs")
def _where_programs(work):
    """MPI -> a program that says where its ranks are."""
    built = {}
    for mpi in ("openmpi", "mpich"):
        built[mpi] = os.path.join(work, f"where.{mpi}")
        clusters.build(f"mpicc.{mpi}", "-O2", "-o", built[mpi], os.path.join(clusters.HERE, "programs", "where.c"))
    return built


def profile(ranks):
    """In which rank r sends to r + 3: made by tests/cli/make_profile FILE RANKS 3 1000000."""
    return os.path.join(clusters.ROOT, "tests", "data", "profile", f"distance3-np{ranks}.commmap")


@pytest.fixture(scope="module", name="threads")
def _threads(cluster, prefix, work):
    """Another cluster, of nodes whose cores have two threads."""
    place = os.path.join(work, "threads")
    os.mkdir(place)
    os.chmod(place, 0o755)
    shape = os.path.join(place, "shape.yaml")
    with open(shape, "w", encoding="utf-8") as file:
        file.write(THREADS)
    other = clusters.Cluster(f"{cluster.name}t", prefix, place)
    other.testbed("up", shape, "--release", RELEASE.name)
    yield other, shape
    other.down()


class Placed:
    """One map, in any format; and what a launch made of it."""

    def __init__(self, cluster, ranks, work, shape=SHAPE):
        self.cluster, self.work = cluster, work
        self.map = f"{cluster.prefix}/bin/commmap map --profile {profile(ranks)} --cluster {shape} --mapper greedy --rank0 free"

    def expected(self, *options):
        """rank -> node and the number of the PU among those of the node"""
        done = self.cluster.job(f"{self.map} --format json", *options)
        assert done.code == 0, done
        return [(row["node"], row["pu_index"]) for row in json.loads(done.out)["placement"]]

    def launched(self, name, command, *options):
        """rank -> node and CPUs; `command` reads the file "file" in the format `name`"""
        # by its name alone: Open MPI 5.0.7 refuses a path with a dash in it
        done = self.cluster.job(f"cd {self.work} && {self.map} --format {name} > file && {command}", *options, **AS_ROOT)
        assert done.code == 0, done
        found = {}
        # launchers put lines of several ranks together
        for rank, node, cpus in re.findall(r"rank (\d+) of \d+ on (m\d), CPUs ((?:\d+ ?)+)", done.out):
            assert int(rank) not in found, done
            found[int(rank)] = (node, [int(cpu) for cpu in cpus.split()])
        assert found and sorted(found) == list(range(len(found))), done
        return [found[rank] for rank in range(len(found))]


def hosts(rows):
    return [row[0] for row in rows]


@pytest.fixture(name="placed")
def _placed(cluster, work):
    it = Placed(cluster, 16, work)
    there = hosts(it.expected())
    block = [NODES[rank // 2] for rank in range(16)]
    assert there != block and there != NODES + NODES and sorted(there) == block
    return it


# Debian's Open MPI: 4.1.4 with Slurm 22.05, 5.0.7 with 24.11, 6.0.0rc2 with 26.05
OPEN_MPI = {
    "openmpi4": "mpirun.openmpi --use-hwthread-cpus -rf file -n",
    "openmpi5": "mpirun.openmpi --map-by rankfile:file=file:HWTCPUS -n",
}
NAME = "openmpi4" if RELEASE.name == "22.05" else "openmpi5"
# the same without counting threads
BY_CORES = OPEN_MPI[NAME].replace(" --use-hwthread-cpus", "").replace(":HWTCPUS", "")


@pytest.mark.parametrize("name, command", [(NAME, OPEN_MPI[NAME]), ("rankfile", BY_CORES)], ids=[NAME, "rankfile"])
@pytest.mark.parametrize("from_login", [False, True], ids=["sbatch", "salloc"])
def test_open_mpi(placed, where_programs, name, command, from_login):
    options = ["--exclusive"] if from_login else []  # any option: salloc, and mpirun on the login host

    found = placed.launched(name, f"{command} 16 {where_programs['openmpi']}", *options)

    assert found == [(node, [slot]) for node, slot in placed.expected(*options)]


@pytest.mark.parametrize("ranks", [5, 6, 16])
def test_open_mpi_threads(threads, where_programs, ranks):
    """A rank that is alone on a core has both of its threads, others have one each."""
    cluster, shape = threads
    placed = Placed(cluster, ranks, cluster.work, shape)
    options = ["-N2", "-n8"] if ranks < 16 else ["-N4", "-n16"]
    expected = placed.expected(*options)
    used = set(expected)

    found = placed.launched(NAME, f"{OPEN_MPI[NAME]} {ranks} {where_programs['openmpi']}", *options)

    assert found == [(node, [cpu for cpu in (slot, slot ^ 1) if cpu == slot or (node, cpu) not in used])
                     for node, slot in expected]
    sizes = {len(cpus) for _, cpus in found}
    assert sizes == ({1} if ranks == 16 else {1, 2})


def test_hostfile(placed, where_programs):
    program = where_programs["mpich"]
    found = placed.launched("hostfile", f"SLURM_HOSTFILE=file srun -n16 -m arbitrary --mpi=pmi2 {program}")
    assert hosts(found) == hosts(placed.expected())


def until_all_have_said(command):
    """The mpiexec of MPICH 5.0.2 (26.05) writes to proxies that have ended, and then it hangs or fails: 3 of 12 launches
    without any file of ours did. There it is ended once the 16 ranks have said where they are."""
    if RELEASE.name != "26.05":
        return command
    return f"""{{
{command} > said & launcher=$!
until [ "$(grep -o 'rank [0-9]* of' said | wc -l)" -ge 16 ] || ! kill -0 $launcher 2> /dev/null; do sleep 0.05; done
timeout 5 tail --pid=$launcher -f /dev/null
kill $launcher 2> /dev/null
wait $launcher
cat said
}}"""


def test_mpich(placed, where_programs, work):
    shell = os.path.join(work, "remote-shell")
    with open(shell, "w", encoding="utf-8") as file:
        file.write(REMOTE_SHELL)
    os.chmod(shell, 0o755)

    command = f"mpiexec.hydra -launcher rsh -launcher-exec {shell} -f file -n 16 {where_programs['mpich']}"

    assert hosts(placed.launched("mpich", until_all_have_said(command))) == hosts(placed.expected())


def test_mpich_rankmap(placed, where_programs):
    need(RANKMAP)
    command = f'mpiexec.hydra -rankmap "$(cat file)" -n 16 {where_programs["mpich"]}'

    found = placed.launched("mpich-rankmap", until_all_have_said(command))

    assert hosts(found) == hosts(placed.expected())
