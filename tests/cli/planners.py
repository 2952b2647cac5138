"""What tests of kept plans wait for."""

import patience


def until_none_is_at_work(home):
    """What a planner leaves behind works on after the answer."""
    patience.until(lambda: patience.run(["pgrep", "-f", f"commmap plan --profile {home}"], capture_output=True).returncode != 0, 60,
                   "no planner is at work")
