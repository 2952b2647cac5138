# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The testbed itself: it launches, it is shaped, it goes away without a trace, with each release of Slurm whose root is
there. Needs root; about 30 s, and 15 s for each further release."""

import importlib
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import patience
import pytest

import leftovers

HERE = os.path.dirname(os.path.abspath(__file__))
TESTBED = os.path.join(HERE, "testbed")
NAMES = [f"test{os.getpid()}{letter}" for letter in "ab"]
PLACES = [os.path.join(leftovers.REGISTRY, name) for name in NAMES]

sys.path.append(os.path.join(HERE, "lib"))
import release as releases
import roots

RELEASES = [release for release in releases.RELEASES.values() if roots.exists(release)]

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def run(*arguments, name=NAMES[0], **more):
    return patience.run([TESTBED, "--name", name, *arguments], seconds=120, capture_output=True, text=True, **more)


def good(*arguments, **more):
    done = run(*arguments, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def until(condition, what):
    return patience.until(condition, 30, what)


def namespace(name=NAMES[0]):
    return dict((place, prefix) for prefix, place in leftovers.other_testbeds([]))[
        os.path.join(leftovers.REGISTRY, name)]


def pids(namespace_name, command):
    def output(*words):
        return patience.run(words, capture_output=True, text=True).stdout
    return [int(pid) for pid in output("ip", "netns", "pids", namespace_name).split()
            if output("ps", "-o", "comm=", "-p", pid).strip() == command]


@pytest.fixture(name="traceless")
def _traceless():
    """Whatever the test does: after `down` the host is as before."""
    before = leftovers.snapshot()
    others = leftovers.other_testbeds(PLACES)
    yield
    for name in NAMES:
        good("down", name=name)
    others += leftovers.other_testbeds(PLACES)
    assert leftovers.left_behind(before, others) == set()


@pytest.fixture(name="release", scope="module", params=RELEASES, ids=lambda release: release.name)
def _release(request):
    return request.param


@pytest.fixture(name="programs", scope="module")
def _programs(release):
    place = tempfile.mkdtemp(dir="/var/tmp")  # /tmp is private on the nodes
    os.chmod(place, 0o755)
    for name in ("hello", "stream"):
        good("root", release.name, release.mpicc, "-O2", "-o", f"{place}/{name}", f"{HERE}/programs/{name}.c")
    yield place
    shutil.rmtree(place)


@pytest.fixture(name="cluster", scope="module")
def _cluster(release):
    good("up", "8x2", "--release", release.name)
    yield
    good("down")




# a running 8x2

def test_second_up_finds_it_running(cluster, release):
    assert "already up: 8 nodes" in good("up", "8x2", "--release", release.name)


def test_it_is_the_release_that_was_asked_for(cluster, release):
    assert good("exec", "srun", "-n1", "sinfo", "--version").startswith(f"slurm-wlm {release.name}.")
    assert f", Slurm {release.name}, " in good("status")


def test_status_lists_all_nodes_idle(cluster):
    until(lambda: good("status").splitlines()[1:] == ["slurmctld up"] + [f"m{i} idle" for i in range(8)], lambda: f"all idle: {good('status')}")


def test_srun_reaches_every_node(cluster):
    assert sorted(good("exec", "srun", "-N8", "-n16", "hostname").split()) == [f"m{i // 2}" for i in range(16)]


def test_switches_are_slurms_topology(cluster):
    topology = good("exec", "scontrol", "show", "topology")
    assert re.search(r"SwitchName=core .*Switches=s0,s1\n", topology)
    assert re.search(r"SwitchName=s1 .*Nodes=m(5,m6,m7|\[5-7\])\n", topology)


def test_ranks_and_cpus_of_mpi(cluster, programs, release):
    lines = good("exec", "srun", "-N8", "-n16", f"{programs}/hello").splitlines()
    if releases.SHARED in release.lacks:
        lines = [re.sub(r"local 0 (.* cpus (\d+))", r"local \2 \1", line) for line in lines]
    assert sorted(lines, key=lambda line: int(line.split()[1].split("/")[0])) == [
        f"rank {i}/16 host m{i // 2} local {i % 2} sum 120 cpus {i % 2}" for i in range(16)]


LINK = 13  # MB/s: 100 Mbit/s, and what fits into the token bucket


RATE = 12_500_000  # the same in bytes/s, as tc counts


def queues():
    """What tc knows of each device's queue: its rate, and how much went through or had to wait."""
    asked = patience.run(["tc", "-s", "-j", "-n", namespace(), "qdisc"], capture_output=True, text=True, check=True)
    return {queue["dev"]: queue for queue in json.loads(asked.stdout) if queue.get("root")}


def stream(programs, nodes, count):
    """What `stream` prints as its rate in MB/s, with one rank on each of the nodes. All send to the last."""
    ranks = str(nodes.count(",") + 1)
    return float(good("exec", "srun", "-w", nodes, "-N", ranks, "-n", ranks, f"{programs}/stream", str(count)).split()[3])


@pytest.mark.parametrize("nodes, link", [("m0,m1,m2", "m2"), ("m0,m1,m5", "s0-up")])
def test_a_link_that_two_nodes_share_bounds_their_rate(cluster, programs, nodes, link):
    """Each sender's own link bounds it to the same rate, so one sender alone need not wait anywhere else."""
    before = queues()[link]
    assert stream(programs, nodes, 5) < LINK
    after = queues()[link]

    assert after["options"]["rate"] == RATE and after["bytes"] - before["bytes"] > 10 << 20
    assert after["overlimits"] > before["overlimits"]


@pytest.mark.parametrize("nodes", ["m0,m1", "m0,m5"])
def test_a_small_token_bucket_is_enough_for_the_rate(cluster, programs, nodes):
    """8 KiB at most go out at once: of more, messages one after the other would partly be free. The kernel divides what is
    longer. On a busy machine the CPUs may be what is slow: then once more."""
    bursts = {queue["options"]["burst"] for queue in queues().values() if queue["kind"] == "tbf"}
    assert bursts and all(7 << 10 < burst <= 8 << 10 for burst in bursts), bursts  # the kernel counts in ticks

    def rate():
        reached = stream(programs, nodes, 10)
        assert reached < LINK
        return reached

    until(lambda: rate() > 0.9 * RATE / 1e6, "the link reaches nine tenths of its rate")


def test_both_directions_of_half_duplex_links_share_a_bucket(traceless, tmp_path):
    """Of nodes' ports and of uplinks."""
    with open(os.path.join(HERE, "shapes", "8x2.yaml"), encoding="utf-8") as file:
        text = file.read()
    half = text.replace("fast-ethernet: {", "fast-ethernet: {duplex: half, ")
    assert half != text
    (tmp_path / "half.yaml").write_text(half, encoding="utf-8")
    good("up", str(tmp_path / "half.yaml"))
    good("exec", "srun", "-N8", "-n8", "true")

    buckets = {device: queue for device, queue in queues().items() if queue["kind"] == "tbf"}
    assert set(buckets) == {f"hd-m{i}" for i in range(8)} | {"hu-s0", "hu-s1"} and all(queue["options"]["rate"] == RATE for queue in buckets.values())
    for device, bucket in (("m1", "hd-m1"), ("s1-up", "hu-s1")):
        for direction in ("ingress", "egress"):
            asked = patience.run(["tc", "-s", "-n", namespace(), "filter", "show", "dev", device, direction], capture_output=True, text=True, check=True)
            assert f"Redirect to device {bucket}" in asked.stdout and int(re.search(r"Sent (\d+) bytes", asked.stdout)[1]) > 5_000, asked.stdout
    inside = patience.run(["tc", "-j", "-n", f"{namespace()}-m1", "qdisc", "show", "dev", "eth0"], capture_output=True, text=True, check=True)
    assert not any(queue["kind"] == "tbf" for queue in json.loads(inside.stdout)), inside.stdout


def test_all_that_nodes_send_into_a_switch_shares_a_bucket(traceless, tmp_path):
    """From its own nodes and from other switches, and what leaves the cluster's root not."""
    with open(os.path.join(HERE, "shapes", "8x2.yaml"), encoding="utf-8") as file:
        text = file.read()
    slow = text.replace("  s1:   {", "  s1: {max_bandwidth: 130 Mbit/s, ").replace("  core: {", "  core: {max_bandwidth: 150 Mbit/s, ")
    (tmp_path / "slow.yaml").write_text(slow, encoding="utf-8")
    good("up", str(tmp_path / "slow.yaml"))
    good("exec", "srun", "-N8", "-n8", "true")

    rates = {device: queue["options"]["rate"] for device, queue in queues().items() if queue["kind"] == "tbf" and device.startswith("mb.")}
    assert rates == {"mb.s1": 130e6 / 8, "mb.core": 150e6 / 8}
    for device, bucket in (("m5", "mb.s1"), ("s1-up", "mb.s1"), ("s1-dn", "mb.core"), ("s0-dn", "mb.core")):
        asked = patience.run(["tc", "-s", "-n", namespace(), "filter", "show", "dev", device, "ingress"], capture_output=True, text=True, check=True)
        assert f"Redirect to device {bucket}" in asked.stdout and int(re.search(r"Sent (\d+) bytes", asked.stdout)[1]) > 1_000, asked.stdout
    for device in ("m0", "s0-up", "login"):
        asked = patience.run(["tc", "-j", "-n", namespace(), "qdisc", "show", "dev", device], capture_output=True, text=True, check=True)
        assert not any(queue["kind"] == "clsact" for queue in json.loads(asked.stdout)), asked.stdout


def test_ranks_of_a_node_share_memory(cluster, programs):
    """Or the loopback device: the link does not bound them."""
    out = good("exec", "srun", "-wm0", "-N1", "-n2", f"{programs}/stream", "50")
    assert float(out.split()[3]) > LINK, out


def test_uplink_is_shared(cluster):
    shaped = {device for device, queue in queues().items() if queue["kind"] == "tbf" and queue["options"]["rate"] == RATE}
    assert shaped == {f"m{i}" for i in range(8)} | {"s0-up", "s0-dn", "s1-up", "s1-dn"}


def test_only_tmp_and_shm_are_private(cluster, programs):
    script = f"test -e {programs}/hello && test -e {TESTBED} && ls /tmp /dev/shm && touch /tmp/mark /dev/shm/mark"
    for node in ("m0", "m1"):
        assert "mark" not in good("exec", "srun", "-w", node, "-n1", "sh", "-c", script)
    assert "mark" in good("exec", "srun", "-wm0", "-n1", "ls", "/tmp")


def test_exec_becomes_the_command(cluster):
    assert run("exec", "sh", "-c", "exit 7").returncode == 7
    assert good("exec", "cat", input="through") == "through"
    assert good("exec", "hostname") == "login\n"
    assert good("exec", "--user", "nobody", "srun", "-n1", "id", "-un") == "nobody\n"
    assert good("exec", "readlink", "/proc/self/ns/net").strip() != os.readlink("/proc/self/ns/net")
    process = subprocess.Popen([TESTBED, "--name", NAMES[0], "exec", "sleep", "100"])
    until(lambda: open(f"/proc/{process.pid}/comm", encoding="utf-8").read() == "sleep\n", "exec becomes sleep")
    process.terminate()
    assert patience.wait(process, 60) == -signal.SIGTERM


def test_plugstack_is_exchanged_while_it_runs(cluster, tmp_path):
    (tmp_path / "lines").write_text("required /nowhere/missing.so\n")
    good("plugstack", str(tmp_path / "lines"))
    assert "missing.so" in run("exec", "srun", "-n1", "true").stderr
    good("plugstack", "none")
    good("exec", "srun", "-n1", "true")


def test_two_side_by_side(cluster, programs, release):
    before = leftovers.snapshot()
    good("up", "4x4-1g", "--release", release.name, name=NAMES[1])
    lines = good("exec", "srun", "-N4", "-n16", f"{programs}/hello", name=NAMES[1]).splitlines()
    assert sorted((line.split()[3], line.split()[-1]) for line in lines) == [
        (f"m{node}", str(cpu)) for node in range(4) for cpu in range(4)]
    assert "m7" in good("exec", "srun", "-N8", "hostname")
    good("down", name=NAMES[1])
    assert leftovers.left_behind(before, leftovers.other_testbeds(PLACES)) == set()
    assert "m7" in good("exec", "srun", "-N8", "hostname")


@pytest.mark.skipif(not os.path.exists("/sys/fs/cgroup/cpuset/cpuset.cpus"), reason="no control groups of version 1")
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_the_machines_own_cpus(traceless, release):
    up = ["up", "8x2", "--release", release.name, "--real-cpus", "--set", "TaskPlugin=task/cgroup"]
    done = run(*up, name=NAMES[1], preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    assert done.returncode == 1 and "m0 has 2 CPUs, this machine 1" in done.stderr
    good(*up, name=NAMES[1])
    show = "grep Cpus_allowed_list /proc/self/status"
    lines = good("exec", "srun", "-N2", "-n2", "sh", "-c", show, name=NAMES[1]).splitlines()
    assert [len(line.split()[1].split("-")) for line in lines] == [1, 1], lines
    client = subprocess.Popen([TESTBED, "--name", NAMES[1], "exec", "srun", "-n1", "-wm1", "sleep", "1000"])
    until(lambda: pids(f"{namespace(NAMES[1])}-m1", "sleep"), "a task on m1")
    good("down", name=NAMES[1])
    patience.wait(client, 60)


# going away

def test_down_after_a_crash(traceless, release):
    up = ["up", "4x4-100m", "--release", release.name]
    good(*up, name=NAMES[1])
    prefix = namespace(NAMES[1])
    client = subprocess.Popen([TESTBED, "--name", NAMES[1], "exec", "srun", "-n1", "-wm1", "sh", "-c",
                               "trap '' TERM; setsid sleep 1000 & wait"])
    until(lambda: pids(f"{prefix}-m1", "sleep"), "a task on m1")
    for pid in pids(prefix, "slurmctld") + pids(f"{prefix}-m0", "slurmd") + pids(f"{prefix}-m2", "munged"):
        os.kill(pid, signal.SIGKILL)
    until(lambda: not pids(f"{prefix}-m0", "slurmd"), "the end of m0's slurmd")
    done = run("status", name=NAMES[1])
    assert done.returncode == 1 and "slurmctld dead\nm0 dead" in done.stdout
    assert "is up" in good(*up, name=NAMES[1])  # notices, and starts afresh
    assert patience.wait(client, 60) == -signal.SIGKILL
    for pid in pids(namespace(NAMES[1]), "slurmctld"):
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("deadly", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("moment", ["testbed.json", "slurm.conf", "log"])
def test_interrupted_up(traceless, deadly, moment):
    process = subprocess.Popen([TESTBED, "--name", NAMES[1], "up", "4x4-100m"], stderr=subprocess.DEVNULL)
    until(lambda: os.path.exists(os.path.join(PLACES[1], moment)), moment)
    process.send_signal(deadly)
    assert patience.wait(process, 60) != 0
    if deadly != signal.SIGKILL:
        assert not os.path.exists(PLACES[1])


def test_interrupted_before_a_daemon_is_in_its_namespace(traceless, tmp_path):
    begun = tmp_path / "begun"  # has a file for each daemon, named as its process: they begin beside each other
    begun.mkdir()
    os.mkfifo(tmp_path / "never")
    slow = tmp_path / "nsenter"  # is there, and can never be recognised as a daemon
    slow.write_text(f"#!/bin/sh\ncase $* in *munged*) : > {begun}/$$; : < {tmp_path}/never ;; esac\n"
                    f'exec {shutil.which("nsenter")} "$@"\n')
    slow.chmod(0o755)
    process = subprocess.Popen([TESTBED, "--name", NAMES[1], "up", "4x4-100m"], stderr=subprocess.DEVNULL,
                               env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    until(lambda: os.listdir(begun), "a daemon that begins")

    process.send_signal(signal.SIGINT)

    assert patience.wait(process, 60) == 130
    assert not os.path.exists(PLACES[1])
    assert [pid for pid in os.listdir(begun) if os.path.exists(f"/proc/{pid}")] == []


def test_a_directory_of_its_own(traceless, release):
    place = tempfile.mkdtemp(dir="/tmp")  # under the /tmp that nodes do not see
    inside = os.path.join(place, "bed")
    try:
        assert "is up" in good("up", "4x4-1g", "--dir", inside, "--release", release.name, name=NAMES[1])
        assert good("exec", "--dir", inside, "srun", "-N4", "--label", "true", name=NAMES[1]) == ""
    finally:
        good("down", "--dir", inside, name=NAMES[1])
    os.rmdir(place)


def test_down_when_nothing_is_up(traceless):
    assert "nothing to do" in good("down", name=NAMES[1])
    done = run("status", name=NAMES[1])
    assert (done.returncode, done.stdout) == (1, f"testbed {NAMES[1]} is down\n")


# errors: one line each

BAD = {
    "mistyped": (["stauts"], "usage:"),
    "nothing": ([], "usage:"),
    "unknown shape": (["up", "9x9"], "shipped: 4x4-100m 4x4-1g 8x2"),
    "no YAML": (["up", "/etc/passwd"], "/etc/passwd: not a cluster YAML"),
    "a directory in use": (["up", "--dir", "/etc"], "/etc is not empty and no testbed"),
    "no plugstack": (["up", "--plugstack", "/nowhere"], "no file /nowhere"),
    "a bad name": (["--name", "a/b", "up"], "no name of a testbed"),
    "exec when down": (["exec", "true"], "is not up"),
    "unknown release": (["up", "--release", "1.0"], "unknown release '1.0'; known: 22.05 24.11 26.05"),
    "unknown root": (["root", "1.0"], "unknown release '1.0'; known: 22.05 24.11 26.05"),
}


@pytest.mark.parametrize("case", BAD)
def test_an_error_is_one_line(traceless, case):
    arguments, message = BAD[case]
    done = run(*arguments, name=NAMES[1])
    assert done.returncode != 0 and done.stdout == ""
    assert message in done.stderr and done.stderr.count("\n") == 1 and done.stderr.startswith("testbed: ")


def test_somebody_elses_mount_is_left_alone(traceless, tmp_path):
    """A testbed mounts over its directory, and takes that off in the end: it must be its own."""
    subprocess.run(["mount", "-t", "tmpfs", "none", tmp_path], check=True)
    try:
        done = run("up", "--dir", str(tmp_path), name=NAMES[1])
        assert done.returncode != 0 and done.stderr.startswith(f"testbed: {tmp_path} is a mount point"), done
        assert os.path.ismount(tmp_path)
    finally:
        subprocess.run(["umount", tmp_path], check=True)


# roots

@pytest.fixture(name="slow")
def _slow(tmp_path, monkeypatch):
    """A debootstrap that says that it started, and takes for ever."""
    (tmp_path / "bin").mkdir()
    debootstrap = tmp_path / "bin/debootstrap"
    debootstrap.write_text(f"#!/bin/sh\nmkdir -p \"$3\"; mount -t tmpfs none \"$3\"; sleep 987654 & touch {tmp_path}/started; wait\n")
    debootstrap.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("COMMMAP_TESTBED_ROOTS", str(tmp_path / "roots"))
    return debootstrap


@pytest.mark.parametrize("deadly", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_killed_attempt_leaves_no_root(tmp_path, slow, deadly):
    process = subprocess.Popen([TESTBED, "root", "24.11"], stderr=subprocess.DEVNULL)
    until((tmp_path / "started").exists, "debootstrap has started")
    process.send_signal(deadly)
    assert patience.wait(process, 60) != 0

    until(lambda: patience.run(["pgrep", "-f", "sleep 987654"], stdout=subprocess.DEVNULL).returncode != 0, "what debootstrap started has ended")
    assert "/roots/" not in open("/proc/mounts", encoding="utf-8").read()
    assert "24.11  " + str(tmp_path / "roots/24.11") + "  (not made)" in good("root").splitlines()
    assert "no root of Slurm 24.11 in " in run("up", "--release", "24.11").stderr
    slow.write_text("#!/bin/sh\necho 'E: no such mirror'; exit 1\n")
    done = run("root", "24.11")
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == "testbed: debootstrap failed: E: no such mirror"
    assert os.listdir(tmp_path / "roots") == [".lock"]


def test_a_command_in_a_root(release, tmp_path):
    (tmp_path / "here").touch()
    assert good("root", release.name, "ls", cwd=tmp_path) == "here\n"
    assert run("root", release.name, "sh", "-c", "exit 7").returncode == 7
    assert good("root", release.name, "dpkg-query", "-Wf${Version}", "slurm-client").startswith(f"{release.name}.")


@pytest.mark.parametrize("change, message", [
    (("100 Mbit/s", "100"), "needs a number with a unit"),
    (('class: dual, link: fast-ethernet}\nx', 'class: dual, max_bandwidth: 1 Gbit/s, link: {bandwidth: 100 Mbit/s, duplex: half}}\nx'),
     "switch s1 has max_bandwidth and a half-duplex port"),
    (("s0:", "s9:"), "unknown child s0"),
    (("class: dual", "class: nosuch"), "unknown class nosuch"),
    (("subnets", "subnet"), "unknown key x-emulation.subnet"),
    (("m[5-7]", "m[4-7]"), "a node stands twice"),
    (("m[5-7]", "m5, login, m7"), "the name of one of the emulation's own hosts"),
])
def test_an_error_in_a_shape_is_one_line(tmp_path, change, message):
    with open(os.path.join(HERE, "shapes", "8x2.yaml"), encoding="utf-8") as file:
        (tmp_path / "shape.yaml").write_text(file.read().replace(*change))
    done = run("up", str(tmp_path / "shape.yaml"), name=NAMES[1])
    assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1


def test_not_root_is_one_line():
    done = run("up", user="nobody", group="nogroup", extra_groups=[])
    assert done.returncode == 1 and done.stderr == "testbed: needs root (network namespaces, mounts)\n"


def test_a_missing_tool_is_named(monkeypatch):
    loader = importlib.machinery.SourceFileLoader("testbed_script", TESTBED)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("testbed_script", loader))
    loader.exec_module(module)
    monkeypatch.setitem(module.TOOLS, "no-such-tool", "some-package")
    with pytest.raises(module.Problem, match="'no-such-tool' is missing: install the package some-package"):
        module.need_tools()


def test_rates_and_cpus_come_from_the_yaml(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(os.path.join(HERE, "lib"))
    shape = importlib.import_module("shape")
    (tmp_path / "shape.yaml").write_text("""
links:
  bb: {out: {bandwidth: {1 KiB: 20 MB/s}, max_bandwidth: 25 MB/s}, in: {bandwidth: {1 KiB: 1 MB/s, 1 MiB: 5 MB/s}}}
node_classes:
  a: {hwloc: {synthetic: "package:2 l3:1 core:2 pu:2"}, link: {bandwidth: 200 Mbit/s, duplex: half}}
  b: {hwloc: {synthetic: "core:1 pu:1"}}
switches:
  top: {switches: [leaf], nodes: "x[01-02]", class: b}
  leaf: {nodes: [{names: "a1,b[1-2]", class: a}], link: bb}
""")
    cluster = shape.read(str(tmp_path / "shape.yaml"))
    assert [node.name for node in cluster.nodes] == ["x01", "x02", "a1", "b1", "b2"]
    leaf = next(switch for switch in cluster.switches if switch.name == "leaf")
    assert (leaf.uplink.out, leaf.uplink.into) == (200e6, 40e6)
    assert [node.port.out for node in cluster.nodes] == [None, None, 200e6, 200e6, 200e6]
    assert [node.port.half_duplex for node in cluster.nodes] == [False, False, True, True, True] and not leaf.uplink.half_duplex
    cpus = cluster.nodes[2].cpus
    assert (cpus.sockets, cpus.cores, cpus.threads) == (2, 2, 2)
