# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""A site whose script looks at the options of every srun, refuses those without a time limit, and sets others."""

import os

import pytest

import cluster as clusters
from cluster import PMIX, need, profiles_in
from places import BLOCK, REVERSED, WHERE, places

# Slurm's own "none" is a number of minutes for the script
SCRIPT = """
function slurm_cli_setup_defaults(options, early_pass) return slurm.SUCCESS end
function slurm_cli_post_submit(offset, job_id, step_id) return slurm.SUCCESS end
function slurm_cli_pre_submit(options, pack_offset)
    if os.getenv("SLURM_JOB_ID") == nil and (options["time"] == nil or string.match(options["time"], "^%d%d%d%d%d%d")) then
        slurm.log_error("say how long it takes")
        return slurm.ERROR
    end
    local name, value = string.match(os.getenv("FILTER_SETS") or "", "^([^=]+)=(.*)$")
    if name then options[name] = value end
    return slurm.SUCCESS
end
"""


@pytest.fixture(name="filtered", scope="module")
def _filtered(prefix, work):
    if clusters.RELEASE.suite:
        pytest.skip("a root has no cli_filter/lua")
    it = clusters.Cluster(f"filter{os.getpid()}", prefix, work)
    it.up("--set", "CliFilterPlugins=lua")
    try:
        with open(f"/run/commmap-testbed/{it.name}/cli_filter.lua", "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        it.use_fake()
        yield it
    finally:
        it.down()


def test_a_standalone_srun_is_left_alone(filtered):
    """The second srun would be refused, and the job with it."""
    words = ["srun", "-Q", "-N8", "-n16", "-t5"]
    refused = filtered.login("srun", "-Q", "-N8", "-n16", "true")
    assert refused.code != 0 and "say how long it takes" in refused.err, refused
    done = filtered.login(*words, "--commmap=auto", "bash", "-c", WHERE.strip("'"), COMMMAP_PROFILE_DIR=filtered.some_profiles())
    assert places(done) == BLOCK
    assert len(done.said) == 1 and "the site's cli_filter script" in done.said[0] and done.said[0].endswith("; launching as without commmap"), done


def test_in_an_allocation_it_is_placed(filtered):
    done = filtered.login("salloc", "-Q", "-t5", "-N8", "-n16", "bash", "-c", f"srun -n16 --commmap=auto bash -c {WHERE}", COMMMAP_PROFILE_DIR=filtered.some_profiles())
    assert places(done) == REVERSED and done.said == [], done


SETS = {"time": "3", "distribution": "cyclic", "ntasks": "8"}
NOT_AS_PLANNED = "commmap: warning: Slurm did not place the tasks as planned"


def with_filter(filtered, where, name, run, **variables):
    """A srun whose option `name` the script sets."""
    place = ["salloc", "-Q", "-t5", "-N8", "-n16"] if where == "allocation" else []
    options = "-n16" if where == "allocation" else "-Q -t5 -N8 -n16"
    # not for salloc: what it gets is in SLURM_DISTRIBUTION and the like, where the plugin sees it
    return filtered.login(*place, "bash", "-c", f"FILTER_SETS={name}={SETS[name]} srun {options} {run}", **variables)


@pytest.mark.parametrize("where", ["allocation", "standalone"])
@pytest.mark.parametrize("name", SETS)
def test_options_that_the_script_sets_are_not_seen(filtered, where, name):
    """The plan is that of the command line: its order counts more than the script's, and it is for as many tasks as the user said."""
    filtered.use_fake()
    plain = with_filter(filtered, where, name, f"bash -c {WHERE}")
    done = with_filter(filtered, where, name, f"--commmap=auto bash -c {WHERE}", COMMMAP_PROFILE_DIR=filtered.some_profiles())
    assert len(plain.lines) == (8 if name == "ntasks" else 16) and (places(plain) == BLOCK) == (name == "time"), plain
    if where == "standalone":
        assert places(done) == places(plain) and len(done.said) == 1 and "the site's cli_filter script" in done.said[0], (plain, done)
    else:
        assert places(done) == {rank: REVERSED[rank] for rank in places(plain)}, (plain, done)
        assert done.said == ([NOT_AS_PLANNED] if name == "ntasks" else []), done


@pytest.mark.parametrize("where", ["allocation", "standalone"])
@pytest.mark.parametrize("name", SETS)
def test_a_step_is_recorded_as_the_script_made_it(filtered, programs, work, where, name):
    need(PMIX)
    filtered.use_planner()
    place = f"{work}/filtered {where} {name}"
    done = with_filter(filtered, where, name, f"--commmap=profile {programs['leaver']} finalize", COMMMAP_PROFILE_DIR=place)
    assert (done.code, done.out, done.said) == (0, "rank 0 is done\n", []), done
    (profile,) = profiles_in(place)
    assert f"-np{8 if name == 'ntasks' else 16}." in profile and profile.endswith(".commmap"), profile
