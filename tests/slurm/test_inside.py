# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""auto,inside=collectives: the tasks run collectives by other algorithms, with the results of MPI's own."""

import json
import os
import re

import pytest
import yaml

from cluster import LONG_RING, PMIX, SHAPE, need

RULES = "bcast 16 1000 chain 8192;allgather 16 1000 ring;allreduce 16 1000 tuned ring"
ALL_OTHERWISE = "commmap: 9 collective calls of rank 0 were not run natively"
# Ranks r and r + 8 of the ring talk to each other, so a plan puts them on one node: cyclic, as Slurm calls it.
TIMES = """version: 1
library: {library}
origin: by hand
layouts:
  - nodes: 8
    ranks_per_node: 2
    algorithms:
      - {{operation: bcast, order: block, algorithm: chain 8192, calls: [[1000, 9000, 3000, 2.5], [50000, 50000, 10000, 4]]}}
      - {{operation: bcast, order: cyclic, algorithm: chain 8192, calls: [[1000, 9000, 2000, 3.5], [50000, 50000, 60000, 0.8]]}}
"""


@pytest.fixture(autouse=True)
def _mpi():
    need(PMIX)


@pytest.fixture
def library(cluster, programs):
    """What the MPI library says of itself, as a table of times names it."""
    done = cluster.job(f"srun -n1 {programs['library']}")
    assert done.code == 0, done
    return done.out.strip()


def all_right(done):
    assert done.code == 0, done
    assert sorted(re.sub(" on m[0-7]", "", line) for line in done.lines) == sorted(f"rank {rank}: right" for rank in range(16)), done
    return done


@pytest.fixture(params=["allocation", "standalone"])
def launch(request, cluster):
    """Starts a program with an option of --commmap, in an allocation or as a srun of its own."""
    def start(option, program, **variables):
        if request.param == "allocation":
            return cluster.job(f"srun -n16 --commmap={option} {program}", **variables)
        return cluster.login("srun", "-Q", "-N8", "-n16", f"--commmap={option}", *program.split(),
                             COMMMAP_PROFILE_DIR=cluster.some_profiles(), **variables)
    return start


@pytest.mark.parametrize("plan", ["reverse", "swap", "keep"])
def test_collectives_run_otherwise(cluster, programs, launch, plan):
    """In another order of ranks, and in Slurm's own."""
    cluster.use_fake()
    done = all_right(launch("auto,inside=collectives,verbose", programs["collectives"], FAKE_PLAN=plan, FAKE_INSIDE=RULES))
    assert done.said[-1] == ALL_OTHERWISE, done
    assert ("rank 0 on m0: right" in done.lines) == (plan == "keep")


def test_nothing_is_said_without_verbose(cluster, programs, launch):
    cluster.use_fake()
    done = all_right(launch("auto,inside=collectives", programs["collectives"], FAKE_INSIDE=RULES))
    assert done.said == []


@pytest.mark.parametrize("option", ["auto,verbose", "auto,inside=none,verbose"])
def test_off_in_one_word(cluster, programs, option):
    """An admin has switched it on for those who do not say inside=none."""
    cluster.use_fake("mode=off", "inside=collectives")
    done = all_right(cluster.job(f"srun -n16 --commmap={option} {programs['collectives']}", FAKE_INSIDE=RULES))
    assert (ALL_OTHERWISE in done.said) == ("none" not in option), done
    cluster.use_fake()
    done = all_right(cluster.job(f"srun -n16 --commmap={option} {programs['collectives']}", FAKE_INSIDE=RULES))
    assert ALL_OTHERWISE not in done.said


def test_rules_of_another_library_are_not_used(cluster, programs):
    cluster.use_fake()
    done = all_right(cluster.job(f"srun -n16 --commmap=auto,inside=collectives,verbose {programs['collectives']}",
                                 FAKE_INSIDE="for Another MPI v1;" + RULES))
    assert "they were measured with another MPI library than" in done.said[-1]


def test_another_mpi_stays_native(cluster, programs):
    """MPICH's ranks cannot tell each other that they have the library."""
    cluster.use_fake()
    done = cluster.job(f"srun -n16 --mpi=pmi2 --commmap=auto,inside=collectives,verbose {programs['shared']}", FAKE_INSIDE=RULES)
    assert done.code == 0 and len(done.lines) == 16, done
    assert done.told[-1] == "commmap: collectives stay native: the library for them serves Open MPI alone, and the program has MPICH's"


def test_a_program_without_mpi_runs(cluster):
    cluster.use_fake()
    done = cluster.job("srun -n16 --commmap=auto,inside=collectives,verbose echo here", FAKE_INSIDE=RULES)
    assert done.code == 0 and done.lines == ["here"] * 16


def test_a_killed_rank_ends_the_step(cluster, programs):
    """As it ends one whose collectives are MPI's own: with the signal of that rank, that of the ranks that Slurm ends, or the code with
    which ranks of Open MPI 5 end when another one is gone."""
    cluster.use_fake()
    for option in ("off", "auto,inside=collectives"):
        done = cluster.job(f"srun -n16 -K --commmap={option} {programs['collectives']} 5", FAKE_INSIDE=RULES)
        assert done.code in (14, 137, 143) and done.out == "" and done.said == [], (option, done)


def test_times_are_measured_and_used(cluster, programs, recorded, work):
    """From the calibration to the calls of a program, which run by what was faster."""
    cluster.use_planner()
    table = os.path.join(work, "measured.yaml")
    command = f"{cluster.prefix}/bin/commmap calibrate {SHAPE} --collectives --ranks-per-node=2 --operations=bcast --bytes=131072 -o {table}"
    done = cluster.login("salloc", "-Q", "-N8", "-n16", "--exclusive", "bash", "-c", command, seconds=300)
    assert done.code == 0, done
    with open(table, encoding="utf-8") as file:
        (layout,) = yaml.safe_load(file)["layouts"]
    assert (layout["nodes"], layout["ranks_per_node"], len(layout["algorithms"])) == (8, 2, 16)
    # a chain of segments uses each port once: several times as fast as any tree here
    assert max(call[3] for one in layout["algorithms"] for call in one["calls"]) > 1.5, layout
    done = cluster.job(f"srun -n16 --commmap=auto,inside=collectives,verbose {programs['ring']} {LONG_RING}",
                       COMMMAP_PROFILE_DIR=recorded, COMMMAP_INSIDE_TABLE=table)
    # Beside other work nothing may be surely faster, in one order or in both.
    order = "block" if "rank 1 of 16 on m0: right" in done.lines else "cyclic"
    is_faster = any(call[3] >= 1.1 for one in layout["algorithms"] if one["order"] == order for call in one["calls"])
    begin = "inside: bcast from 131072 B on: " if is_faster else "collectives stay native: no other algorithm was measured to be faster"
    assert done.code == 0 and any(line.startswith("commmap: " + begin) for line in done.said), (order, layout, done)


def test_measured_times_decide(cluster, programs, recorded, library, work):
    """The planner's rules are those of the order that it plans, and a kept plan knows other times."""
    cluster.use_planner()
    table = os.path.join(work, "collectives.yaml")
    variables = {"COMMMAP_PROFILE_DIR": recorded, "COMMMAP_INSIDE_TABLE": table}
    report = os.path.join(work, "report.json")
    command = f"srun -n16 --commmap=auto,inside=collectives,verbose {programs['ring']} 100000 40"

    def inside(done):
        assert done.code == 0, done
        return [line for line in done.said if line.startswith(("commmap: inside: ", "commmap: collectives stay native: "))]
    assert inside(cluster.job(command, **variables)) == [
        f"commmap: collectives stay native: cannot read '{table}': No such file or directory; docs/user/inside.md says what it needs"]
    with open(table, "w", encoding="utf-8") as file:
        file.write(TIMES.format(library=library))
    for _ in range(2):  # the second answer is a kept one
        done = cluster.job(command, **variables)
        assert inside(done) == [
            "commmap: inside: bcast from 1000 B on: chain 8192, measured 4.50 x as fast as native (at least 3.50 x)",
            "commmap: inside: bcast from 1001 B on: native"]
        assert "commmap: 0 collective calls of rank 0 were not run natively" in done.said, done
    assert cluster.job(command.replace("verbose", f"report={report}"), **variables).code == 0
    with open(report, encoding="utf-8") as file:
        rules = json.load(file)["inside"]
    assert rules == [{"operation": "bcast", "from_bytes": 1000, "algorithm": "chain 8192", "gain": 4.5, "least_gain": 3.5},
                     {"operation": "bcast", "from_bytes": 1001, "algorithm": "native", "gain": 1.0, "least_gain": 1.0}]
    with open(table, "w", encoding="utf-8") as file:
        file.write(TIMES.format(library=library).replace("order: cyclic", "order: random"))
    (line,) = inside(cluster.job(command, **variables))
    assert f"{table}:9:" in line and "'order' is neither 'block' nor 'cyclic'" in line
