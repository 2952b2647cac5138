# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Where a testbed lives and what is known about it: its directory, its number, its record.

The number is taken by a symbolic link REGISTRY/.index/NUMBER -> DIRECTORY, made before anything else and
removed after everything else: whatever happens in between, `down` finds by it what belongs to the directory.
Namespaces and the subnet are named after the number.
"""

import contextlib
import fcntl
import json
import os
import re
import shutil
import subprocess

import release as releases
from problem import Problem

REGISTRY = "/run/commmap-testbed"
INDEX = os.path.join(REGISTRY, ".index")
OURS = "commmap-testbed"  # the source of the mount


def _run(words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Problem(f"{' '.join(words)}: {done.stderr.strip()}")


class State:
    def __init__(self, name, directory=None):
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,30}", name):
            raise Problem(f"'{name}' is no name of a testbed: letters, digits, '_', '-' and '.'")
        self.name = name
        self.dir = os.path.realpath(directory or os.path.join(REGISTRY, name))
        self.record = {}

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    # the number

    @property
    def number(self):
        with contextlib.suppress(FileNotFoundError):
            for entry in os.listdir(INDEX):
                with contextlib.suppress(OSError):
                    if os.readlink(os.path.join(INDEX, entry)) == self.dir:
                        return int(entry)
        return None

    @property
    def prefix(self):
        return f"cmtb{self.number}"

    def take_number(self, limit):
        if os.path.isdir(self.dir) and os.listdir(self.dir):
            raise Problem(f"{self.dir} is not empty and no testbed")
        if os.path.ismount(self.dir):
            raise Problem(f"{self.dir} is a mount point: a testbed needs a directory of its own, which it mounts over")
        for number in range(limit):
            os.makedirs(INDEX, exist_ok=True)
            with contextlib.suppress(FileExistsError):
                os.symlink(self.dir, os.path.join(INDEX, str(number)))
                return number
        raise Problem(f"all {limit} subnets are taken by other testbeds (see {INDEX})")

    def make_directory(self):
        """In memory: Slurm makes and removes so many files that a disk's file system would cost a tenth of the CPU time."""
        os.makedirs(self.dir, exist_ok=True)
        _run(["mount", "-t", "tmpfs", "-o", "mode=755", OURS, self.dir])

    def _is_ours_on_top(self):
        """Whether the directory is the testbed's own mount: nobody else's is taken off."""
        with open("/proc/self/mounts", encoding="utf-8") as file:
            sources = [line.split()[0] for line in file if line.split()[1] == self.dir]
        return sources[-1:] == [OURS]

    def remove(self):
        """Last act of `down`."""
        number = self.number
        if number is None:
            return
        while self._is_ours_on_top():
            _run(["umount", "--lazy", self.dir])
        if os.path.isdir(self.dir):
            shutil.rmtree(self.dir)
        os.unlink(os.path.join(INDEX, str(number)))
        for directory in (INDEX, REGISTRY):
            with contextlib.suppress(OSError):
                os.rmdir(directory)

    # the record

    def load(self):
        try:
            with open(self.path("testbed.json"), encoding="utf-8") as file:
                self.record = json.load(file)
        except (OSError, ValueError):
            self.record = {}
        return self

    @property
    def release(self):
        return releases.find(self.record.get("release", releases.DEFAULT))

    def save(self, **more):
        self.record.update(more)
        self.write("testbed.json", json.dumps(self.record, indent=1) + "\n")

    def write(self, name, text, mode=0o644):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path + ".new", mode)
        os.replace(path + ".new", path)

    # one `up` or `down` of a testbed at a time

    @contextlib.contextmanager
    def lock(self):
        """Holds the parent directory's lock: the testbed's own directory comes and goes."""
        parent = os.path.dirname(self.dir)
        while True:
            os.makedirs(parent, exist_ok=True)
            fd = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(fd, fcntl.LOCK_EX)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(fd), os.stat(parent)):
                    break
            os.close(fd)  # removed while we waited
        try:
            yield
        finally:
            os.close(fd)
            if parent == REGISTRY:
                with contextlib.suppress(OSError):
                    os.rmdir(REGISTRY)
