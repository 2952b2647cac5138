# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What launches leave of themselves: a record each, which the next planner merges and obeys."""

import glob
import json
import os
import re

import pytest

from cluster import LONG_RING
from own_name import own_name


@pytest.fixture(autouse=True)
def _planner(cluster):
    cluster.use_planner()


@pytest.fixture(name="launch", params=["allocation", "standalone"])
def _launch(request, cluster, recorded, work):
    """srun with these words, in an allocation of all nodes or with one of its own; a store without a history"""
    store = f"{work}/history-{request.param}"
    os.makedirs(store, exist_ok=True)
    for path in glob.glob(f"{store}/*.commmap"):  # what another test recorded
        os.remove(path)
    for path in glob.glob(f"{recorded}/*.commmap"):
        os.link(path, f"{store}/{os.path.basename(path)}")

    def run(options, *command):
        if request.param == "allocation":
            return cluster.job(f"srun -n16 {options} {' '.join(command)}", COMMMAP_PROFILE_DIR=store)
        return cluster.login("srun", "-Q", "-N8", "-n16", *options.split(), *command, COMMMAP_PROFILE_DIR=store)
    run.store = store
    run.waiting = lambda: sorted(glob.glob(f"{store}/{own_name('history')}/new/*.run"))
    yield run
    for path in glob.glob(f"{store}/{own_name('history')}/*.history") + glob.glob(f"{store}/{own_name('history')}/new/*"):
        os.remove(path)


def history(cluster, prefix, launch):
    done = cluster.login(f"{prefix}/bin/commmap", "history", "--json", COMMMAP_PROFILE_DIR=launch.store)
    assert done.code == 0, done
    return json.loads(done.out)


def test_a_launch_leaves_one_small_record(cluster, prefix, launch, programs):
    done = launch("--commmap=auto,verbose", programs["ring"])
    assert done.code == 0, done
    assert re.fullmatch(r"commmap: the step took [\d.]+ m?s, [\d.]+ \S+ were predicted \([\d.]+ % (longer|shorter)\)", done.said[-1]), done
    assert len(launch.waiting()) == 1 and os.path.getsize(launch.waiting()[0]) <= 512
    one, = history(cluster, prefix, launch)
    group, = one["groups"]
    run, = group["runs"]
    assert (one["ranks"], group["nodes"], run["launched"]) == (16, 8, "placed")
    assert run["measured_s"] > 0 and run["predicted_s"] < run["default_predicted_s"]


def test_recorded_and_kept_runs_are_of_the_default(cluster, prefix, launch, programs):
    for words in ("--commmap=profile", "--commmap=auto", "--commmap=auto"):
        done = launch(words, programs["ring"], *LONG_RING.split())
        assert done.code == 0 and done.said == [], done
    one, = history(cluster, prefix, launch)
    group, = one["groups"]
    assert [run["launched"] for run in group["runs"]] == ["profiled", "placed", "placed"]
    assert group["default"]["runs"] == 1


def test_what_fails_or_has_no_profile_leaves_nothing(launch, programs):
    assert launch("--commmap=auto", "/usr/bin/false").code != 0
    assert launch("--commmap=auto", "/usr/bin/hostname").code == 0
    assert launch("--commmap=off", programs["ring"]).code == 0
    assert launch("--commmap=auto", "/bin/sh", "-c", "'exit 3'").code != 0
    assert launch.waiting() == []


def test_runs_with_off_count_where_the_site_wants_it(cluster, prefix, launch, programs):
    cluster.use_planner("count-off=1")
    for words in ("--commmap=off", ""):  # nobody said off in the second
        done = launch(words, programs["ring"])
        assert done.code == 0 and done.said == [], done
    assert launch("--commmap=off", "/usr/bin/hostname").code == 0  # has no profile
    assert launch("--commmap=off", programs["ring"], "1000", "1", "3").code == 3
    assert launch("--commmap=off -m cyclic", programs["ring"]).code == 0  # is not Slurm's own
    assert len(launch.waiting()) == 1
    one, = history(cluster, prefix, launch)
    group, = one["groups"]
    run, = group["runs"]
    assert (one["ranks"], group["nodes"], run["launched"], run["predicted_s"]) == (16, 8, "off", None)

    assert launch("--commmap=auto", programs["ring"]).code == 0
    one, = history(cluster, prefix, launch)
    group, = one["groups"]  # to be compared with
    assert [run["launched"] for run in group["runs"]] == ["off", "placed"]


SLOW_START = """#!/bin/sh
echo rank $SLURM_PROCID starts with "$LD_PRELOAD" "$COMMMAP_CLOCK"
[ $SLURM_PROCID != 0 ] || srun -Q -n1 -N1 --overlap sh -c 'echo nested starts with "$LD_PRELOAD" "$COMMMAP_CLOCK"'
sleep 0.5
exec RING "$@"
"""


def test_runs_are_timed_from_init_to_finalize_where_somebody_wants_it(cluster, prefix, launch, programs, work):
    cluster.use_planner("history=mpi", "count-off=1")
    slow = f"{work}/slow-start.sh"
    with open(slow, "w", encoding="utf-8") as file:
        file.write(SLOW_START.replace("RING", programs["ring"]))
    os.chmod(slow, 0o755)
    for words in ("--commmap=profile", "--commmap=off", "--commmap=auto"):
        done = launch(words, slow, *LONG_RING.split())
        assert done.code == 0, done
        started = [line for line in done.lines if " starts with " in line]
        timed = [line for line in started if "libcommmap_clock.so" in line or ".clock" in line]
        assert len(started) == 17, done
        if "auto" not in words:
            assert timed == [], done
        else:
            (rank0,) = timed  # and not the step in it
            assert re.fullmatch(r"rank 0 starts with \S*/libcommmap_clock\.so(:\S+)? \S+/history-0/new/\d+\.\d+-\d+\.clock", rank0), done
    one, = history(cluster, prefix, launch)
    by_step, by_mpi = sorted(one["groups"], key=lambda group: group["clock"], reverse=True)
    assert (by_step["clock"], by_mpi["clock"]) == ("step", "mpi")
    assert [run["launched"] for run in by_step["runs"]] == ["profiled", "off", "placed"]
    assert [run["launched"] for run in by_mpi["runs"]] == ["profiled", "placed"]
    for run, whole in zip(by_mpi["runs"], by_step["runs"][::2]):
        assert 0 < run["measured_s"] <= whole["measured_s"] - 0.5, one
    assert not glob.glob(f"{launch.store}/{own_name('history')}/new/*")

    assert launch("--commmap=auto", slow, "20000", "20", "3").code == 3
    assert not glob.glob(f"{launch.store}/{own_name('history')}/new/*")


def test_a_directory_that_cannot_be_written_costs_nothing(launch, programs):
    os.makedirs(f"{launch.store}/{own_name('history')}", exist_ok=True)
    os.rename(f"{launch.store}/{own_name('history')}", f"{launch.store}/moved")
    os.symlink("/nowhere", f"{launch.store}/{own_name('history')}")
    try:
        done = launch("--commmap=auto", programs["ring"])
        assert done.code == 0 and done.said == [], done
    finally:
        os.remove(f"{launch.store}/{own_name('history')}")
        os.rename(f"{launch.store}/moved", f"{launch.store}/{own_name('history')}")
