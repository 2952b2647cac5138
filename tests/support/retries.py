# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""A test that tries something again notes it here: a run that passes only for that reason has to say so.

The environment variable COMMMAP_RETRIES names the file for the notes. scripts/test sets it, prints all notes at its end,
and fails when there are too many. A loop that waits for a condition tries nothing again. Nor does a loop that repeats a
scenario on purpose. tests/support/retries.hpp writes the same lines in C++.
"""

import json
import os

VARIABLE = "COMMMAP_RETRIES"


def running_test():
    """Names the running test as pytest does, without the stage: "tests/slurm/test_signals.py::test_as_plain[a]"."""
    return os.environ.get("PYTEST_CURRENT_TEST", "no test").rpartition(" (")[0] or "no test"


def note(why, what=None):
    """Counts one retry, of the running test unless `what` names something else. Writes nothing when nobody counts."""
    path = os.environ.get(VARIABLE)
    if not path:
        return
    line = json.dumps({"what": what or running_test(), "why": why}) + "\n"
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        os.write(file, line.encode())  # at once: tests that run beside each other write to the same file
    finally:
        os.close(file)


def read(path):
    """Gives all notes of the file in their order: [{"what": ..., "why": ...}]. Without the file there are none."""
    try:
        with open(path, encoding="utf-8") as file:
            return [_note_of(line) for line in file]
    except FileNotFoundError:
        return []


def _note_of(line):
    try:
        return json.loads(line)
    except ValueError:  # of a test that was killed while it wrote
        return {"what": "a note that cannot be read", "why": line.strip()}
