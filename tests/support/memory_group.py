# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""A control group of its own, whose memory ends: the kernel kills who wants more. Control groups of version 1."""

import contextlib
import os

import patience

GROUPS = "/sys/fs/cgroup/memory"
THERE = os.path.exists(f"{GROUPS}/cgroup.procs")


@contextlib.contextmanager
def memory_group(mib):
    """Gives the file that a process's number is written to. The group goes when its last process is reaped."""
    group = f"{GROUPS}/commmap-full-{os.getpid()}"
    os.mkdir(group)
    # the second where swap is counted: without it the process would be swapped out
    for limit in ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"):
        if os.path.exists(f"{group}/{limit}"):
            with open(f"{group}/{limit}", "w", encoding="utf-8") as file:
                file.write(str(mib << 20))

    def removed():
        with contextlib.suppress(OSError):
            os.rmdir(group)
        return not os.path.exists(group)

    try:
        yield f"{group}/cgroup.procs"
    finally:
        patience.until(removed, 30, "that the last process of the control group is reaped")
