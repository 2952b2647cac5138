# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""A recorded run that does not end through MPI_Finalize on every rank: it ends as without commmap, and what was recorded
until then is kept."""

import contextlib
import os
import threading

import memory_group
import patience
import pytest

from cluster import HERE, LEAVERS, PMIX, RELEASE, alike, build, need, profiles_in
from collector import write_collector
from killed_steps import FEW, FEW_RANKS, STEP, WAITING, exported, job_of_few, read, sent_in
from own_name import own_name

# programs/leaver.c: every rank sends 5 messages of 100 bytes to the next one before it ends
def sent_by(ranks):
    return [[((rank + 1) % ranks, 5, 500)] for rank in range(ranks)]


SENT = sent_by(16)
ENDS = {
    "a rank is killed": f"srun {FEW} OPTION LEAVER kill",
    "a rank has no memory": f"srun {FEW} OPTION LEAVER no_memory",
    "a rank calls MPI_Abort": "srun -n16 OPTION LEAVER mpi_abort",
    "scancel of the step": f"WAITING; scancel {STEP}; wait $!",
    "scancel -s KILL of the step": f"WAITING; scancel -s KILL {STEP}; wait $!",
    "srun gets TERM": "WAITING; kill -TERM $!; wait $!",
}
KILL_SRUN = (f"WAITING; step={STEP}; echo $step; kill -KILL $!; scancel $step; "
             "while squeue -h -s -j $SLURM_JOB_ID -o %i | grep -qx $step; do sleep 0.05; done")
COLLECT_SECONDS = 10  # that slurmstepd waits for commmap-collect


@pytest.fixture(autouse=True)
def _planner(cluster):
    cluster.use_planner()


@pytest.mark.parametrize("end", ENDS)
def test_what_was_recorded_is_kept(cluster, programs, work, end):
    need(PMIX)
    script = ENDS[end].replace("WAITING", WAITING).replace("LEAVER", programs["leaver"]).replace("OUT", f"{work}/leaver.out") + "; echo code $?"

    def run(script, **variables):
        return job_of_few(cluster, script, **variables) if FEW in script else cluster.job(script, **variables)

    def both(number):
        place = f"{work}/partial {end} {number}"
        return run(script.replace("OPTION", "")), run(script.replace("OPTION", "--commmap=profile"), COMMMAP_PROFILE_DIR=place), place

    # there the others end in one of two ways
    same = end not in ("a rank is killed", "a rank has no memory") or LEAVERS not in RELEASE.lacks
    _, done, place = alike(both, same)
    words, ranks, nodes = (FEW, FEW_RANKS, 2) if FEW in script else ("-n16", 16, 8)
    path, profile, sent = exported(cluster, place, ranks)
    assert done.said == [f"commmap: partial profile, until it was ended: '{path}'"], done
    assert sent == sent_by(ranks) and profile["missing_ranks"] == []
    # all ranks are in it: it does for a launch until there is a whole one
    placed = run(f"srun {words} --commmap=auto,verbose {programs['leaver']} finalize", COMMMAP_PROFILE_DIR=place)
    assert placed.code == 0 and placed.said[0].startswith(f"commmap: plan for {ranks} ranks on {nodes} nodes"), placed


@pytest.fixture(name="small_group")
def _small_group():
    """A control group of 64 MiB, and what waits for a process's number in a file to put it there."""
    if not memory_group.THERE:
        pytest.skip("no control groups of version 1 for memory here")
    with memory_group.memory_group(64) as processes:
        def put(path):
            def number():
                text = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
                return text.endswith("\n") and text
            with contextlib.suppress(TimeoutError):  # the process itself says that nobody came
                text = patience.until(number, 60, "the number of the process")
                with open(processes, "w", encoding="utf-8") as file:
                    file.write(text)

        yield put


def test_the_memory_of_a_ranks_control_group_ends(cluster, programs, work, small_group):
    """The kernel kills it, in the middle of what it does."""
    need(PMIX)
    told = f"{work}/process-number"

    def run(option, place):
        if os.path.exists(told):
            os.remove(told)
        mover = threading.Thread(target=small_group, args=(told,))
        mover.start()
        done = job_of_few(cluster, f"srun {FEW} {option} {programs['leaver']} group_memory 3 {told}; echo code $?", COMMMAP_PROFILE_DIR=place)
        mover.join()
        return done

    def both(number):
        place = f"{work}/no memory in its group {number}"
        return run("", place), run("--commmap=profile", place), place

    _, done, place = alike(both, LEAVERS not in RELEASE.lacks)
    assert "code 137" in done.out or LEAVERS in RELEASE.lacks, done
    assert "there was enough memory" not in done.out
    path, profile, sent = exported(cluster, place, FEW_RANKS)
    assert done.said == [f"commmap: partial profile, until it was ended: '{path}'"], done
    assert sent == sent_by(FEW_RANKS) and profile["missing_ranks"] == []


def test_kept_until_somebody_collects_it(cluster, programs, work):
    """srun is killed, and its tasks with it."""
    need(PMIX)
    place = f"{work}/nobody collects"
    waiting = WAITING.replace("LEAVER", programs["leaver"]).replace("OUT", f"{work}/leaver.out").replace("OPTION", "--commmap=profile")
    done = cluster.job(KILL_SRUN.replace("WAITING", waiting), COMMMAP_PROFILE_DIR=place)
    step = done.lines[0]
    assert os.listdir(place) == [own_name(".unfinished")], done
    collected = cluster.login(f"{cluster.prefix}/bin/commmap", "profile", "collect", "--profile-dir", place, step)
    path, _, sent = exported(cluster, place)
    assert collected.out == f"partial profile, until it was ended: '{path}'\n" and collected.code == 0, collected
    assert sent == SENT


def test_what_was_recorded_is_kept_by_the_user(cluster, programs, work):
    """And by nobody else: root's files in a user's directory are no gift."""
    need(PMIX)
    place = f"{work}/of-a-user"
    os.makedirs(place)
    os.chown(place, 65534, 65534)
    waiting = WAITING.replace("LEAVER", programs["leaver"]).replace("OUT", f"{place}/out").replace("OPTION", "--commmap=profile")
    done = cluster.login("salloc", "-Q", "-N8", "-n16", "-D", "/", "bash", "-c", KILL_SRUN.replace("WAITING", waiting), user="nobody", COMMMAP_PROFILE_DIR=place)
    left = [os.path.join(root, name) for root, directories, names in os.walk(place) for name in directories + names]
    assert [name for name in left if name.endswith(".part")], (left, done)
    assert {os.stat(name).st_uid for name in left} == {65534}


def test_users_of_one_directory_do_not_block_each_other(cluster, programs, work):
    """The first user's srun was killed, and what the nodes kept of that run stays."""
    need(PMIX)
    place = f"{work}/of-a-project"
    os.makedirs(place)
    os.chmod(place, 0o2777)
    waiting = WAITING.replace("LEAVER", programs["leaver"]).replace("OUT", f"{place}/out").replace("OPTION", "--commmap=profile")
    first = cluster.login("salloc", "-Q", "-N8", "-n16", "-D", "/", "bash", "-c", KILL_SRUN.replace("WAITING", waiting), user="nobody", COMMMAP_PROFILE_DIR=place)
    left = own_name(".unfinished", 65534)
    assert left in os.listdir(place), first
    second = cluster.login("salloc", "-Q", "-N8", "-n16", "-D", "/", "srun", "--commmap=profile", programs["leaver"], "mpi_abort", user="daemon", COMMMAP_PROFILE_DIR=place)
    assert len(second.told) == 1 and second.told[0].startswith("commmap: partial profile, until it was ended: "), second
    assert sorted(name for name in os.listdir(place) if name != "out" and not name.startswith("history-")) == sorted([left, *[name for name in os.listdir(place) if name.endswith(".partial")]])


def test_a_child_by_fork_counts_nothing(cluster, programs, work):
    """It has its parent's memory, in which the parent counts."""
    need(PMIX)
    place = f"{work}/child"
    done = cluster.job(f"srun -n16 --commmap=profile {programs['leaver']} fork", COMMMAP_PROFILE_DIR=place)
    assert done.code == 0 and done.out == "rank 0 is done\n" and done.said == [], done
    assert sent_in(read(cluster, place)) == SENT


def test_the_program_has_another_file_where_its_memory_was(cluster, programs, work):
    need(PMIX)
    place, files = f"{work}/closed", f"{work}/own"
    done = cluster.job(f"srun -n16 --commmap=profile {programs['leaver']} reuse 3 {files}", COMMMAP_PROFILE_DIR=place)
    assert done.code == 0 and done.out == "rank 0 is done\n" and done.said == [], done
    assert sent_in(read(cluster, place)) == SENT
    for rank in range(16):
        assert os.stat(f"{files}.{rank}").st_blocks == 0, "something was written there"


def test_rank_0_is_told_that_it_got_nothing(cluster, programs, work):
    """Then nobody's memory may go before it is collected from the nodes."""
    need(PMIX)
    place, shim = f"{work}/deaf", f"{work}/deaf_root.so"
    build(RELEASE.mpicc, "-shared", "-fPIC", "-o", shim, f"{HERE}/programs/deaf_root.c", "-ldl")
    done = cluster.job(f"srun -n16 --commmap=profile bash -c 'LD_PRELOAD=$LD_PRELOAD:{shim} exec {programs['traffic']} everybody 11'", COMMMAP_PROFILE_DIR=place)
    assert done.code == 0 and len(done.lines) == 16 and "deaf_root: nothing came" in done.err, done
    profile = read(cluster, place)
    assert profile["complete"] and profile["missing_ranks"] == [], done
    lengths = [4 ** i for i in range(11)]
    assert sent_in(profile) == [[(to, len(lengths), sum(lengths)) for to in range(16) if to != rank] for rank in range(16)]


SCRIBBLER = """
import os, sys
number = int(os.environ["COMMMAP_RECORD_MEMORY"].split(":")[0])
try:
    os.ftruncate(number, 100)
    sys.exit("it could be cut off")
except PermissionError:
    pass
head = {"magic": b"cmprec\\n1" + b"\\1\\0\\0\\0", "noise": os.urandom(64), "state": b"\\0" * 8 + b"\\1\\0\\0\\0" + b"\\xff" * 500}[sys.argv[1]]
os.pwrite(number, head, 0)
"""


@pytest.mark.parametrize("head", ["magic", "noise", "state"])
def test_a_task_writes_what_it_likes_into_its_memory(cluster, work, head):
    script = f"{work}/scribbler.py"
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIBBLER)
    done = cluster.job(f"srun -n16 --commmap=profile python3 {script} {head}; echo $?", COMMMAP_PROFILE_DIR=f"{work}/scribbled")
    assert done.out == "0\n" and done.said == [], done
    assert not os.path.exists(f"{work}/scribbled")


def test_a_file_size_limit_below_that_memory(cluster, programs, work):
    need(PMIX)
    place = f"{work}/small files"
    done = cluster.job(f"(ulimit -f 32768; srun -n16 --commmap=profile {programs['leaver']} finalize)", COMMMAP_PROFILE_DIR=place)
    assert done.code == 0 and done.said == [], done
    (name,) = profiles_in(place)
    assert "-np16." in name and name.endswith(".commmap")


def test_a_file_size_limit_below_the_profile(cluster, programs, work):
    """Who writes past it is killed by SIGXFSZ. The profile is no file of the program's."""
    need(PMIX)
    place = f"{work}/no files"
    script = f"srun -n16 OPTION {programs['leaver']} small_files; echo code $?"
    plain = cluster.job(script.replace("OPTION", ""))
    done = cluster.job(script.replace("OPTION", "--commmap=profile"), COMMMAP_PROFILE_DIR=place)
    assert (done.code, done.out) == (plain.code, plain.out) and "code 0" in done.out, (plain, done)
    (name,) = profiles_in(place)
    assert done.told == [] and name.endswith(".commmap"), done


@pytest.mark.parametrize("fault, told", [
    pytest.param("error=EDQUOT", "Disk quota exceeded; set COMMMAP_PROFILE_DIR to a directory that can be written", id="quota"),
    pytest.param("delay_enter=60s", "took longer than 10 s", id="slow")])
def test_the_disk_refuses_or_is_slow(cluster, programs, work, own, fault, told):
    """NFS says that a quota is full when what was written is to be on disk. It is strace that says it here, to what writes the profile."""
    need(PMIX)
    if RELEASE.suite:
        pytest.skip("strace is this machine's own")
    place, trace = f"{work}/fsync {fault}", f"{work}/fsync.trace"
    os.makedirs(place)
    write_collector(own, f"exec strace -f -qq -o {trace} -e inject=fsync:{fault} OWN \"$@\"")
    done = cluster.job(f"srun -n16 --commmap=profile {programs['leaver']} finalize; echo code $?", COMMMAP_PROFILE_DIR=place)
    assert done.out == "rank 0 is done\ncode 0\n" and done.said == [], done
    assert len(done.told) == 1 and done.told[0].startswith("commmap: task_exit: what was recorded") and done.told[0].endswith(told), done
    # Who is killed while the disk is slow cannot remove what was begun.
    assert [name for name in profiles_in(place) if fault.startswith("error") or name.endswith(".commmap")] == [], done
    with open(trace, encoding="utf-8") as file:
        assert "fsync(" in file.read()


@pytest.fixture(name="frozen")
def _frozen(cluster, work):
    """A directory on a file system of its own on the login host and on m0: whoever writes there waits, and cannot be killed."""
    if RELEASE.suite:
        pytest.skip("a root's /var/tmp is another mount than the node's")
    place, image = f"{work}/frozen", f"{work}/frozen.img"
    os.makedirs(place)
    with open(image, "wb") as file:
        file.truncate(16 << 20)
    patience.run(["mkfs.ext4", "-q", image], check=True)
    device = patience.run(["losetup", "--find", "--show", image], capture_output=True, text=True)
    if device.returncode != 0:
        pytest.skip(f"no loop device: {device.stderr.strip()}")
    device = device.stdout.strip()
    with open(f"/run/commmap-testbed/{cluster.name}/nodes/m0/slurmd.pid", encoding="utf-8") as file:
        node = ["nsenter", "-m", "-t", file.read().strip()]
    mounted = []
    try:
        for inside in ([], node):
            if patience.run([*inside, "mountpoint", "-q", place]).returncode != 0:
                patience.run([*inside, "mount", device, place], check=True)
                mounted.append(inside)
        patience.run(["fsfreeze", "--freeze", place], check=True)
        try:
            yield place
        finally:
            patience.run(["fsfreeze", "--unfreeze", place], check=True)
    finally:
        for inside in reversed(mounted):
            patience.run([*inside, "umount", "--lazy", place], check=True)
        patience.run(["losetup", "--detach", device], check=True)


def test_a_frozen_file_system_holds_no_step_up(cluster, programs, frozen):
    """All ranks came to MPI_Finalize, and end; one line says what is lost; the nodes are idle while it is still frozen."""
    need(PMIX)

    def run(option):
        with patience.Stopwatch() as watch:
            done = cluster.job(f"srun -n16 {option} {programs['leaver']} finalize; echo code $?", COMMMAP_PROFILE_DIR=frozen)
        return done, watch.seconds

    run("")  # the job's shell is there after that
    _, plain = run("")
    done, seconds = run("--commmap=profile")
    assert seconds - plain < COLLECT_SECONDS + 1, (plain, seconds, done)
    assert done.out == "rank 0 is done\ncode 0\n" and done.said == [], done
    assert len(done.told) == 1 and "took longer than 10 s" in done.told[0], done
    auto = cluster.job(f"srun -n16 --commmap=auto {programs['leaver']} finalize; echo code $?", COMMMAP_PROFILE_DIR=frozen)
    assert auto.out == done.out, auto
    cluster.end_shell()
    patience.until(lambda: set(cluster.login("sinfo", "-h", "-N", "-o", "%T").lines) == {"idle"}, 60, "that all nodes are idle", between=0.2)


@pytest.mark.parametrize("signal", ["TERM", "KILL"])
def test_what_is_sent_to_the_step_ends_what_keeps_its_part(cluster, programs, work, signal):
    """proctrack/linuxproc sends it to commmap-collect too, on a busy machine more than once: it is begun anew. Here a stand-in sends it, three times on each node: more starts do not fit into 10 s there."""
    need(PMIX)
    program = f"{cluster.prefix}/lib/commmap/commmap-collect"
    place, waiting = f"{work}/sent {signal}", WAITING.replace("LEAVER", programs["leaver"]).replace("OUT", f"{work}/leaver.out")
    os.rename(program, f"{program}.own")
    try:
        with open(program, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nfor i in 1 2 3; do mkdir /tmp/sent.{signal}.$1.$2.$i 2>/dev/null && kill -{signal} $$; done\nexec {program}.own \"$@\"\n")
        os.chmod(program, 0o755)
        done = cluster.job(f"{waiting}; kill -TERM $!; wait $!; echo code $?".replace("OPTION", "--commmap=profile"), COMMMAP_PROFILE_DIR=place)
    finally:
        os.replace(f"{program}.own", program)
    path, profile, sent = exported(cluster, place)
    assert done.said == [f"commmap: partial profile, until it was ended: '{path}'"], done
    assert sent == SENT and profile["missing_ranks"] == []


def test_the_time_limit_of_the_job(cluster, programs, work):
    """Slurm looks twice a minute; a minute is the shortest limit, so that the end comes nearer while the job runs."""
    need(PMIX)
    place = f"{work}/no time"
    out = f"{work}/leaver.out"
    # what says that all are there is nothing that salloc could kill before it is read
    script = (f"rm -f {out}; srun -n16 OPTION {programs['leaver']} wait 0 >{out} & until grep -q 'all are there' {out}; do sleep 0.05; done; "
              "scontrol update JobId=$SLURM_JOB_ID EndTime=$(date -d '+1 second' +%Y-%m-%dT%H:%M:%S); wait $!; echo code $?")
    plain = cluster.job(script.replace("OPTION", ""), "-t", "5", seconds=150)
    done = cluster.job(script.replace("OPTION", "--commmap=profile"), "-t", "5", seconds=150, COMMMAP_PROFILE_DIR=place)
    assert (done.code, done.out) == (plain.code, plain.out) and "DUE TO TIME LIMIT" in done.err, (plain, done)
    path, profile, sent = exported(cluster, place)
    assert done.said == [f"commmap: partial profile, until it was ended: '{path}'"], done
    assert sent == SENT and profile["missing_ranks"] == []
