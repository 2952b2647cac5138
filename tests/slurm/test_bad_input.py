# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Whatever is wrong costs one line, and the job runs."""

import os
import shutil

import older_root
import patience
import pytest

from cluster import HERE, PATIENCE, RELEASE

RUNS = "srun -n16 --commmap=auto bash -c 'echo $SLURM_PROCID $SLURMD_NODENAME'"
TAIL = "; launching as without commmap"
BOUND = ": the order stays, only CPUs are bound"


def check_unharmed(done, said):
    assert done.code == 0, done
    assert sorted(done.lines) == sorted(f"{rank} m{rank // 2}" for rank in range(16)), done
    assert done.said == [said], done


@pytest.mark.parametrize("way, reason", [
    ("exit", "failed with exit code 1: no idea"),
    ("crash", "was killed by signal 11 (Segmentation fault)"),
    ("hang", "took longer than 1 s"),
    ("memory", "failed with exit code 1: Traceback (most recent call last):"),
])
def test_planner_fails(cluster, way, reason):
    # only the one that hangs has to be over in a second
    cluster.use_fake("plan-memory=1024", *(["plan-seconds=1"] if way == "hang" else []))
    planner = cluster.plugstack.split("program=")[1].split()[0]
    check_unharmed(cluster.job(RUNS, FAKE_PLAN=way), f"commmap: planning with '{planner}' {reason}{TAIL}")


@pytest.mark.parametrize("way, reason", [
    ("empty", "is empty"),
    ("no-end", "has no end"),
    ("wrong-hosts", "has more tasks on m0 than it says"),
    ("few-hosts", "places 1 tasks, the job has 16"),
])
def test_planner_talks_nonsense(cluster, way, reason):
    cluster.use_fake()
    check_unharmed(cluster.job(RUNS, FAKE_PLAN=way), f"commmap: the planner's answer cannot be used (it {reason}): are commmap and the plugin of one version?{TAIL}")


def test_planner_is_missing(cluster):
    cluster.use("program=/nonexistent/commmap", PATIENCE)
    check_unharmed(cluster.job(RUNS), f"commmap: planning with '/nonexistent/commmap' cannot be run: No such file or directory{TAIL}")
    cluster.use("program=commmap", PATIENCE)
    check_unharmed(cluster.job(RUNS), f"commmap: planning with 'commmap' has no absolute path{TAIL}")


def test_value_on_the_command_line(cluster):
    cluster.use_fake()
    done = cluster.job("srun -n16 --commmap=fast true")
    assert done.code != 0
    assert done.said == ["commmap: --commmap: 'fast' is not a mode (off, profile, auto or help)"]
    for words in (["srun", "--commmap=fast", "true"], ["salloc", "--commmap=fast", "true"]):
        assert cluster.login(*words).code != 0
    # what the plugin tells itself is not for users
    assert cluster.job("srun -n16 --commmap=placed:0@0x8 true").code != 0


def test_value_in_the_environment(cluster):
    cluster.use_fake()
    done = cluster.job("srun -n16 true", COMMMAP="fast")
    assert done.code == 0
    assert done.said == ["commmap: environment variable COMMMAP: 'fast' is not a mode (off, profile or auto); it is ignored"]


def test_options_in_the_environment_and_plugstack(cluster):
    cluster.use_fake("threshhold=3")
    done = cluster.job("srun -n16 true", COMMMAP_SEED="x")
    assert done.code == 0
    assert len(done.said) == 2
    assert "plugstack argument: unknown option 'threshhold'; did you mean 'threshold'?" in done.said[0]
    assert "environment variable COMMMAP_SEED: 'x'" in done.said[1]


def test_a_sites_default_is_quiet(cluster):
    """mode=auto in plugstack.conf: nobody asked, so an srun that it cannot help says nothing."""
    cluster.use_fake("mode=auto")
    by_default = RUNS.replace(" --commmap=auto", "")
    for way in ("decline", "exit", "empty"):
        done = cluster.job(by_default, FAKE_PLAN=way)
        assert done.code == 0 and done.said == [], done
    assert cluster.job("srun -n4 -m cyclic true").said == []
    assert cluster.login("srun", "-Q", "-n4", "true").said == []
    assert len(cluster.job(by_default, FAKE_PLAN="decline", COMMMAP="auto").said) == 1
    assert len(cluster.job("srun -n4 --commmap=auto -m cyclic true").said) == 1
    assert cluster.job(by_default, FAKE_PLAN="decline", COMMMAP_VERBOSE="1").said != []


def test_plugin_is_missing(cluster):
    cluster.use(plugin="/nonexistent/commmap.so")
    try:
        assert cluster.job("srun -n16 true").code == 0
    finally:
        cluster.use_fake()


@pytest.mark.parametrize("options, reason, tail", [
    ("-n2 -N1", "1 of the job's 8 nodes: which ones Slurm takes depends on what else runs (name them with --nodelist)", BOUND),
    ("-n8 -N4 -w m3", "4 of the job's 8 nodes: which ones Slurm takes depends on what else runs (name them with --nodelist)", BOUND),
    ("-n4 -m cyclic", "--distribution chooses the placement", BOUND),
    ("-n4", "fewer tasks than nodes: which nodes Slurm takes is not certain", BOUND),
    ("-n4 -O", "--overcommit shares CPUs between tasks", TAIL),
    ("-n16 --mpi=none", "--mpi=none is not handled, only pmix and pmi2", TAIL),
    ("-N4-8", "--nodes=4-8 leaves the number of nodes open", BOUND),
])
def test_left_alone(cluster, options, reason, tail):
    cluster.use_fake()
    for order in (f"srun --commmap=auto {options} true", f"srun {options} --commmap=auto true"):
        done = cluster.job(order)
        assert done.code == 0, done
        assert done.said == [f"commmap: {reason}{tail}"]


def test_left_alone_by_variables(cluster, work):
    cluster.use_fake()
    with open(f"{work}/hosts", "w", encoding="utf-8") as file:
        file.write("m3\nm1\n")
    done = cluster.job(f"SLURM_HOSTFILE={work}/hosts srun -n2 -l --commmap=auto printenv SLURMD_NODENAME")
    assert done.said == [f"commmap: SLURM_HOSTFILE chooses the placement{BOUND}"], done
    assert sorted(done.lines) == ["0: m3", "1: m1"]
    done = cluster.job("SLURM_DISTRIBUTION=cyclic srun -n4 --commmap=auto true")
    assert done.code == 0 and done.said == [f"commmap: SLURM_DISTRIBUTION chooses the placement{BOUND}"]


def test_one_task_needs_no_plan(cluster):
    cluster.use_fake()
    done = cluster.job("srun -n1 --commmap=auto true", FAKE_PLAN="exit")
    assert done.code == 0 and done.said == []


def test_no_place_for_files_is_needed(cluster):
    cluster.use_fake()
    # a task makes its TMPDIR when it can: only in /proc it never can
    done = cluster.job(f"TMPDIR=/proc/nowhere {RUNS}")
    assert done.code == 0 and done.said == [], done
    assert sorted(done.lines) == sorted(f"{rank} m{7 - rank // 2}" for rank in range(16)), done


def test_program_that_cannot_be_placed_or_recorded(cluster, programs):
    cluster.use_planner()
    done = cluster.job("srun -n16 --commmap=auto /nonexistent/program")
    assert done.code == 2
    assert done.said == [f"commmap: '/nonexistent/program' is not a program on this machine{TAIL}"]
    done = cluster.job("srun -n2 --commmap=profile /nonexistent/program")
    assert done.code == 2 and done.said == []
    done = cluster.job(f"srun -n4 --commmap=profile {programs['static']}")
    assert done.code == 0 and len(done.lines) == 4
    assert done.said == [f"commmap: '{programs['static']}' is not recorded: it is statically linked, and the recorder is loaded by the "
                         "dynamic linker; link it dynamically"]


def test_program_of_another_c_library(cluster, programs, work):
    """What is preloaded there ends it, so that nothing is."""
    if RELEASE.suite:
        pytest.skip("musl is this machine's own")
    cluster.use_planner()
    program = f"{work}/of-musl"
    patience.run(["musl-gcc", "-O2", "-o", program, f"{HERE}/programs/plain.c"], seconds=60, check=True)
    without_the_testbeds = "LD_PRELOAD= srun"
    plain = cluster.job(f"{without_the_testbeds} -n4 {program}")
    done = cluster.job(f"{without_the_testbeds} -n4 --commmap=profile {program}")
    assert done.code == plain.code == 0 and len(done.lines) == len(plain.lines) == 4, (plain, done)
    assert done.said == [f"commmap: '{program}' is not recorded: '/lib/ld-musl-x86_64.so.1' starts it, which is not the dynamic linker of "
                         "this node's system; link it with the system's C library"]
    loaded = cluster.job(f"{without_the_testbeds} -n1 env LD_PRELOAD={cluster.prefix}/lib/commmap/libcommmap_hooks_ompi.so {program}")
    assert loaded.code != 0, "that is no danger any more: why is it refused?"


def test_program_with_an_older_c_library(cluster, work):
    """A script may go into another root, where sites have the prefix too: the recorder is loaded there, and takes that C library."""
    if RELEASE.suite:
        pytest.skip("the recorder of a root's build is for that root")
    cluster.use_planner()
    root = f"{work}/older"
    try:
        suite = older_root.make(root)
    except older_root.NoMirror as error:
        pytest.skip(f"no package of an older Debian: {error}")
    shutil.copytree(f"{cluster.prefix}/lib", f"{root}/{cluster.prefix}/lib", dirs_exist_ok=True)
    look = "case $LD_PRELOAD in *libcommmap_hooks_*) echo in " + suite + " with the recorder ;; esac; exit 3"
    done = cluster.job(f"LD_PRELOAD= srun -n2 --commmap=profile chroot {root} /bin/dash -c '{look}'; echo code $?")
    assert sorted(done.lines) == ["code 3", *[f"in {suite} with the recorder"] * 2] and done.said == [], done
    assert "GLIBC" not in done.err and "ld.so" not in done.err, done


IN_A_CONTAINER = "it runs programs in a container, which may have another C library; docs/user/recorder.md, In containers, says how to record there"


def make_image(cluster, root):
    """Another system's root: only musl's C library is there."""
    if RELEASE.suite:
        pytest.skip("musl is this machine's own")
    os.makedirs(f"{root}/lib", exist_ok=True)
    shutil.copy(os.path.realpath("/lib/ld-musl-x86_64.so.1"), f"{root}/lib/ld-musl-x86_64.so.1")
    patience.run(["musl-gcc", "-O2", "-o", f"{root}/program", f"{HERE}/programs/plain.c"], seconds=60, check=True)
    shutil.copytree(f"{cluster.prefix}/lib", f"{root}/{cluster.prefix}/lib", dirs_exist_ok=True)  # bound there by many sites


def write_program(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)
    return path


@pytest.mark.parametrize("name", ["apptainer", "singularity", "podman", "ch-run", "enroot", "shifter"])
def test_program_in_a_container(cluster, programs, work, name):
    """A stand-in for the runtime."""
    root = f"{work}/image of {name}"
    make_image(cluster, root)
    cluster.use_planner()
    runtime = write_program(f"{work}/{name}", '#!/bin/sh\nexec chroot "$1" "$2"\n')
    done = cluster.job(f"LD_PRELOAD= srun -n4 --commmap=profile {runtime} '{root}' /program")
    assert done.code == 0 and len(done.lines) == 4, done
    assert done.said == [f"commmap: '{runtime}' is not recorded: {IN_A_CONTAINER}"]


def test_image_that_is_run_like_a_program(cluster, programs, work):
    """A stand-in for run-singularity, which a SIF image names in its first line."""
    root = f"{work}/image that is a program"
    make_image(cluster, root)
    cluster.use_planner()
    os.makedirs(f"{work}/bin", exist_ok=True)
    runtime = write_program(f"{work}/bin/run-singularity", f"#!/bin/sh\nexec chroot '{root}' /program\n")
    image = write_program(f"{work}/image.sif", "#!/usr/bin/env run-singularity\n")
    for program in (image, runtime):
        done = cluster.job(f"PATH={work}/bin:$PATH LD_PRELOAD= srun -n4 --commmap=profile {program}")
        assert done.code == 0 and len(done.lines) == 4, done
        assert done.said == [f"commmap: '{program}' is not recorded: {IN_A_CONTAINER}"]


def test_more_tasks_than_may_be_recorded(cluster, programs, work):
    place = f"{work}/too many"
    cluster.use_planner("profile-ranks=15")
    done = cluster.job(f"srun -n16 --commmap=profile {programs['plain']}", COMMMAP_PROFILE_DIR=place)
    assert done.code == 0 and len(done.lines) == 16 and not os.path.exists(place), done
    assert done.said == ["commmap: not recorded: the step has 16 tasks, and 15 may be recorded (profile-ranks)"]
    cluster.use_planner("profile-ranks=16")
    assert cluster.job(f"srun -n16 --commmap=profile {programs['plain']}", COMMMAP_PROFILE_DIR=place).said == []


def test_recorder_is_missing(cluster, programs):
    cluster.use_planner("hooks=/nonexistent")
    done = cluster.job(f"srun -n4 --commmap=profile {programs['plain']}")
    assert done.code == 0 and len(done.lines) == 4
    assert done.said == ["commmap: not recorded: '/nonexistent/libcommmap_hooks_ompi.so' cannot be loaded on this node"]
