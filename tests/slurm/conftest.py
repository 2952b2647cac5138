"""End to end: real Slurm, the installed tree, real tasks. As root; /usr/bin/python3 -m pytest tests/slurm

COMMMAP_PREFIX: the installed tree. Without it the build in COMMMAP_BUILD (build/dev) is installed into a directory that
is removed afterwards.
"""

import os
import shutil
import subprocess
import tempfile

import pytest

import cluster as clusters

MPICC = shutil.which("mpicc.openmpi") or shutil.which("mpicc")


def pytest_collection_modifyitems(items):
    if os.geteuid() != 0:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="needs root"))


@pytest.fixture(scope="session")
def work():
    """Seen by the nodes (their /tmp is private) and by every user."""
    place = tempfile.mkdtemp(prefix="commmap-slurm-", dir="/var/tmp")
    os.chmod(place, 0o755)
    yield place
    shutil.rmtree(place)


@pytest.fixture(scope="session")
def prefix(work):
    given = os.environ.get("COMMMAP_PREFIX")
    if given:
        return os.path.abspath(given)
    build = os.environ.get("COMMMAP_BUILD", os.path.join(clusters.ROOT, "build", "dev"))
    place = os.path.join(work, "prefix")
    subprocess.run(["cmake", "--install", build, "--prefix", place], check=True, stdout=subprocess.DEVNULL)
    return place


@pytest.fixture(scope="session")
def cluster(prefix, work):
    it = clusters.Cluster(f"slurm{os.getpid()}", prefix, work)
    it.up()
    try:
        yield it
    finally:
        it.down()


@pytest.fixture(scope="session")
def programs(work):
    """name -> path"""
    place = os.path.join(work, "programs")
    os.mkdir(place)

    def compile_c(name, compiler, source, *options):
        path = os.path.join(place, name)
        subprocess.run([compiler, "-O2", "-o", path, os.path.join(clusters.HERE, "programs", source), *options], check=True)
        return path

    built = {
        "ring": compile_c("ring", MPICC, "shifted_ring.c"),
        "leaver": compile_c("leaver", MPICC, "leaver.c"),
        "plain": compile_c("plain", "cc", "plain.c"),
        "static": compile_c("static", "cc", "plain.c", "-static"),
    }
    script = os.path.join(place, "script.sh")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec {built["ring"]} "$@"\n')
    os.chmod(script, 0o755)
    built["script"] = script
    return built
