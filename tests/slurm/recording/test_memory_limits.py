# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Steps in control groups of version 2, with memory that Slurm grants and the kernel enforces: scripts/test --vm runs these
in a virtual machine."""

import os
import shutil
import tempfile

import confine
import patience
import pytest

import cluster as clusters
from cluster import LEAVERS, PMIX, RELEASE, alike, need, profiles_in
from collector import write_collector
from killed_steps import STEP, WAITING, exported

SHAPE = os.path.join(clusters.HERE, "shapes", "2x2.yaml")  # an emulated machine is slow, and each node has 10 s to keep its part
NODES, RANKS = 2, 4
# of a node, for its two ranks, what Slurm runs beside them and what a profile takes
MEMORY = "--mem=250"
# programs/leaver.c, as in test_partial.py
SENT = [[((rank + 1) % RANKS, 5, 500)] for rank in range(RANKS)]


@pytest.fixture(name="limited", scope="module")
def _limited(prefix, work):
    need(PMIX)
    if confine.version() != 2:
        clusters.skip_but_in_vm("no control groups of version 2 here: scripts/test --vm")
    it = clusters.Cluster(f"limits{os.getpid()}", prefix, work)
    it.up("--real-cpus", "--set", "ProctrackType=proctrack/cgroup", "--set", "TaskPlugin=task/affinity,task/cgroup",
          "--set", "JobAcctGatherType=jobacct_gather/cgroup", "--set", "SelectTypeParameters=CR_Core_Memory", shape=SHAPE)
    it.use(f"cluster={SHAPE}", clusters.PATIENCE)
    try:
        yield it
    finally:
        it.down()


def run(cluster, script, place=None, mode="profile"):
    """In an allocation with that memory, with or without commmap."""
    option = "" if place is None else f"--commmap={mode}"
    variables = {} if place is None else {"COMMMAP_PROFILE_DIR": place}
    return cluster.login("salloc", "-Q", f"-N{NODES}", f"-n{RANKS}", MEMORY, "bash", "-c", script.replace("OPTION", option).replace("-n16", f"-n{RANKS}") + "; echo code $?", **variables)


def groups_of_jobs(cluster):
    """Of all nodes."""
    found = []
    for node in clusters.NODES[:NODES]:
        for scope, directories, _ in os.walk(f"{confine.ROOT}/{group_of(cluster, node)}/system.slice"):
            found += [os.path.join(scope, name) for name in directories if name.startswith("job_")]
    return found


def group_of(cluster, node):
    with open(f"/run/commmap-testbed/{cluster.name}/nodes/{node}/slurmd.pid", encoding="utf-8") as file, \
            open(f"/proc/{file.read().strip()}/cgroup", encoding="utf-8") as group:
        return group.read().split("/")[1]


def test_recorded_and_placed_steps_end_and_leave_no_group(limited, programs, work):
    plain = run(limited, f"srun -n16 OPTION {programs['leaver']} finalize")
    place = f"{work}/limited whole"
    done = run(limited, f"srun -n16 OPTION {programs['leaver']} finalize", place)
    assert (done.code, done.out) == (plain.code, plain.out) and "code 0" in done.out and done.said == [], (plain, done)
    (name,) = profiles_in(place)
    assert name.endswith(".commmap")
    placed = run(limited, f"srun -n16 OPTION {programs['leaver']} finalize", place, "auto,verbose")
    assert (placed.code, placed.out) == (plain.code, plain.out), (plain, placed)
    assert any(line.startswith(f"commmap: plan for {RANKS} ranks on {NODES} nodes") for line in placed.said), placed
    patience.until(lambda: not groups_of_jobs(limited), 60, "that the job's control groups are gone")


def test_the_kernel_ends_a_rank_that_wants_more_than_its_step_has(limited, programs, work):
    def both(number):
        place = f"{work}/limited memory {number}"
        line = f"srun -n16 OPTION {programs['leaver']} much_memory 3"
        return run(limited, line), run(limited, line, place), place

    plain, done, place = alike(both, LEAVERS not in RELEASE.lacks)
    assert "there was enough memory" not in plain.out + done.out, (plain, done)
    assert all(": task 3: Out Of Memory" in each.err for each in (plain, done)), (plain, done)
    path, profile, sent = exported(limited, place, RANKS)
    assert done.said == [f"commmap: partial profile, until it was ended: '{path}'"], done
    assert sent == SENT and profile["missing_ranks"] == []
    patience.until(lambda: not groups_of_jobs(limited), 60, "that the job's control groups are gone")


def test_scancel(limited, programs, work):
    """proctrack/cgroup ends what is in the step's control group, and nothing else."""
    groups = " ".join(f"{confine.ROOT}/{group_of(limited, node)}/system.slice/*/job_*" for node in clusters.NODES[:NODES])
    script = f"{WAITING}; ls -d {groups} | wc -l; scancel {STEP}; wait $!".replace("LEAVER", programs["leaver"]).replace("OUT", f"{work}/leaver.out")

    def both(number):
        place = f"{work}/limited scancel {number}"
        return run(limited, script), run(limited, script, place), place

    _, done, place = alike(both)
    assert done.lines[0] == str(NODES), "groups_of_jobs() would look in another place"
    path, profile, sent = exported(limited, place, RANKS)
    assert done.said == [f"commmap: partial profile, until it was ended: '{path}'"], done
    assert sent == SENT and profile["missing_ranks"] == []


def test_what_keeps_a_part_is_in_the_control_group_of_its_step(limited, programs, work, prefix):
    above = tempfile.mkdtemp(dir=work)
    os.chmod(above, 0o755)
    shutil.copytree(prefix, f"{above}/prefix")
    told = tempfile.mkdtemp(dir=work)
    write_collector(f"{above}/prefix", f"cat /proc/self/cgroup >{told}/$$; exec OWN \"$@\"")
    limited.use(f"cluster={SHAPE}", clusters.PATIENCE, plugin=f"{above}/prefix/lib/commmap/commmap.so")
    try:
        done = run(limited, f"srun -n16 OPTION {programs['leaver']} finalize", f"{work}/limited group")
    finally:
        limited.use(f"cluster={SHAPE}", clusters.PATIENCE)
    assert "code 0" in done.out and done.said == [], done
    assert os.listdir(told), done
    for name in os.listdir(told):
        with open(f"{told}/{name}", encoding="utf-8") as file:
            assert "/job_" in (text := file.read()) and "/step_0/" in text, text
