# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The time that a program reports about itself (srun's own start and end do not count)."""

import re

_BENCH = re.compile(r"^commmap-bench program=\S+ .*\btime_s=([0-9.]+) check=ok$", re.MULTILINE)
_LAMMPS = re.compile(r"^Loop time of ([0-9.eE+-]+) on \d+ procs", re.MULTILINE)


def reported_time_s(output):
    """Seconds from `commmap-bench ... time_s=` or the last `Loop time of`; None when there is none.

    An input for LAMMPS may warm up with a first `run`; the last one is the one that counts.
    """
    lines = _BENCH.findall(output) or _LAMMPS.findall(output)
    return float(lines[-1]) if lines else None
