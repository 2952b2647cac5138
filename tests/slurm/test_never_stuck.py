# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What goes wrong around a launch costs a line, never the job, and leaves nothing behind."""

import os
import re
import shlex
import signal
import struct
import time

import patience
import pytest

from cluster import PATIENCE, RELEASE, SECONDS_TO_IDLE, SHAPE
from places import BLOCK, REVERSED, WHERE, places
from launches import Launch, queue

TAIL = "; launching as without commmap"
RUN = f"srun -n16 --commmap=auto bash -c {WHERE}"
NOISE = 1  # seconds by which two plain launches differ


@pytest.mark.parametrize("way", ["exit", "crash", "empty", "memory", "reverse"])
def test_required_in_plugstack(cluster, way):
    """An admin who writes required instead of optional."""
    cluster.use_fake()
    cluster.use_line(f"required {cluster.plugstack.split(' ', 1)[1].strip()}")
    try:
        done = cluster.job(RUN, FAKE_PLAN=way)
    finally:
        cluster.use_fake()
    assert places(done) == (REVERSED if way == "reverse" else BLOCK)
    assert len(done.said) == (way != "reverse"), done


def test_no_home(cluster):
    cluster.use_fake()
    done = cluster.job(f"unset HOME XDG_CACHE_HOME; {RUN}")
    assert places(done) == BLOCK
    assert done.said == ["commmap: no place for profiles: neither COMMMAP_PROFILE_DIR nor XDG_CACHE_HOME nor HOME is set" + TAIL]


FILL = """
import os, subprocess, sys
environment = dict(os.environ)
def fits(count):
    try:
        return subprocess.run(["true"], env={**environment, "FILL": "x" * count}, check=False).returncode == 0
    except OSError:
        return False
number = 0
while fits(0) and number < 60:  # a variable is at most 128 KiB, the whole a quarter of the stack
    environment[f"FILL{number}"] = "x" * 100000
    number += 1
del environment[f"FILL{number - 1}"]
low, high = 0, 100000
while high - low > 1:
    middle = (low + high) // 2
    low, high = (middle, high) if fits(middle) else (low, middle)
# room for srun's own name and for what srun itself adds is not left: only what fits fits
environment["FILL"] = "x" * (low - 150)
os.execvpe("srun", ["srun", *sys.argv[1:]], environment)
"""


def test_environment_is_full(cluster, work):
    """So full that srun can be started, and not a second time with a few variables more."""
    cluster.use_fake()
    with open(f"{work}/fill.py", "w", encoding="utf-8") as file:
        file.write(FILL)
    done = cluster.job(f"/usr/bin/python3 {work}/fill.py -n16 --export=NONE --commmap=auto /bin/bash -c 'echo $SLURM_PROCID'")
    assert done.code == 0, done
    assert sorted(map(int, done.lines)) == list(range(16))
    assert len(done.said) == 1 and done.said[0].endswith("Argument list too long" + TAIL), done


AWAY = {
    "option": ("--commmap=auto", [], "COMMMAP_PROFILE_DIR", ""),
    "mode=auto": ("", ["mode=auto"], "COMMMAP_PROFILE_DIR", ""),
    "HOME": ("", ["mode=auto"], "HOME", "/.cache/commmap"),
    "XDG_CACHE_HOME": ("--commmap=auto", [], "XDG_CACHE_HOME", "/commmap"),
    "site-profiles": ("--commmap=auto", [], "COMMMAP_SITE_PROFILES", ""),
}


@pytest.mark.parametrize("where", ["standalone", "allocation"])
@pytest.mark.parametrize("which", AWAY)
def test_the_profile_directory_does_not_answer(cluster, work, where, which):
    """As that of a home whose file server is away. It is strace that holds up whoever opens it. srun waits at most 1 s for it, however long a plan may take."""
    if RELEASE.suite:
        pytest.skip("strace is this machine's own")
    option, arguments, variable, below = AWAY[which]
    place = f"{work}/away {which}"
    os.makedirs(place + below, exist_ok=True)
    away = [place + below[:end] for end in range(len(below) + 1) if (below + "/")[end] == "/"]
    held_up = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", *[word for path in away for word in ("-P", path)],
               "-e", "trace=openat,newfstatat,access,mkdir", "-e", "inject=openat,newfstatat,access,mkdir:delay_enter=20s"]

    def run(*words):
        line = f"unset XDG_CACHE_HOME; export {variable}={shlex.quote(place)}; {shlex.join([*held_up, 'srun', '-N8', '-n16', *words])} bash -c {WHERE}"
        with patience.Stopwatch() as watch:
            done = cluster.login("bash", "-c", line) if where == "standalone" else cluster.login("salloc", "-Q", "-N8", "-n16", "bash", "-c", line)
        assert places(done) == BLOCK
        return done, watch.seconds

    try:
        cluster.use(f"cluster={SHAPE}", PATIENCE)
        _, plain = run("--commmap=off")
        cluster.use(f"cluster={SHAPE}", PATIENCE, *arguments)
        done, seconds = run(*([option] if option else []))
    finally:
        cluster.use_fake()
    assert seconds - plain < 1 + NOISE, done
    if not option:
        assert done.said == [], done
        return
    assert done.said == [f"commmap: '{place}{below}' did not answer in time{TAIL}"], done


@pytest.mark.parametrize("where", ["standalone", "allocation"])
def test_the_profile_directory_does_not_answer_after_a_recorded_step(cluster, work, where):
    """srun asks once whether nodes have kept parts there, and waits at most 1 s for the answer."""
    if RELEASE.suite:
        pytest.skip("strace is this machine's own")
    cluster.use(f"cluster={SHAPE}")
    place = f"{work}/away after {where}"

    def run(option):
        (newest,) = re.findall(r"^JobId=(\d+)", cluster.login("scontrol", "-o", "show", "job").lines[-1])
        parts = f"{place}/.unfinished-0/{int(newest) + 1}.0"
        held_up = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-P", parts, "-e", "trace=access", "-e", "inject=access:delay_enter=20s"]
        words = [*held_up, "srun", "-N8", "-n16", option, "bash", "-c", WHERE.strip("'")]
        with patience.Stopwatch() as watch:
            done = cluster.login(*(words if where == "standalone" else ["salloc", "-Q", "-N8", "-n16", *words]), COMMMAP_PROFILE_DIR=place)
        assert places(done) == BLOCK
        return done, watch.seconds

    try:
        cluster.login("srun", "-Q", "true")  # so that there is a newest job
        _, plain = run("--commmap=off")
        done, seconds = run("--commmap=profile")
    finally:
        cluster.use_fake()
    assert seconds - plain < 1 + NOISE, done
    assert done.said == [f"commmap: no profile of this run yet: '{place}' did not answer in time"], done


def place_of_version(library):
    """Where in the file the version is that Slurm looks at. Constants are as far into the file as into the memory."""
    symbols = patience.run(["readelf", "-W", "--dyn-syms", library], capture_output=True, text=True, check=True).stdout
    return int(re.search(r"([0-9a-f]+) +4 OBJECT .* plugin_version$", symbols, re.M)[1], 16)


def test_built_for_another_slurm(cluster, work):
    """Slurm refuses the plugin by the version that it carries; the job runs."""
    library = f"{cluster.prefix}/lib/commmap/commmap.so"
    with open(library, "rb") as file:
        content = bytearray(file.read())
    year, month = map(int, RELEASE.name.split("."))
    place = place_of_version(library)
    (version,) = struct.unpack_from("<I", content, place)
    assert version & ~0xff == year << 16 | month << 8  # of any micro version
    struct.pack_into("<I", content, place, version - (1 << 16))
    with open(f"{work}/other.so", "wb") as file:
        file.write(content)
    cluster.use(plugin=f"{work}/other.so")
    try:
        done = cluster.job("srun -n16 hostname")
        asked = cluster.job("srun -n16 --commmap=auto hostname")
    finally:
        cluster.use_fake()
    assert done.code == 0 and len(done.lines) == 16
    assert "commmap" not in done.out
    assert "Incompatible Slurm plugin" in done.err and "unrecognized option '--commmap=auto'" in asked.err and asked.code != 0, (done, asked)


def test_a_hundred_at_once(cluster):
    cluster.use_fake()
    script = ("for i in $(seq 100); do srun -N2 -n2 -w m[0-1] --overlap --mem=0 --mpi=none --commmap=auto hostname & done; "
              "fail=0; for job in $(jobs -p); do wait $job || fail=$((fail + 1)); done; echo failed $fail")
    plain = cluster.job(script.replace("--commmap=auto", ""), seconds=200)
    done = cluster.job(script, seconds=200)
    assert plain.lines[-1] == "failed 0", plain
    assert done.lines[-1] == "failed 0", done
    assert sorted(done.lines) == sorted(plain.lines)


def test_killed_at_every_point(cluster):
    """From when srun has its clean-up process, a little later each time: the allocation is always given back.

    Killed before that, between slurmctld's answer and the fork, a plain srun leaves its allocation behind too. Killed while
    the launch is handed from slurmd to slurmd, a plain one's job too is COMPLETING for a minute: the first node's slurmstepd
    waits for those of nodes that the launch never reached (REVERSE_TREE_CHILDREN_TIMEOUT; seen in one of six such kills).
    """
    cluster.use_fake()
    cluster.end_shell()
    for delay in range(0, 600, 30):
        before = allocations(cluster)
        launch = Launch(cluster, cluster.some_profiles(), "-N8 -n16 --commmap=auto", ["sleep", "1000"])
        # the plugin's own child, which asks for the profile directory, has ended before srun asks for nodes
        patience.until(lambda: allocations(cluster) > before and has_child(launch.process.pid), 60, "srun's clean-up process")
        time.sleep(delay / 1000)  # not a wait for something: where in its life srun is hit is what is varied
        assert launch.end(signal.SIGKILL)[0] == -signal.SIGKILL
        patience.until(lambda: cluster.login("squeue", "-h", "-t", "pending,running,suspended").out == "", 60, "the end of the job", between=0.2)
        patience.until(lambda: queue(cluster) == "", SECONDS_TO_IDLE, "that nothing of the job is left", between=0.2)
    assert cluster.login("squeue", "-h", "-s").out == ""


def allocations(cluster):
    """How many slurmctld has made."""
    with open(cluster.log("slurmctld"), encoding="utf-8") as file:
        return file.read().count("_slurm_rpc_allocate_resources JobId=")


def has_child(process):
    """That the process is srun by now, and has a child."""
    try:
        with open(f"/proc/{process}/comm", encoding="utf-8") as file:
            name = file.read().strip()
        with open(f"/proc/{process}/task/{process}/children", encoding="utf-8") as file:
            return name == "srun" and file.read().strip() != ""
    except OSError:
        return False
