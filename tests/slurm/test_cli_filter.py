# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""A site whose script looks at the options of every srun, and refuses those without a time limit."""

import os

import pytest

import cluster as clusters
from test_placement import BLOCK, REVERSED, WHERE, places

# Slurm's own "none" is a number of minutes for the script
SCRIPT = """
function slurm_cli_setup_defaults(options, early_pass) return slurm.SUCCESS end
function slurm_cli_post_submit(offset, job_id, step_id) return slurm.SUCCESS end
function slurm_cli_pre_submit(options, pack_offset)
    if os.getenv("SLURM_JOB_ID") == nil and (options["time"] == nil or string.match(options["time"], "^%d%d%d%d%d%d")) then
        slurm.log_error("say how long it takes")
        return slurm.ERROR
    end
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
