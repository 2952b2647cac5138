# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Which profiles a launch leaves and takes: runs, tags, scripts, programs behind starters, the site's directory."""

import json
import os
import re
import shutil

import patience
import pytest

from cluster import LONG_RING, PMIX, need, profiles_in
from ring_ranks import BLOCK, nodes


@pytest.fixture(autouse=True)
def _planner(cluster):
    cluster.use_planner()


def partners_are_together(done):
    found = nodes(done)
    return all(found[rank] == found[rank + 8] for rank in range(8))


def kinds(place):
    """Names of the files without their runs -> how many"""
    found = {}
    for name in os.listdir(place):
        if name.endswith(".commmap"):
            kind = name.split("-np16.")[0]
            found[kind] = found.get(kind, 0) + 1
    return found


def record(cluster, place, command, mode="profile", **environment):
    done = cluster.job(f"srun -n16 --commmap={mode} {command}", COMMMAP_PROFILE_DIR=place, **environment)
    assert done.code == 0 and done.said == [], done


def launch(cluster, place, command, mode="auto", **environment):
    return cluster.job(f"srun -n16 --commmap={mode} {command}", COMMMAP_PROFILE_DIR=place, **environment)


def test_jobs_of_one_program_that_end_at_once_all_leave_a_run(cluster, programs, work):
    need(PMIX)
    place = f"{work}/at-once"
    steps = " & ".join(3 * [f"srun -n4 --overlap --commmap=profile {programs['ring']}"])
    done = cluster.job(f"{steps} & wait", COMMMAP_PROFILE_DIR=place)
    assert done.code == 0 and done.said == [], done
    files = profiles_in(place)
    assert len(files) == 3 and len({name.rsplit("-", 1)[0].split("Z-")[1] for name in files}) == 3, files  # a step each


def test_the_script_of_an_interpreter_is_the_program(cluster, programs, work):
    need(PMIX)
    place = f"{work}/scripts"
    for name in ("one", "other"):
        with open(f"{work}/{name}.sh", "w", encoding="utf-8") as script:
            script.write(f"# {name}\nexec {programs['ring']} {LONG_RING}\n")
    record(cluster, place, f"bash {work}/one.sh")
    (kind,) = kinds(place)
    assert re.fullmatch(r"(build-id|xxh128)-[0-9a-f]+\.script-[0-9a-f]{16}", kind)
    assert partners_are_together(launch(cluster, place, f"bash -u {work}/one.sh"))
    other = launch(cluster, place, f"bash {work}/other.sh")
    assert nodes(other) == BLOCK and f"no profile of '{work}/other.sh'" in other.said[0], other
    # relative, in another directory: as the task finds it
    assert partners_are_together(launch(cluster, place, f"--chdir={work} bash one.sh"))


def test_what_a_starter_starts_is_the_program(cluster, programs, work):
    need(PMIX)
    place = f"{work}/starters"
    record(cluster, place, f"env A=1 nice -n 1 {programs['ring']} {LONG_RING}")
    assert partners_are_together(launch(cluster, place, programs["ring"]))
    assert partners_are_together(launch(cluster, place, f"timeout 600 {programs['ring']}"))


def test_a_tag_keeps_profiles_apart(cluster, programs, work):
    need(PMIX)
    place = f"{work}/tags"
    record(cluster, place, f"{programs['ring']} {LONG_RING}", "profile,tag=large")
    (kind,) = kinds(place)
    assert kind.endswith("+large")
    without = launch(cluster, place, programs["ring"])
    assert nodes(without) == BLOCK and "there is one with the tag 'large'" in without.said[0], without
    assert partners_are_together(launch(cluster, place, programs["ring"], "auto,tag=large"))
    assert partners_are_together(launch(cluster, place, programs["ring"], COMMMAP_TAG="large"))
    wrong = cluster.job(f"srun -n2 --commmap=auto,tag=a/b {programs['ring']}")
    assert wrong.code != 0 and "'a/b' is not a tag" in wrong.err, wrong


def test_the_site_has_profiles_for_who_has_none(cluster, programs, recorded, work):
    """Published by an admin, in an allocation and for an srun that makes its own."""
    need(PMIX)
    site = f"{work}/site"
    (name,) = kinds(recorded)
    cluster.login(f"{cluster.prefix}/bin/commmap", "profile", "publish", name, "--profile-dir", recorded, "--site-profiles", site)
    assert os.listdir(site) == [f"{name}-np16.commmap"]
    for where in ("", "salloc -Q -N8 -n16 "):
        place = f"{work}/of nobody"
        done = cluster.login("bash", "-c", f"{where}srun -N8 -n16 --commmap=auto {programs['ring']}", COMMMAP_PROFILE_DIR=place,
                             COMMMAP_SITE_PROFILES=site)
        assert done.said == [] and partners_are_together(done), (where, done)
        assert not os.path.isdir(place) or kinds(place) == {}


def test_programs_of_several_executables_have_a_profile_of_the_set(cluster, programs, work):
    """Gathered by the ranks, and collected from the nodes."""
    need(PMIX)
    shutil.copy(programs["ring"], f"{work}/ocean")
    patience.run(["objcopy", "--remove-section=.note.gnu.build-id", f"{work}/ocean"], check=True)
    with open(f"{work}/set.conf", "w", encoding="utf-8") as conf:
        conf.write(f"0-5 {programs['ring']}\n6-15 {work}/ocean\n")
    expected = [{"name": os.path.basename(programs["ring"])}, {"name": "ocean"}]
    for place, environment in ((f"{work}/set", {}), (f"{work}/set-collected", {"OMPI_MCA_pmix_base_collect_data": "0"})):
        done = cluster.job(f"srun -n16 --commmap=profile --multi-prog {work}/set.conf", COMMMAP_PROFILE_DIR=place, **environment)
        assert done.code == 0 and done.said == [], done
        (name,) = profiles_in(place)
        assert re.match(r"set-[0-9a-f]{32}-np16\.", name), name
        profile = json.loads(cluster.login(f"{cluster.prefix}/bin/commmap", "profile", "export", "--json", f"{place}/{name}").out)
        assert [{"name": each["name"]} for each in profile["programs"]] == expected
        assert [rank["program"] for rank in profile["ranks"]] == 6 * [0] + 10 * [1]
        assert all(re.fullmatch(r"NM\d+(:SK\d+)?|SK\d+", rank["locality"]) for rank in profile["ranks"])
        assert all(sum(sum(to["bytes"]) for to in rank["sent"]) > 0 for rank in profile["ranks"])


def test_the_group_may_read_what_ended_early(cluster, programs, work):
    """The nodes that kept it made the directory."""
    need(PMIX)
    place = f"{work}/group-partial"
    cluster.job(f"srun -n16 --commmap=profile {programs['leaver']} mpi_abort", COMMMAP_PROFILE_DIR=place, COMMMAP_PROFILE_READERS="group")
    (name,) = profiles_in(place)
    assert name.endswith(".partial")
    assert os.stat(f"{place}/{name}").st_mode & 0o777 == 0o640 and os.stat(place).st_mode & 0o777 == 0o750


def test_the_group_may_read_on_request(cluster, programs, work):
    need(PMIX)
    place = f"{work}/group"
    record(cluster, place, programs["ring"], COMMMAP_PROFILE_READERS="group")
    (name,) = profiles_in(place)
    assert os.stat(f"{place}/{name}").st_mode & 0o777 == 0o640 and os.stat(place).st_mode & 0o777 == 0o750
