# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""End to end: real Slurm, the installed tree, real tasks. As root; /usr/bin/python3 -m pytest tests/slurm

COMMMAP_RELEASE: of Slurm (22.05); another one than the machine's needs `testbed root NAME` and a build in that root.
COMMMAP_PREFIX: the installed tree. Without it the build in COMMMAP_BUILD (build/dev, or build/RELEASE of another release)
is installed into a directory that is removed afterwards.

Modules that tests share are in lib/. Tests of the recorder are in recording/.
"""

import os
import shutil
import sys
import tempfile

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import cluster as clusters
import evidence
import known_faults
import launch_rows
import release_tests
from beside import Beside


def pytest_configure(config):
    config.addinivalue_line("markers", "row(name): a row of the table of launches, see scripts/launch-table")
    config.addinivalue_line("markers", "release: depends on the release of Slurm, see release_tests.py")
    launch_rows.register(config)


def pytest_collection_modifyitems(items):
    if os.geteuid() != 0:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="needs root"))
    for item in items:
        if release_tests.row_of(f"{item.path.name}::{item.name}"):
            item.add_marker("release")
        why = known_faults.fault(clusters.RELEASE.name, f"{item.path.name}::{item.name}")
        if why:
            item.add_marker(pytest.mark.xfail(reason=why, strict=True))


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
    build = os.environ.get("COMMMAP_BUILD", os.path.join(clusters.ROOT, "build", clusters.RELEASE.name if clusters.RELEASE.suite else "dev"))
    place = os.path.join(work, "prefix")
    clusters.build("cmake", "--install", build, "--prefix", place)
    return place


@pytest.fixture(scope="session")
def cluster(prefix, work, request):
    it = clusters.Cluster(f"slurm{os.getpid()}", prefix, work)
    try:
        it.up()
        launch_rows.tell_release(request.config, it.login("srun", "--version").out.split()[-1])
        yield it
    finally:
        it.down()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """What the clusters of a failed test are doing, with its report: a run in CI leaves nothing else to look at."""
    report = (yield).get_result()
    if not report.failed or hasattr(item, "failed_on"):
        return
    item.failed_on = {getattr(value, "cluster", value) for value in item.funcargs.values()
                      if isinstance(getattr(value, "cluster", value), clusters.Cluster)}
    for each in item.failed_on:
        report.sections.append((f"testbed {each.name}", evidence.of(each)))


def pytest_runtest_teardown(item):
    """A job that a failed test left behind holds the nodes: it costs that test, not the next one."""
    for each in getattr(item, "failed_on", ()):
        each.clean_up()


@pytest.fixture(scope="session")
def programs(work):
    """name -> path"""
    place = os.path.join(work, "programs")
    os.mkdir(place)

    def compile_c(name, compiler, source, *options):
        path = os.path.join(place, name)
        clusters.build(compiler, "-O2", "-o", path, os.path.join(clusters.HERE, "programs", source), *options)
        return path

    built = {
        "ring": compile_c("ring", clusters.RELEASE.mpicc, "shifted_ring.c"),
        "collectives": compile_c("collectives", clusters.RELEASE.mpicc, "collectives.c"),
        "library": compile_c("library", clusters.RELEASE.mpicc, "library.c"),
        "leaver": compile_c("leaver", clusters.RELEASE.mpicc, "leaver.c"),
        "plain": compile_c("plain", "cc", "plain.c"),
        "shared": compile_c("shared", "mpicc.mpich", "shared_memory.c"),
        "static": compile_c("static", "cc", "plain.c", "-static"),
        "rank": compile_c("rank", "cc", "rank.c"),
        "traffic": compile_c("traffic", clusters.RELEASE.mpicc, "../../pmix_hooks/programs/traffic.c"),
    }
    script = os.path.join(place, "script.sh")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec {built["ring"]} "$@"\n')
    os.chmod(script, 0o755)
    built["script"] = script
    return built


@pytest.fixture(scope="module", name="recorded")
def _recorded(request, cluster, programs, work):
    """A directory with the profile of the ring on 16 ranks: rank r talks to r + 8, four nodes on under Slurm's layout."""
    clusters.need(clusters.PMIX)
    cluster.use_planner()
    place = f"{work}/recorded-{request.module.__name__}"
    done = cluster.job(f"srun -n16 --commmap=profile {programs['ring']} {clusters.LONG_RING}", COMMMAP_PROFILE_DIR=place)
    assert done.code == 0, done
    assert done.said == []
    assert len(done.lines) == 16 and all(line.endswith("right") for line in done.lines)
    return place


@pytest.fixture(scope="module", params=["allocation", "standalone"])
def where(request):
    return request.param


@pytest.fixture
def beside(cluster, work, programs, where):
    cluster.use_fake()
    return Beside(cluster, work, programs["rank"], where)


@pytest.fixture(name="own")
def _own(cluster, prefix, work):
    """A copy of the installed tree, which the launches of the test have."""
    above = tempfile.mkdtemp(dir=work)
    os.chmod(above, 0o755)
    shutil.copytree(prefix, f"{above}/prefix")
    cluster.use(f"cluster={clusters.SHAPE}", clusters.PATIENCE, plugin=f"{above}/prefix/lib/commmap/commmap.so")
    yield f"{above}/prefix"
    cluster.end_shell()
    cluster.use_planner()
    shutil.rmtree(above)
