# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What tests of kept plans wait for."""

import fcntl

import patience
from own_name import own_name


def lock_is_free(home):
    """A process that ends loses its command line before its files: pgrep may not see it while it still has the lock."""
    try:
        with open(home / ".cache/commmap" / own_name("plans") / ".lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except FileNotFoundError:
        return True
    except BlockingIOError:
        return False


def is_running(home):
    return patience.run(["pgrep", "-f", f"commmap plan --profile {home}"], capture_output=True).returncode == 0


def until_none_is_at_work(home):
    """What a planner leaves behind works on after the answer."""
    patience.until(lambda: not is_running(home) and lock_is_free(home), 60, "no planner is at work")
