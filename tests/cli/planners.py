# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What tests of kept plans wait for."""

import fcntl

import patience
import retries
from own_name import own_name

LAUNCHES = 3  # that improve an unfinished plan, at most


def kept_plan(home):
    [plan] = (home / ".cache/commmap" / own_name("plans")).glob("*.plan")
    return plan


def cut_short_and_launches_left(plan):
    """Of a kept plan: after how many milliseconds its search was cut short (0: it is finished), and how many launches go on with it."""
    cut_short_at_ms, left, search_bytes = map(int, plan.read_bytes().split(b"\n\n", 1)[1].split(b"\n", 1)[0].split())
    assert (cut_short_at_ms == 0) == (search_bytes == 0) and (cut_short_at_ms > 0 or left == 0)
    return cut_short_at_ms, left


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


def launch_until(home, launch, look, what):
    """Launches until `look` gives something true, and gives that. What a launch leaves behind has ten seconds and 0.1 s of CPU time:
    on a busy machine it may be ended too early. The next launch tries again, as often as a plan is improved."""
    for attempt in range(LAUNCHES):
        if attempt:
            retries.note(f"{what}: not before what was left behind was ended")
        launch()
        patience.until(lambda: look() or not is_running(home), 60, what)
        seen = look()
        if seen:
            return seen
    raise AssertionError(f"{what}: not in {LAUNCHES} launches")
