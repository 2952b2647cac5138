# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What commmap does wrong with a release of Slurm, and nobody has put right yet: these tests have to fail there.

One that passes is an error too: its row goes. What a release itself lacks is in tests/testbed/lib/release.py.
"""

# release -> start of the test's id, without its folder -> why
FAULTS = {}


def fault(release, test):
    """Why this test has to fail, or None. A row without parameters stands for the test with any."""
    for start, why in FAULTS.get(release, {}).items():
        if test.startswith(start) if "[" in start else test.split("[")[0] == start:
            return why
    return None
