# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Runs a rank with memory for the recorder, as slurmstepd gives it, and looks whether it recorded: with_memory.py COMMAND..."""

import os
import subprocess
import sys

BYTES = 64 << 20  # core/profile/recording/record_state.hpp
STATE, FINISHED = 8, (2, 3, 5)


def main():
    fd = os.memfd_create("recorded", 0)
    os.ftruncate(fd, BYTES)
    file = os.fstat(fd)
    environment = {**os.environ, "COMMMAP_RECORD_MEMORY": f"{fd}:{file.st_dev}:{file.st_ino}",
                   "LD_PRELOAD": os.environ["RECORDER"], "COMMMAP_RECORD": "1"}
    done = subprocess.run(sys.argv[1:], env=environment, close_fds=False, check=False)
    state = int.from_bytes(os.pread(fd, 4, STATE), sys.byteorder)
    if done.returncode == 0 and state not in FINISHED:
        sys.exit(f"with_memory.py: it did not record (state {state})")
    sys.exit(done.returncode)


main()
