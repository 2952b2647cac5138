# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What a testbed could leave on the host, as a set of lines: links, namespaces, mounts, processes, directories."""

import contextlib
import glob
import os
import re

import patience

REGISTRY = "/run/commmap-testbed"


def _lines(*command):
    return patience.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def _processes():
    names = {}
    for path in glob.glob("/run/netns/*"):
        with contextlib.suppress(OSError):
            names[f"net:[{os.stat(path).st_ino}]"] = os.path.basename(path)
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                command = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
            with open(f"/proc/{pid}/environ", "rb") as file:
                conf = re.search(rb"(?:^|\0)SLURM_CONF=([^\0]*)", file.read())
            network = os.readlink(f"/proc/{pid}/ns/net")  # fails for a zombie
            if network != os.readlink("/proc/1/ns/net") or re.match(r"\S*(slurm|munged|srun)", command):
                yield f"process {pid} {command} {conf[1].decode() if conf else ''} {names.get(network, '')}"


def snapshot():
    found = {"link " + line.split(":")[1].split("@")[0].strip() for line in _lines("ip", "-o", "link")}
    found |= {"netns " + line.split()[0] for line in _lines("ip", "netns")}
    with open("/proc/mounts", encoding="utf-8") as file:
        # /run/netns is ip's own, made with the first namespace of any program
        found |= {"mount " + line.split()[1] for line in file if line.split()[1] != "/run/netns"}
    found |= {"control group " + name for name in glob.glob("/sys/fs/cgroup/cpuset/cmtb[0-9]*")}
    found |= set(_processes())
    with contextlib.suppress(FileNotFoundError):
        found |= {f"directory {REGISTRY}/{name}" for name in os.listdir(REGISTRY) if name != ".index"}
        for name in os.listdir(f"{REGISTRY}/.index"):
            found.add(f"number cmtb{name} {os.readlink(f'{REGISTRY}/.index/{name}')}")
    return found


def left_behind(before, others):
    """New lines since `before`, but for those of other testbeds, given as [(prefix, directory)]."""
    def foreign(line):
        return any(re.search(rf"\b{prefix}\b", line) or re.search(rf"{re.escape(place)}(/|\s|$)", line)
                   for prefix, place in others)
    return {line for line in snapshot() - before if not foreign(line)}


def other_testbeds(own):
    """[(prefix, directory)] of all testbeds on this machine but those in the directories `own`"""
    found = []
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir(f"{REGISTRY}/.index"):
            with contextlib.suppress(FileNotFoundError):
                place = os.readlink(f"{REGISTRY}/.index/{name}")
                if place not in own:
                    found.append((f"cmtb{name}", place))
    return found
