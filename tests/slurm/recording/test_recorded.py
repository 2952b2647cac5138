# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The whole way: a program is recorded, its profile changes how it is launched; and every bad profile costs one line."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import patience
import pytest

import call_table
from cluster import HERE, LEAVERS, LONG_RING, PATIENCE, PMIX, RELEASE, SHAPE, alike, build, need, profiles_in, sums
from killed_steps import FEW, job_of_few
from ring_ranks import BLOCK, nodes

TAIL = "; launching as without commmap"


@pytest.fixture(autouse=True)
def _planner(cluster):
    cluster.use_planner()


def profile_in(place):
    files = [name for name in os.listdir(place) if name.endswith(".commmap")]
    assert len(files) == 1, files
    return os.path.join(place, files[0])


def partial_in(place):
    """Nothing else is there."""
    files = profiles_in(place)
    assert len(files) == 1 and files[0].endswith(".commmap.partial"), files
    return os.path.join(place, files[0])


def test_profile_is_there(recorded):
    path = profile_in(recorded)
    assert re.fullmatch(r"(build-id|xxh128)-[0-9a-f]+-np16\.\d{8}T\d{6}Z-\d+\.\d+-[0-9a-f]{8}\.commmap", os.path.basename(path))
    assert os.stat(path).st_mode & 0o077 == 0


def test_auto_brings_partners_together(cluster, programs, recorded):
    done = cluster.job(f"srun --commmap=auto {programs['ring']}", COMMMAP_PROFILE_DIR=recorded)
    found = nodes(done)
    assert all(found[rank] == found[rank + 8] for rank in range(8)), done
    assert found[0] == "m0"  # rank 0 stays on the first node
    assert done.said == []


def test_verbose_prints_the_plan(cluster, programs, recorded):
    done = cluster.job(f"srun --commmap=auto,verbose {programs['ring']}", COMMMAP_PROFILE_DIR=recorded)
    assert any("16 ranks on 8 nodes" in line for line in done.said), done
    assert any("chosen" in line for line in done.said), done


def test_threshold_keeps_slurms_placement(cluster, programs, recorded):
    done = cluster.job(f"srun --commmap=auto {programs['ring']}", COMMMAP_PROFILE_DIR=recorded, COMMMAP_THRESHOLD="100")
    assert nodes(done) == BLOCK


def test_no_profile_and_other_rank_count(cluster, programs, recorded, work):
    done = cluster.job(f"srun --commmap=auto {programs['ring']}", COMMMAP_PROFILE_DIR=f"{work}/nothing")
    assert nodes(done) == BLOCK
    assert len(done.said) == 1 and done.said[0].endswith(TAIL), done
    done = cluster.job(f"srun -n8 --commmap=auto {programs['ring']}", COMMMAP_PROFILE_DIR=recorded)
    assert len(nodes(done)) == 8
    assert len(done.said) == 1 and "16" in done.said[0] and done.said[0].endswith(TAIL), done


def truncate(path):
    os.truncate(path, 40)


def flip(path):
    with open(path, "r+b") as file:
        file.seek(200)
        byte = file.read(1)
        file.seek(200)
        file.write(bytes([byte[0] ^ 255]))


def empty(path):
    os.truncate(path, 0)


def directory(path):
    os.remove(path)
    os.mkdir(path)


def fifo(path):
    os.remove(path)
    os.mkfifo(path)


def newer(path):
    """The version follows the magic of eight bytes."""
    with open(path, "r+b") as file:
        content = bytearray(file.read())
        content[8] = 200
        file.seek(0)
        file.write(content)


@pytest.mark.parametrize("damage", [truncate, flip, empty, directory, fifo, newer], ids=lambda function: function.__name__)
def test_bad_profile(cluster, programs, recorded, work, damage):
    place = f"{work}/bad"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(recorded, place)
    damage(profile_in(place))
    done = cluster.job(f"srun --commmap=auto {programs['ring']}", COMMMAP_PROFILE_DIR=place)
    assert nodes(done) == BLOCK
    assert len(done.said) == 1 and place in done.said[0] and done.said[0].endswith(TAIL), done


def test_unreadable_profile(cluster, programs, recorded):
    path = profile_in(recorded)
    done = cluster.login("salloc", "-Q", "-N8", "-n16", "-D", "/", "srun", "--commmap=auto", programs["ring"], user="nobody",
                         COMMMAP_PROFILE_DIR=os.path.dirname(path))
    assert nodes(done) == BLOCK
    assert len(done.said) == 1 and "Permission denied" in done.said[0], done


def test_bad_cluster_yaml(cluster, programs, recorded, work):
    path = f"{work}/bad.yaml"
    with open(path, "w", encoding="utf-8") as file:
        file.write("version: 1\nswitchs: {}\n")
    for given in (path, "/nonexistent.yaml"):
        done = cluster.job(f"srun --commmap=auto {programs['ring']}", COMMMAP_PROFILE_DIR=recorded, COMMMAP_CLUSTER=given)
        assert nodes(done) == BLOCK
        assert len(done.said) == 1 and given in done.said[0] and done.said[0].endswith(TAIL), done


def remove(path):
    if os.path.isdir(path):
        os.rmdir(path)
    else:
        pathlib.Path(path).unlink(missing_ok=True)


def changing(path):
    """Rewritten all the time, half of the time not whole."""
    return subprocess.Popen(["bash", "-c", 'while :; do head -c 300 "$0.whole" > "$0"; cat "$0.whole" > "$0"; done', path])


def sparse(path):
    os.remove(path)
    with open(path, "w", encoding="utf-8") as file:
        file.truncate(1 << 40)


def endless(path):
    os.remove(path)
    os.symlink("/dev/zero", path)


@pytest.mark.parametrize("given_by", ["user", "admin"])
@pytest.mark.parametrize("damage", [fifo, directory, sparse, endless, empty], ids=lambda function: function.__name__)
def test_cluster_yaml_that_is_no_text(cluster, programs, recorded, work, damage, given_by):
    path = f"{work}/odd.yaml"
    remove(path)
    shutil.copy(SHAPE, path)
    damage(path)
    how = {"COMMMAP_CLUSTER": path} if given_by == "user" else {}
    if given_by == "admin":
        cluster.use(f"cluster={path}", PATIENCE)
    done = cluster.job(f"srun --commmap=auto {programs['ring']}", COMMMAP_PROFILE_DIR=recorded, **how)
    assert nodes(done) == BLOCK
    assert len(done.said) == 1 and path in done.said[0] and done.said[0].endswith(TAIL), done


@pytest.mark.parametrize("damage", [fifo, directory, sparse, endless], ids=lambda function: function.__name__)
def test_file_named_in_the_cluster_yaml(cluster, programs, recorded, work, damage):
    path = f"{work}/class.xml"
    remove(path)
    pathlib.Path(path).touch()
    damage(path)
    with open(SHAPE, encoding="utf-8") as file:
        text = file.read()
    named = re.sub(r"hwloc: \{synthetic: [^}]*\}", "hwloc: {xml: class.xml}", text)
    assert named != text
    with open(f"{work}/naming.yaml", "w", encoding="utf-8") as file:
        file.write(named)
    done = cluster.job(f"srun --commmap=auto {programs['ring']}", COMMMAP_PROFILE_DIR=recorded, COMMMAP_CLUSTER=f"{work}/naming.yaml")
    assert nodes(done) == BLOCK
    assert len(done.said) == 1 and path in done.said[0] and done.said[0].endswith(TAIL), done


def test_unreadable_cluster_yaml(cluster, programs, recorded, work):
    path, profiles = f"{work}/unreadable.yaml", f"{work}/of-nobody"
    shutil.copy(SHAPE, path)
    os.chmod(path, 0)
    shutil.rmtree(profiles, ignore_errors=True)
    shutil.copytree(recorded, profiles)
    for name in (profiles, profile_in(profiles)):
        shutil.chown(name, "nobody")
    done = cluster.login("salloc", "-Q", "-N8", "-n16", "-D", "/", "srun", "--commmap=auto", programs["ring"], user="nobody",
                         COMMMAP_PROFILE_DIR=profiles, COMMMAP_CLUSTER=path)
    assert nodes(done) == BLOCK
    assert len(done.said) == 1 and path in done.said[0] and "Permission denied" in done.said[0], done


@pytest.mark.parametrize("what", ["profile", "yaml"])
def test_file_that_changes_while_it_is_read(cluster, programs, recorded, work, what):
    """Whole or not: every rank runs, and a part costs one line."""
    place = f"{work}/changing-{what}"  # a planner may still write to the other one
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(recorded, place)
    shutil.copy(SHAPE, f"{place}/cluster.yaml")
    path = profile_in(place) if what == "profile" else f"{place}/cluster.yaml"
    shutil.copy(path, f"{path}.whole")
    writer = changing(path)
    try:
        for _ in range(10):
            done = cluster.job(f"srun --commmap=auto {programs['ring']}", COMMMAP_PROFILE_DIR=place, COMMMAP_CLUSTER=f"{place}/cluster.yaml")
            assert len(nodes(done)) == 16, done
            assert len(done.said) <= 1 and all(path in line and line.endswith(TAIL) for line in done.said), done
    finally:
        writer.kill()
        patience.wait(writer, 60)


@pytest.fixture(name="full")
def _full(cluster, work):
    """A directory on a disk of its own, without a free byte, on the login host and on m0; and what leads to that of m0."""
    if RELEASE.suite:
        pytest.skip("a root's /var/tmp is another mount than the node's")
    place = f"{work}/full"
    os.makedirs(place, exist_ok=True)
    patience.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=1777", "none", place], check=True)
    node = ["nsenter", "-m", "-t", pathlib.Path(f"/run/commmap-testbed/{cluster.name}/nodes/m0/slurmd.pid").read_text(encoding="utf-8").strip()]
    same = patience.run([*node, "mountpoint", "-q", place]).returncode == 0
    if not same:
        patience.run([*node, "mount", "-t", "tmpfs", "-o", "size=64k,mode=1777", "none", place], check=True)
    try:
        yield place, [] if same else node
    finally:
        if not same:
            patience.run([*node, "umount", "--lazy", place], check=True)
        patience.run(["umount", "--lazy", place], check=True)


def fill(place, inside):
    """Without a free byte, and that is so."""
    patience.run([*inside, "sh", "-c", f"cat /dev/zero > {place}/filler"], stderr=subprocess.DEVNULL)
    tried = patience.run([*inside, "sh", "-c", f"head -c 8192 /dev/zero > {place}/one-more"], capture_output=True, text=True)
    assert "No space left" in tried.stderr, tried
    patience.run([*inside, "rm", f"{place}/one-more"], check=True)


def test_full_disk_for_plans(cluster, programs, recorded, full):
    """The plan is made and used; it is not kept, and no part of it stays."""
    place, _ = full
    shutil.copy(profile_in(recorded), place)
    fill(place, [])
    before = sorted(os.listdir(place))
    for _ in range(2):
        done = cluster.login("srun", "-Q", "-N8", "-n16", "--commmap=auto", programs["ring"], COMMMAP_PROFILE_DIR=place)
        found = nodes(done)
        assert all(found[rank] == found[rank + 8] for rank in range(8)), done
        assert len(done.said) <= 1, done
    left = [os.path.join(folder, name) for folder, _, names in os.walk(place) for name in names]
    assert sorted(os.path.relpath(name, place) for name in left) == before


@pytest.mark.parametrize("job", [[], ["salloc", "-Q", "-N8", "-n16"]])
def test_full_disk_for_tmp_and_report(cluster, programs, recorded, work, job):
    """The launch is placed all the same; one line is about the report, and no part of it stays."""
    place = f"{work}/no-room"
    os.makedirs(place, exist_ok=True)
    cluster.use(f"cluster={shutil.copy(SHAPE, work)}", PATIENCE)  # the checkout may be in the /tmp that is hidden
    full = [f"mount -t tmpfs -o size=16k none {each}; cat /dev/zero > {each}/filler" for each in ("/tmp", place)]
    run = f"srun -Q -N8 -n16 --commmap=auto,report={place}/plan.json {programs['ring']}; code=$?; echo left $(ls -A /tmp {place}) >&2; exit $code"
    done = cluster.login(*job, "unshare", "--mount", "--propagation", "unchanged", "bash", "-c", "; ".join([*full, run]), COMMMAP_PROFILE_DIR=recorded)
    found = nodes(done)
    assert all(found[rank] == found[rank + 8] for rank in range(8)), done
    assert len(done.said) == 1 and "No space left on device" in done.said[0] and f"'{place}/plan.json'" in done.said[0], done
    assert f"left /tmp: filler {place}: filler\n" in done.err, done


def test_full_disk_for_profiles(cluster, programs, full):
    """The program runs as it does unrecorded; one line of slurmstepd's says that there is no profile, and no part of it stays."""
    need(PMIX)
    place, inside = full
    fill(place, inside)
    done = cluster.job(f"srun -n16 --commmap=profile {programs['ring']}", COMMMAP_PROFILE_DIR=place)
    assert nodes(done) == BLOCK
    assert done.said == [] and len(done.told) == 1 and "No space left on device" in done.told[0] and "set COMMMAP_PROFILE_DIR" in done.told[0], done
    assert patience.run([*inside, "ls", "-A", place], check=True, capture_output=True, text=True).stdout == "filler\n"


@pytest.mark.parametrize("tasks, sizes", [("-N1 -n2", 9), ("-N2 -n4 -w m[0-1]", 9), ("-n16", 2), ("-n16", 11), ("-n16", "11 5")])
def test_records_as_long_as_pmix_takes_them(cluster, programs, work, tasks, sizes):
    """The longest that travel with the fence, and longer ones, of all ranks and of some.

    Two nodes are the job's first two: on others mpi/pmix hangs now and then (docs/admin/slurm-versions.md, faults).
    """
    need(PMIX)
    place = f"{work}/long-records{tasks}-{sizes}".replace(" ", "")
    done = cluster.job(f"srun {tasks} --commmap=profile {programs['traffic']} everybody {sizes}", COMMMAP_PROFILE_DIR=place)
    assert done.code == 0 and done.said == [] and profile_in(place), done


def run_traffic(cluster, command, place, mpi, **variables):
    """On four ranks of two nodes, with MPICH of one: with UCX over TCP its MPI_Finalize may never end (4.0.2), for ranks that
    are done with UCX no longer answer those that are not."""
    layout = "-N2 -n4 -w m[0-1]"
    if mpi == MPIS["mpich"]:
        layout, variables = "-N1 -n4 -O -w m0", {"UCX_TLS": "sm,self", **variables}
    done = cluster.job(f"srun {mpi} {layout} --commmap=profile {command}", COMMMAP_PROFILE_DIR=place, **variables)
    assert done.code == 0 and done.said == [] and done.told == [], done


def exported(cluster, place):
    return json.loads(cluster.job(f"{cluster.prefix}/bin/commmap profile export --json {profile_in(place)}").out)


def traffic_of(cluster, program, scenario, place, mpi=""):
    """By rank what it sent, and the collectives, of programs/traffic.c or one like it."""
    run_traffic(cluster, f"{program} {scenario}", place, mpi)
    profile = exported(cluster, place)
    return [rank["sent"] for rank in profile["ranks"]], profile["collectives"]


def rounds_of(profile):
    """Without times."""
    rounds = profile["rounds"]
    for rank in rounds["ranks"]:
        for signature in rank["signatures"]:
            del signature["seconds"], signature["before_wait_s"]
    return rounds


SCENARIOS = ["sends", "communicators", "collectives", "by_destination", "nonblocking", "one_sided", "topologies", "persistent", "started"]
# MPICH 5.0.2 gives a grid of two of the four ranks a communicator of all four: two of its members know of no grid
NUM_TOPOLOGIES = 4 if RELEASE.name == "26.05" else 5
OF_MPI_4 = 2  # of them, at the end; Open MPI 4 has them as extensions of C
# wrapper of the compiler -> how srun starts what it makes
MPIS = {"openmpi": "", "mpich": "--mpi=pmi2"}
FORMS = {"c": [], "f77": ["-fallow-argument-mismatch", "-w"], "mpi": ["-DUSE_MPI", "-w"], "f08": ["-DUSE_MPI_F08"]}
TRAFFIC = os.path.join(HERE, "../pmix_hooks/programs/traffic")


@pytest.fixture(scope="module", name="recorded_in_c")
def _recorded_in_c(cluster, programs, work):
    """By the MPI that this cluster's programs have. tests/pmix_hooks/recorder_*_test.cpp have the sums, of Open MPI."""
    mpi = MPIS["mpich" if RELEASE.mpicc == "mpicc.mpich" else "openmpi"]
    return [traffic_of(cluster, programs["traffic"], scenario, f"{work}/c-{scenario}", mpi) for scenario in SCENARIOS]


def has_mpi_4(mpi):
    return mpi == "mpich" or RELEASE.name != "22.05"


def has_partitions(mpi, form):
    """MPI_Psend_init in Open MPI 5.0.7's mpi_f08 lacks its argument info, which what it calls expects: no program can use it."""
    return has_mpi_4(mpi) and (mpi, form) != ("openmpi", "f08")


def traffic(work, mpi, form):
    """The program and a directory for what it records."""
    place = f"{work}/{mpi}-{form}"
    os.makedirs(place, exist_ok=True)
    if form == "c":
        build(f"mpicc.{mpi}", "-o", f"{place}/traffic", TRAFFIC + ".c")
    else:
        calls = ["-DMPI4"] * has_mpi_4(mpi) + ["-DPARTITIONED"] * has_partitions(mpi, form)
        build(f"mpifort.{mpi}", *FORMS[form], *calls, "-J", place, "-o", f"{place}/traffic", TRAFFIC + ".F90")
    return f"{place}/traffic", place


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mpi", MPIS)
def test_every_mpi_and_language_is_recorded_alike(cluster, recorded_in_c, work, mpi, form):
    if mpi == "openmpi":
        need(PMIX)
    program, place = traffic(work, mpi, form)
    expected = recorded_in_c if form == "c" or has_mpi_4(mpi) else recorded_in_c[:-OF_MPI_4]
    scenarios = SCENARIOS[:len(expected)]
    assert [traffic_of(cluster, program, scenario, f"{place}/{scenario}", MPIS[mpi]) for scenario in scenarios] == expected
    profiles = {scenario: exported(cluster, f"{place}/{scenario}") for scenario in scenarios}
    for scenario in scenarios:
        in_c = exported(cluster, f"{work}/c-{scenario}")
        assert rounds_of(profiles[scenario]) == rounds_of(in_c), scenario
        assert profiles[scenario]["topologies"] == in_c["topologies"], scenario
        assert scenario != "topologies" or len(in_c["topologies"]) == NUM_TOPOLOGIES
    found = call_table.found(profiles)
    which = mpi if mpi == "mpich" else "openmpi5" if has_mpi_4(mpi) else "openmpi4"
    call_table.note(which, form, found)
    assert found == call_table.written(which, form)


@pytest.mark.parametrize("mpi, form", [("openmpi", "c"), ("openmpi", "f08"), ("mpich", "c"), ("mpich", "f08")])
def test_mpi_behind_a_script(cluster, recorded_in_c, work, mpi, form):
    """Which MPI it is nobody can see: both libraries are preloaded, and one passes on what is not its own."""
    if mpi == "openmpi":
        need(PMIX)
    program, place = traffic(work, mpi, form)
    assert traffic_of(cluster, f"sh -c 'exec {program} $1' sh", SCENARIOS[0], f"{place}/script", MPIS[mpi]) == recorded_in_c[0]


def test_another_mpi_is_named_by_hand(cluster, work):
    program, place = traffic(work, "mpich", "c")
    run_traffic(cluster, f"{program} sends", f"{place}/other", "--mpi=pmi2", COMMMAP_MPI="openmpi")
    assert not os.path.exists(f"{place}/other")


def test_sessions_alone_are_refused_in_one_line(cluster, work):
    build("mpicc.mpich", "-o", f"{work}/sessions", os.path.join(HERE, "programs/sessions.c"))
    done = cluster.job(f"srun --mpi=pmi2 -N1 -n4 -O -w m0 --commmap=profile {work}/sessions", COMMMAP_PROFILE_DIR=f"{work}/no-sessions",
                       UCX_TLS="sm,self")
    assert done.code == 0 and done.out == "4 ranks, sum 6\n", done
    assert len(done.said) == 1 and "by sessions alone" in done.said[0], done
    assert not os.path.exists(f"{work}/no-sessions")


def test_counts_of_64_bits(cluster, work):
    program, place = traffic(work, "mpich", "c")
    sent, collectives = traffic_of(cluster, program, "large_counts", f"{place}/large", "--mpi=pmi2")
    by_peer = [{to["peer"]: (sum(to["messages"]), sum(to["bytes"])) for to in rank} for rank in sent]
    # pieces of 1000 (d + 1) and 100 (d + 1) bytes to each other d; 10 and 12 bytes more to the right
    assert by_peer == [{d: (2 + 2 * (d == (r + 1) % 4), 1100 * (d + 1) + 22 * (d == (r + 1) % 4)) for d in range(4) if d != r} for r in range(4)]
    assert [(each["operation"], each["calls"], each["bytes_per_call"]) for each in collectives if not each["in_peer_traffic"]] == [
        ("bcast", 1, 7), ("reduce_scatter", 1, 10000)], collectives


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mpi", MPIS)
def test_partitioned_messages(cluster, work, mpi, form):
    if mpi == "openmpi":
        need(PMIX)
    if not has_partitions(mpi, form):
        pytest.skip("this Open MPI has no partitioned communication that works")
    program, place = traffic(work, mpi, form)
    sent, _ = traffic_of(cluster, program, "partitioned", f"{place}/partitioned", MPIS[mpi])
    assert sums(sent) == [[((r + 1) % 4, 2, 320)] for r in range(4)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mpi", MPIS)
def test_nonblocking_sendrecv_and_persistent_receives(cluster, work, mpi, form):
    if mpi == "openmpi":
        need(PMIX)
    if not has_mpi_4(mpi):
        pytest.skip("Open MPI 4 has no MPI_Isendrecv")
    program, place = traffic(work, mpi, form)
    sent, _ = traffic_of(cluster, program, "both_ways", f"{place}/both-ways", MPIS[mpi])
    assert sums(sent) == [[((r + 1) % 4, 4, 120)] for r in range(4)]
    calls = {name for rank in exported(cluster, f"{place}/both-ways")["ranks"] for name in rank["calls"]}
    assert {"MPI_Isendrecv", "MPI_Isendrecv_replace", "MPI_Recv_init"} <= calls


def test_script_has_its_own_profile(cluster, programs, work):
    need(PMIX)
    place = f"{work}/script-profile"
    done = cluster.job(f"srun -n16 --commmap=profile {programs['script']} {LONG_RING}; srun -n16 --commmap=auto {programs['script']} 20000 10",
                       COMMMAP_PROFILE_DIR=place)
    assert done.code == 0, done
    assert done.said == []
    assert os.path.basename(profile_in(place)).startswith("xxh128-")
    done.out = "\n".join(done.lines[16:])
    found = nodes(done)
    assert all(found[rank] == found[rank + 8] for rank in range(8))


def test_programs_without_mpi_leave_no_profile(cluster, programs, work):
    place = f"{work}/plain-profile"
    done = cluster.job(f"srun -n16 --commmap=profile {programs['plain']}; srun -n16 --commmap=profile hostname", COMMMAP_PROFILE_DIR=place)
    assert done.code == 0 and len(done.lines) == 32, done
    assert done.said == []
    assert not os.path.exists(place) or os.listdir(place) == []
    told = cluster.job("srun -n16 --commmap=profile,verbose hostname", COMMMAP_PROFILE_DIR=place)
    assert told.code == 0 and len(told.said) == 1 and told.said[0].startswith(f"commmap: no profile of this run in '{place}': unless"), told
    if PMIX not in RELEASE.lacks:
        assert "no profile" not in cluster.job(f"srun -n16 --commmap=profile,verbose {programs['ring']}", COMMMAP_PROFILE_DIR=place).err


def test_a_rank_without_the_recorder_costs_the_profile_and_no_more(cluster, programs, work):
    need(PMIX)
    place = f"{work}/one-lacks"
    done = cluster.job(f"srun -n16 --commmap=profile bash -c '[ $SLURM_PROCID != 11 ] || unset LD_PRELOAD; exec {programs['ring']}'",
                       COMMMAP_PROFILE_DIR=place)
    assert nodes(done) == BLOCK
    assert done.said == [f"commmap: partial profile, without 11 of 16 ranks: '{partial_in(place)}'"], done


@pytest.mark.parametrize("way, leaver", [("exit0", 3), ("exit3", 3), ("abort", 3), ("kill", 3), ("exit0", 0), ("exit3", 0)])
def test_a_rank_that_leaves_is_not_waited_for(cluster, programs, work, way, leaver):
    """Slurm ends a step whose other ranks go on for a second: exit code and output would not be as without commmap."""
    need(PMIX)

    def both(number):
        place = f"{work}/leaves {way} {leaver} {number}"
        plain, done = (job_of_few(cluster, f"srun {FEW} {option} {programs['leaver']} {way} {leaver}; echo $?", COMMMAP_PROFILE_DIR=place)
                       for option in ("", "--commmap=profile"))
        return plain, done, place

    _, done, place = alike(both, LEAVERS not in RELEASE.lacks)
    assert done.said == [f"commmap: partial profile, until it was ended: '{partial_in(place)}'"], done
    need(LEAVERS)
    code = {"exit0": 0, "exit3": 3, "abort": 134, "kill": 137}[way]
    assert done.out == f"rank {int(leaver == 0)} is done\n{code}\n", done


def test_ranks_agree_where_pmix_shares_no_memory(cluster, programs, work):
    need(PMIX)
    place = f"{work}/no-shared-memory"
    done = cluster.job(f"srun -n16 --commmap=profile {programs['ring']}", COMMMAP_PROFILE_DIR=place, PMIX_MCA_gds="hash")
    assert done.code == 0 and done.said == [], done
    assert "-np16." in profile_in(place)
    done = cluster.job(f"srun -n16 --commmap=profile {programs['ring']}", COMMMAP_PROFILE_DIR=f"{work}/not-collected",
                       OMPI_MCA_pmix_base_collect_data="0")
    assert nodes(done) == BLOCK and done.said == [], done
    assert "-np16." in profile_in(f"{work}/not-collected")  # collected from the nodes


def test_verbose_says_where_the_profile_is(cluster, programs, work):
    need(PMIX)
    done = cluster.job(f"cd {work} && srun -n16 --commmap=profile,verbose {programs['ring']}", COMMMAP_PROFILE_DIR="relative")
    assert done.code == 0, done
    assert len(done.said) == 1 and f"in '{work}/relative/" in done.said[0], done


def test_a_rank_starts_an_mpi_program_of_its_own(cluster, programs, work):
    """The profile is the step's, not that of the one process that the script starts first or last."""
    need(PMIX)
    place = f"{work}/tools"
    done = cluster.job(f"srun -n16 --commmap=profile bash -c 'PMIX_NAMESPACE= PMIX_RANK= {programs['ring']} >/dev/null; {programs['ring']}'",
                       COMMMAP_PROFILE_DIR=place)
    assert done.code == 0, done
    assert "-np16." in profile_in(place)


def test_a_preload_of_the_users_stays(cluster, work):
    done = cluster.job("srun -n1 bash -c 'echo $LD_PRELOAD'; srun -n1 --commmap=profile bash -c 'echo $LD_PRELOAD; srun -n1 --overlap env | grep -e ^COMMMAP_RECORD -e ^LD_PRELOAD'",
                       COMMMAP_PROFILE_DIR=f"{work}/preload")
    plain, recorded, *nested = done.lines
    ours = "".join(f"{cluster.prefix}/lib/commmap/libcommmap_hooks_{mpi}.so:" for mpi in ("ompi", "mpich"))
    assert recorded == (ours + plain).strip(":")
    assert nested == [f"LD_PRELOAD={plain}"], done  # a step inside is not recorded


@pytest.mark.parametrize("own", [{}, {"ASAN_OPTIONS": "detect_leaks=0", "COMMMAP_VERBOSE": "1"}])
def test_a_step_inside_has_nothing_of_the_recording(cluster, work, own):
    """However deep it is; what the user has set stays."""
    seen = "'[ $SLURM_PROCID = 0 ] || exit 0; env | grep -e ^COMMMAP -e ^ASAN -e ^LD_PRELOAD | sort'"
    inside = f"srun -n1 -N1 --overlap -Q --commmap=OPTION bash -c \"srun -n1 -N1 --overlap -Q --commmap=off bash -c {seen}\""
    script = f"srun -n2 -N1 -Q --commmap=OPTION bash -c '[ $SLURM_PROCID = 0 ] || exit 0; exec sh $0' {work}/inside"
    environments = []
    for option in ("off", "profile"):
        with open(f"{work}/inside", "w", encoding="utf-8") as file:
            file.write(inside.replace("OPTION", option))
        environments.append(cluster.job(script.replace("OPTION", option), XDG_CACHE_HOME=f"{work}/nothing-of-it", **own))
        assert environments[-1].code == 0, environments
    assert environments[0].lines == environments[1].lines, environments


@pytest.mark.parametrize("before", ["", "sh -c 'exec $0 $1' "])
def test_a_sanitized_program_is_recorded(cluster, work, before):
    """gcc's AddressSanitizer ends a program before whose runtime something else is loaded."""
    need(PMIX)
    place = f"{work}/sanitized-{len(before)}"
    build(RELEASE.mpicc, "-fsanitize=address", "-o", f"{work}/sanitized", TRAFFIC + ".c")
    done = cluster.job(f"srun -N2 -n4 -w m[0-1] --commmap=profile {before}{work}/sanitized sends", COMMMAP_PROFILE_DIR=place,
                       ASAN_OPTIONS="detect_leaks=0")
    assert done.code == 0 and done.said == [] and profile_in(place), done


def test_command_line_finds_the_profile(cluster, recorded):
    done = cluster.login(f"{cluster.prefix}/bin/commmap", "profile", "list", "--profile-dir", recorded)
    assert done.code == 0 and "16" in done.out, done
