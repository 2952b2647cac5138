# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Roots: directories with another Debian release, for the releases of Slurm that this machine's Debian does not have.

A root is made under another name and renamed when it is finished, so a killed attempt leaves none. What is mounted into
it is mounted in the mount namespace of who enters it, and goes with that.
"""

import contextlib
import ctypes
import fcntl
import os
import re
import shlex
import shutil
import subprocess
import time
from pathlib import Path

from problem import Problem

CHECKOUT = str(Path(__file__).resolve().parents[3])
STAMP = "commmap-testbed.packages"
RUN = ["slurm-wlm", "slurm-client", "munge", "openmpi-bin", "mpich", "libmpich-dev", "hwloc", "procps", "iproute2",
       "gfortran", "python3", "ca-certificates"]
# seen in a root as outside; also the checkout and the testbed's directory, where they are elsewhere
SEEN = ["/dev", "/proc", "/sys", "/run", "/tmp", "/var/tmp"]
# Users are the machine's. The root's own programs need none beyond root's.
FILES = ["/etc/passwd", "/etc/group", "/etc/hosts", "/etc/resolv.conf"]
UNSHARE = ["unshare", "--mount", "--propagation", "slave"]
MS_BIND, MS_REC = 0x1000, 0x4000


def place():
    return os.environ.get("COMMMAP_TESTBED_ROOTS") or "/var/cache/commmap-testbed"


def path(release):
    return os.path.join(place(), release.name)


def exists(release):
    return release.suite is None or os.path.isfile(os.path.join(path(release), STAMP))


def need(release):
    if not exists(release):
        raise Problem(f"no root of Slurm {release.name} in {place()}: testbed root {release.name}")


# entering

def _binds(root, more=()):
    """[(source, target)], targets made where they are missing"""
    seen = [source for source in SEEN if os.path.isdir(source)]
    for source in map(os.path.realpath, [CHECKOUT, *more]):
        if not any(source == other or source.startswith(other + "/") for other in seen):
            seen.append(source)
    for source in seen:
        os.makedirs(root + source, exist_ok=True)
    for source in FILES:
        if not os.path.lexists(root + source):
            Path(root + source).touch()
    return [(source, root + source) for source in seen + FILES if os.path.exists(source)]


def script(release, more=()):
    """Shell lines that mount what is seen in the root, and the words before a command that is to run in it."""
    if release.suite is None:
        return "", []
    root = path(release)
    lines = "".join(f"mount --rbind {shlex.quote(source)} {shlex.quote(target)}\n" for source, target in _binds(root, more))
    return lines, ["chroot", root]


def command(state, words):
    """`words` as a command in the root of the testbed's release, with the testbed's /etc/hosts"""
    lines, chroot = script(state.release, [state.dir])
    if not chroot:
        return list(words)
    hosts = state.path("etc", "hosts")
    if os.path.exists(hosts):
        lines = f"mount --bind {shlex.quote(hosts)} /etc/hosts\n" + lines
    return UNSHARE + ["sh", "-c", f'set -e\n{lines}exec "$@"', "sh", *chroot, *words]


def enter(release, more=()):
    """This process goes into the root. Its mount namespace must be its own already."""
    if release.suite is None:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    here = os.getcwd()
    for source, target in _binds(path(release), more):
        if libc.mount(os.fsencode(source), os.fsencode(target), None, ctypes.c_ulong(MS_BIND | MS_REC), None) != 0:
            raise Problem(f"mount {target}: {os.strerror(ctypes.get_errno())}")
    os.chroot(path(release))
    try:
        os.chdir(here)
    except OSError:
        os.chdir("/")


# making

def packages():
    with open(os.path.join(CHECKOUT, "scripts", "lib", "build-packages"), encoding="utf-8") as file:
        return sorted(set(RUN) | set(file.read().split()))


def make(release, say):
    """Makes the root, or adds what its list of packages has got since. True when there was something to do."""
    if release.suite is None or _stamp(path(release)) == packages():
        return False
    os.makedirs(place(), exist_ok=True)
    with _lock(say), contextlib.ExitStack() as undo:
        root = path(release)
        if _stamp(root) == packages():  # somebody else did, meanwhile
            return False
        begin = time.monotonic()
        if _stamp(root) is None:
            say(f"making the root of Slurm {release.name} (Debian {release.suite}) in {root}: some minutes")
            new = os.path.join(place(), f".{release.name}.new")
            shutil.rmtree(new, ignore_errors=True)
            undo.callback(shutil.rmtree, new, ignore_errors=True)
            _bootstrap(release, new)
        else:
            say(f"adding packages to {root}: {' '.join(sorted(set(packages()) - set(_stamp(root))))}")
            new = root
        _install(release, new)
        undo.pop_all()
        shutil.rmtree(root, ignore_errors=True) if new != root else None
        os.rename(new, root)
        say(f"the root of Slurm {release.name} is ready: {time.monotonic() - begin:.0f} s")
    return True


def _stamp(root):
    with contextlib.suppress(OSError):
        return Path(root, STAMP).read_text(encoding="utf-8").split()
    return None


@contextlib.contextmanager
def _lock(say):
    fd = os.open(os.path.join(place(), ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another one who makes a root")
            fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _mirror():
    """The one that this machine's own packages come from."""
    done = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Identifier: Packages"],
                          capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        uri, suite, component = (line.split() + ["", ""])[:3]
        if component == "main" and re.fullmatch(r"[a-z]+", suite) and "debian" in uri:
            return uri.rstrip("/")
    return "http://deb.debian.org/debian"


def _bootstrap(release, new):
    if not shutil.which("debootstrap"):
        raise Problem("'debootstrap' is missing: install the package debootstrap")
    words = [f"/usr/share/debootstrap/scripts/{release.script}"] if release.script else []
    _run(["debootstrap", "--variant=minbase", release.suite, new, _mirror(), *words], "debootstrap")
    for file in os.listdir("/etc/apt/apt.conf.d"):
        shutil.copy(os.path.join("/etc/apt/apt.conf.d", file), os.path.join(new, "etc/apt/apt.conf.d"))
    policy = Path(new, "usr/sbin/policy-rc.d")  # no package starts its service
    policy.write_text("#!/bin/sh\nexit 101\n", encoding="utf-8")
    policy.chmod(0o755)


def _install(release, root):
    apt = ["sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -qy "$@"',
           root, *release.apt]
    _run([*apt, "update"], "apt-get update")
    _run([*apt, "-o", "Dpkg::Options::=--force-unsafe-io", "--no-install-recommends", "install", *packages()], "apt-get install")
    _run([*apt, "clean"], "apt-get clean")
    Path(root, STAMP).write_text("\n".join(packages()) + "\n", encoding="utf-8")


def _run(words, what):
    """In mount and process namespaces of its own: whatever it started and mounted ends with it, also when this process is killed."""
    environment = {**os.environ, "PATH": os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin"}
    environment.pop("LD_PRELOAD", None)
    alone = ["setpriv", "--pdeathsig", "KILL", *UNSHARE, "--pid", "--fork", "--kill-child", "--"]
    done = subprocess.run(alone + words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False, env=environment)
    if done.returncode:
        last = [line for line in done.stdout.splitlines() if line.startswith(("E:", "W:", "dpkg: error"))] or done.stdout.splitlines()
        raise Problem(f"{what} failed: {last[-1].strip() if last else f'exit code {done.returncode}'}")
