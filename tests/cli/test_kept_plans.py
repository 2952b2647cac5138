# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Plans that are kept: the same question again, and plans that the deadline cut short."""

import fcntl
import json
import os
import pathlib
import platform
import re

import patience
import planners
import pytest
from own_name import own_name

PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
BUILD = pathlib.Path(os.environ["COMMMAP_BUILD"])
RANKS = 1024
CLUSTER = """\
version: 1
links: {net: {bandwidth: 100 MB/s}, up: {bandwidth: 200 MB/s}}
node_classes:
  wide: {hwloc: {synthetic: "core:8 pu:1"}, link: net}
switches:
  top: {switches: [a, b]}
  a: {nodes: "n[0-63]", class: wide, link: up}
  b: {nodes: "n[64-127]", class: wide, link: up}
"""


class Planner:
    def __init__(self, home):
        self.home = home
        self.program = PREFIX / "bin/commmap"
        (home / "cluster.yaml").write_text(CLUSTER)
        patience.run([BUILD / "tests/cli/make_profile", home / "app.commmap", str(RANKS), str(RANKS // 2 - 3), "1000000"], check=True)

    def plan(self, *more):
        done = patience.run(
            [self.program, "plan", "--profile", self.home / "app.commmap", "--nodelist", "n[0-127]", "--cpus-per-node", "8(x128)",
             "--ntasks", str(RANKS), "--report", "plan.json", *more],
            capture_output=True, text=True, cwd=self.home,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.home), "COMMMAP_CLUSTER": str(self.home / "cluster.yaml")})
        assert done.returncode == 0 and done.stderr == "" and done.stdout.endswith("\nend\n"), done
        return done.stdout

    def plan_in_time(self, *more):
        """The answer within the budget of cut_short(), which a busy machine can use up before the kept plan is read."""
        for _ in range(100):
            answer = self.plan(*self.budget, *more)
            if "line planning took too long; launching as without commmap\n" not in answer:
                return answer
        raise AssertionError(f"never in time: {answer}")

    @property
    def kept(self):
        """The file; none: nothing is kept."""
        found = list((self.home / ".cache/commmap" / own_name("plans")).glob("*.plan"))
        assert len(found) <= 1
        return found[0] if found else None

    def launches_left(self):
        return planners.cut_short_and_launches_left(self.kept)[1]

    def launch_that_improves(self):
        """Answers with what is kept, and goes on."""
        left = self.launches_left()
        planners.launch_until(self.home, self.plan_in_time, lambda: self.launches_left() < left, "the plan is kept with fewer launches left")

    def cut_short(self, *more):
        """The answer of a plan that had no time for all candidates, but for one. How long that is depends on the machine."""
        budget_s = 0.005
        while True:
            self.budget = ("--budget", str(budget_s))
            answer = self.plan(*self.budget, *more)
            if self.kept:
                return answer
            budget_s *= 1.5
            assert budget_s < 100

    def cost_s(self):
        """Of the placement in the last report."""
        report = json.loads((self.home / "plan.json").read_text())
        return next(row["port_cost_s"] for row in report["candidates"] if row["chosen"])


@pytest.fixture
def planner(tmp_path):
    return Planner(tmp_path)


def test_a_finished_plan_is_the_same_byte_for_byte(planner):
    answer = planner.plan()
    report = (planner.home / "plan.json").read_bytes()
    kept = planner.kept.read_bytes()
    assert planner.launches_left() == 0
    assert planner.plan() == answer
    assert (planner.home / "plan.json").read_bytes() == report
    assert planner.kept.read_bytes() == kept


def test_another_build_plans_anew(planner):
    """The question has the hash of the sources of `commmap` in it. The other build here is a copy with another hash."""
    answer = planner.plan()
    first = planner.kept
    generated = (BUILD / "src/cli/generated/cli/plan/plan_sources_generated.hpp").read_text()
    # only half of it: the compiler may make two numbers of the text
    half = re.search(r'plan_sources\[\] = "(\w{8})\w{8}"', generated)[1].encode()
    content = planner.program.read_bytes()
    if half not in content and platform.machine() != "x86_64":
        pytest.skip("this machine's code has no numbers of 8 bytes in it")
    assert half in content
    planner.program = planner.home / "commmap"
    planner.program.write_bytes(content.replace(half, half.translate(bytes.maketrans(b"0123456789abcdef", b"123456789abcdef0"))))
    planner.program.chmod(0o755)
    assert planner.plan() == answer
    assert len(list(first.parent.glob("*.plan"))) == 2
    planner.plan()
    assert len(list(first.parent.glob("*.plan"))) == 2


def test_a_plan_that_was_cut_short_is_improved_by_three_launches(planner):
    planner.cut_short()
    assert planner.launches_left() == 3
    cost_s = float("inf")
    for _ in range(3):
        if planner.launches_left() == 0:
            break
        planner.launch_that_improves()
        assert planner.cost_s() <= cost_s
        cost_s = planner.cost_s()
        planners.until_none_is_at_work(planner.home)
    assert planner.launches_left() == 0
    finished = planner.plan_in_time()
    assert planner.cost_s() <= cost_s
    assert planner.plan_in_time() == finished


def test_more_time_is_used(planner):
    """A plan that was cut short is none for who has more time, but its placements are candidates still."""
    planner.cut_short("--verbose")
    cost_s = planner.cost_s()
    anew = planner.plan("--verbose")  # no budget
    assert "line linear, earlier " in anew and planner.cost_s() <= cost_s
    assert "planned anew: it was cut short after " in anew and "ms, and this launch has more time" in anew
    assert "there was no time" not in anew
    assert planner.launches_left() == 0
    assert "planned anew" not in planner.plan_in_time("--verbose")


def test_one_planner_at_a_time_improves_a_plan(planner):
    planner.cut_short()
    kept = planner.kept.read_bytes()
    with open(planner.kept.parent / ".lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        planner.plan_in_time()
        patience.until(lambda: not planners.is_running(planner.home), 60, "the planner has gone")
        assert planner.kept.read_bytes() == kept
    planner.launch_that_improves()
    planners.until_none_is_at_work(planner.home)


def test_verbose_says_that_a_plan_is_not_finished(planner):
    first = planner.cut_short("--verbose")
    assert "line there was no time to look for a better placement" in first or "planning took too long" in first
    assert planner.plan_in_time("--verbose").startswith(
        "commmap-plan 2\nreport written\nline this plan is not finished: the search goes on for later launches\n")
    planners.until_none_is_at_work(planner.home)


def with_its_hash(kept, body):
    """Another body behind the first line of a kept plan, with the right hash."""
    digest = patience.run(["xxhsum", "-H128"], input=body, check=True, capture_output=True).stdout.split()[0]
    return kept.split(b"xxh128:")[0] + b"xxh128:" + digest + b"\n" + body


@pytest.mark.parametrize("damage, why", [
    (lambda text: text.replace(b"commmap-kept-plan 2 ", b"commmap-kept-plan 1 "), "it is of another version"),
    (lambda text: text[: len(text) // 2], "it is damaged or half written"),
    (lambda text: text[:-5] + b"x" + text[-4:], "it is damaged or half written"),
    (lambda text: with_its_hash(text, text.split(b"\n", 1)[1].replace(b"\nend\n", b"\n")), "it holds no answer"),
    (None, "another planner is still writing the plan, or died"),
], ids=["version", "half", "byte", "answer", "planner that died"])
def test_what_is_of_no_use_is_planned_anew(planner, damage, why):
    answer = planner.plan("--verbose")
    path = planner.kept
    whole = path.read_bytes()
    if damage:
        path.write_bytes(damage(whole))
    else:
        path.rename(f"{path}.new-Xy12Zz")
    anew = f"line the kept plan is not used, and planned anew: {why}\n"
    assert planner.plan("--verbose").replace(anew, "") == answer
    assert planner.kept.read_bytes() == whole
    if damage:
        path.write_bytes(damage(whole))
    else:
        path.rename(f"{path}.new-Xy12Zz")
    assert anew in planner.plan("--verbose")
