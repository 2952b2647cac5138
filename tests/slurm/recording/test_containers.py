# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Steps that another plugin takes into a container, as pyxis does, before or after commmap has looked at the task."""

import os

import pytest

from cluster import HERE, PATIENCE, PMIX, RELEASE, SHAPE, build, need, profiles_in

INSIDE = ("commmap: not recorded: the step runs in a container (--container, pyxis), which may have another C library; "
          "docs/user/recorder.md, In containers, says how to record there")
BEHIND = ("commmap: not recorded: spank_pyxis.so stands behind commmap.so in plugstack.conf, so that nobody can tell whether the "
          "step runs in a container; the administrator can put commmap.so behind it")


@pytest.fixture(name="pyxis", scope="module")
def _pyxis(work):
    if RELEASE.suite:
        pytest.skip("the root of another release is no root directory of this machine")
    path = f"{work}/spank_pyxis.so"
    build("cc", "-shared", "-fPIC", "-o", path, f"{HERE}/programs/container_plugin.c")
    return path


@pytest.mark.parametrize("case", ["before", "before, in a container", "before, in a container without commmap", "behind", "behind, in a container"])
def test_a_plugin_that_makes_containers(cluster, programs, work, pyxis, case):
    need(PMIX)
    order, inside = case.split(",")[0], "container" in case
    own, other = f"optional {cluster.prefix}/lib/commmap/commmap.so cluster={SHAPE} {PATIENCE}", f"required {pyxis}"
    place, root = f"{work}/pyxis {case}", f"{work}/container"
    os.makedirs(root, exist_ok=True)
    variables = {"CONTAINER_ROOT": root} if inside else {}
    if "without" in case:
        variables["CONTAINER_HIDES"] = cluster.prefix
    line = f"srun -N4 -n4 OPTION {programs['leaver']} finalize; echo code $?"
    cluster.use_line("\n".join([other, own] if order == "before" else [own, other]))
    try:
        plain = cluster.job(line.replace("OPTION", ""), **variables)
        done = cluster.job(line.replace("OPTION", "--commmap=profile"), COMMMAP_PROFILE_DIR=place, **variables)
    finally:
        cluster.use_planner()
    assert plain.out == "rank 0 is done\ncode 0\n" and plain.err == "", plain
    assert (done.code, done.out) == (plain.code, plain.out), (plain, done)
    said = [BEHIND] if order == "behind" else [INSIDE] if inside else []
    assert done.err.splitlines() == said, done
    assert bool(os.path.isdir(place) and profiles_in(place)) == (said == [])
