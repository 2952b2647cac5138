# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""commmap history: records of launches, merged, shown, and forgotten."""

import json
import math
import os
import pathlib
import re
import shutil

import documented
import patience
import pytest
from own_name import own_name

PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
BUILD = pathlib.Path(os.environ["COMMMAP_BUILD"])


@pytest.fixture
def store(tmp_path):
    return tmp_path / ".cache/commmap"


@pytest.fixture
def commmap(tmp_path):
    def run(*arguments, **environment):
        env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **environment}
        return patience.run([PREFIX / "bin/commmap", *map(str, arguments)], env=env, cwd=tmp_path, capture_output=True, text=True)
    return run


@pytest.fixture
def launches(store):
    """Leaves records of so many launches"""
    step = iter(range(0, 1_000_000, 1000))

    def leave(launched, count, wall_s, program="app", identity="build-id:00", ranks=4, basis="3", mpi_s=0):
        patience.run([BUILD / "tests/cli/make_history", store, identity, program,
                      *map(str, (ranks, launched, count, wall_s, next(step), basis, mpi_s))], check=True)
    return leave


def shown(result):
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def test_nothing_is_known(commmap, store):
    assert shown(commmap("history")) == f"no runs are known in {store}/{own_name('history')} (srun --commmap=auto leaves a record of each)\n"
    assert shown(commmap("history", "--json")) == "[]\n"
    missing = commmap("history", "app")
    assert missing.returncode == 1
    assert missing.stderr == f"commmap: no runs of 'app' are known in {store}/{own_name('history')} (srun --commmap=auto leaves a record of each)\n"
    assert not store.exists(), "a question writes nothing"


def test_predicted_stands_beside_measured(commmap, launches):
    launches("profiled", 4, 1.0)
    launches("placed", 4, 0.84)
    lines = shown(commmap("history", "app")).splitlines()
    assert lines[0] == "app, 4 ranks on 2 nodes"
    assert lines[1].split() == "ended step launched measured predicted measured - predicted".split()
    assert lines[2].split() == "2026-09-21 14:13:20Z 12.0 profiled 1.00 s".split()
    assert lines[6].split() == "2026-09-21 14:30:00Z 12.1000 placed 840 ms 800 ms +5.0 % within 10.0 %".split()
    assert lines[10] == "placed 841 ms (4 runs), default 1.00 s (4 runs): 16.0 % shorter"
    assert lines[11].startswith("measured times are 5.2 % longer than predicted, give or take 0.1 % (4 runs)")
    assert len(lines) == 12
    assert shown(commmap("history")).splitlines()[1].split() == ["app", "4", "2", *lines[10].split()]


def test_with_fewer_than_three_there_is_nothing_to_compare_with(commmap, launches):
    launches("placed", 20, 5.0)
    launches("kept", 2, 1.0)
    assert shown(commmap("history", "app")).splitlines()[-2] == \
        "not enough runs to compare: 2 runs in Slurm's placement, 20 placed; three of each are needed"


def test_a_loss_brings_the_default_back_until_it_is_forgotten(commmap, launches, store):
    launches("kept", 8, 1.0)
    launches("placed", 8, 1.5)
    line = shown(commmap("history", "app")).splitlines()[-1]
    assert line.startswith("Slurm's own placement is back: ") and " as planned took 50." in line
    assert "reversed" in shown(commmap("history"))
    group = json.loads(shown(commmap("history", "app", "--json")))[0]["groups"][0]
    assert 45 < group["placed"][0]["reversed"]["slower_percent"] < 55
    assert group["placed"][0]["reversed"]["chance"] < 0.0012
    file = store / own_name("history") / "build-id-00-np4.history"
    assert shown(commmap("history", "app", "--forget")) == f"forgot {file}\n"
    assert not file.exists()
    assert commmap("history", "app").returncode == 1


def test_json(commmap, launches):
    launches("off", 3, 2.0, identity="build-id:00+large")
    launches("placed", 1, 1.0, identity="build-id:00+large")
    history, = json.loads(shown(commmap("history", "--json")))
    assert (history["program"], history["identity"], history["tag"], history["ranks"]) == ("app", "build-id:00", "large", 4)
    group, = history["groups"]
    assert group["default"] == {"runs": 3, "middle_s": pytest.approx(2.002)}
    assert group["placed"] == [{"basis": "0000000000000003", "runs": 1, "middle_s": 1.0, "slower_percent": None, "chance": None,
                                "reversed": None, "prediction": None}]
    assert [run["launched"] for run in group["runs"]] == ["off", "off", "off", "placed"]
    assert group["runs"][3] == {"ended": "2026-09-21T14:30:00Z", "job": 12, "step": 1000, "launched": "placed", "measured_s": 1.0,
                                "predicted_s": 0.8, "default_predicted_s": 1.0, "predicted_error": 0.1,
                                "placement": "0000000000000004"}
    documented.check([history], "user/history.md", "## JSON", absent=["error"])


def test_which_program(commmap, launches):
    launches("kept", 1, 1.0, "app", "build-id:00")
    launches("kept", 1, 1.0, "app", "build-id:00+large")
    launches("kept", 1, 1.0, "app", "build-id:00", 8)
    launches("kept", 1, 1.0, "other", "build-id:01")

    def found(*arguments):
        return [(one["identity"], one["tag"], one["ranks"]) for one in json.loads(shown(commmap("history", "--json", *arguments)))]
    assert len(found()) == 4
    assert found("app") == [("build-id:00", "large", 4), ("build-id:00", None, 4), ("build-id:00", None, 8)]
    assert found("app", "--tag", "large") == [("build-id:00", "large", 4)]
    assert found("app", "--tag", "") == [("build-id:00", None, 4), ("build-id:00", None, 8)]
    assert found("build-id-00-np8") == [("build-id:00", None, 8)]
    assert commmap("history", "nobody", "--json").returncode == 1


def test_forget_needs_a_program(commmap, launches):
    launches("kept", 1, 1.0)
    result = commmap("history", "--forget")
    assert result.returncode == 1 and result.stderr.startswith("commmap: whose history is to be forgotten?")
    assert commmap("history", "app", "--forget", "--json").returncode == 2
    assert "app" in shown(commmap("history"))


def test_what_cannot_be_read_is_said_in_a_line(commmap, launches, store):
    launches("kept", 1, 1.0)
    shown(commmap("history"))
    file = store / own_name("history") / "build-id-00-np4.history"
    good = file.read_bytes()
    other = store / own_name("history") / "build-id-0a-np4.history"
    other.write_bytes(good)
    assert f"'{other}': the file is of another program\n" in shown(commmap("history"))
    other.unlink()
    file.write_bytes(good[:-1])
    assert shown(commmap("history")) == f"'{file}': the file is damaged or half written\n"
    file.write_bytes(good.replace(b" 1 ", b" 2 ", 1))
    launches("kept", 1, 1.0)
    result = commmap("history", "build-id-00")
    assert result.returncode == 0
    assert result.stderr == f"commmap: '{file}': the file is of another version of commmap: its runs are not compared\n"
    assert result.stdout == f"'{file}': the file is of another version of commmap\n"
    assert json.loads(shown(commmap("history", "build-id-00", "--json")))[0]["error"].endswith("another version of commmap")
    assert commmap("history", "build-id-00", "--forget").returncode == 0
    launches("kept", 1, 1.0)
    (store / own_name("history") / "new/1.0-x.run").write_text("nonsense")
    assert commmap("history").stderr == "commmap: 1 record of a launch cannot be read and is removed\n"


def test_a_name_that_is_no_text_is_shown_in_a_line(commmap, launches):
    launches("kept", 1, 1.0, program="a\nb\x1b[31m")
    assert "a b" in shown(commmap("history"))
    assert "\x1b" not in shown(commmap("history"))
    json.loads(shown(commmap("history", "--json")))


class Launch:
    """What srun asks the planner before it launches ./app on 4 ranks, two a node, which all talk to the other node"""

    def __init__(self, commmap, home, store):
        self.commmap = commmap
        self.store = store
        (home / "cluster.yaml").write_text("""\
version: 1
links: {net: {bandwidth: 100 MB/s}}
node_classes:
  small: {hwloc: {synthetic: "core:2 pu:1"}, link: net}
switches: {s: {nodes: "n[0-1]", class: small}}
""")
        self.cluster = home / "cluster.yaml"
        shutil.copy(BUILD / "tests/cli/make_profile", home / "app")
        notes = patience.run(["readelf", "-n", home / "app"], check=True, capture_output=True, text=True).stdout
        self.identity = "build-id:" + re.search("Build ID: ([0-9a-f]+)", notes)[1]
        self.record_profile(100_000_000)

    def record_profile(self, amount):
        self.store.mkdir(parents=True, exist_ok=True)
        profile = self.store / f"{self.identity.replace(':', '-')}-np4.commmap"
        patience.run([BUILD / "tests/cli/make_profile", profile, "4", "2", str(amount)], check=True)

    def plan(self, *more):
        """The answer: what is said, the decision, and the words of the record"""
        answer = shown(self.commmap("plan", "--command", "./app", "--chdir", self.cluster.parent, "--ntasks", 4, "--nodelist", "n[0-1]",
                                    "--cpus-per-node", "2(x2)", *more, COMMMAP_CLUSTER=str(self.cluster)))
        items = [line.split(" ", 1) for line in answer.splitlines()]
        decision, = (item[1] for item in items if item[0] == "decision")
        record, = (item[1].split() for item in items if item[0] == "record")
        assert record[6:] == ["app", self.identity]
        assert (decision == "apply") == ("order" in {item[0] for item in items}) == ("cpu-sets" in {item[0] for item in items})
        return [item[1] for item in items if item[0] == "line"], decision, record

    def num_kept(self):
        return len(list((self.store / own_name("plans")).glob("*.plan")))


@pytest.fixture
def launch(commmap, tmp_path, store):
    return Launch(commmap, tmp_path, store)


def test_the_planner_says_what_the_record_needs(launch):
    lines, decision, record = launch.plan()
    assert (lines, decision, record[0]) == ([], "apply", "placed")
    predicted_s, default_s, error = map(float, record[3:6])
    assert 0 < predicted_s < default_s and error == 0
    assert launch.plan() == (lines, decision, record), "a kept plan says the same"
    _, decision, kept = launch.plan("--threshold", "100")
    assert (decision, kept[0], kept[1], kept[2], kept[3]) == ("keep", "kept", record[1], "0", record[4])


def test_the_next_launch_obeys_a_reversal_and_its_end(launch, launches, commmap):
    _, _, record = launch.plan()
    launches("kept", 8, 1.0, identity=launch.identity)
    launches("placed", 8, 1.5, identity=launch.identity, basis=record[1])
    for _ in range(2):  # worked out anew, and kept
        lines, decision, reversed_record = launch.plan()
        assert decision == "keep" and reversed_record == ["reversed", record[1], "0", record[4], record[4], *reversed_record[5:]]
        assert len(lines) == 1 and lines[0].startswith("Slurm's own placement is back: ")
    # for that profile, and nothing else
    launch.record_profile(90_000_000)
    assert launch.plan()[1] == "apply"
    launch.record_profile(100_000_000)
    assert launch.plan()[1] == "keep"
    assert launch.plan("--seed", 2)[1] == "apply"
    assert commmap("history", "./app", "--forget").returncode == 0
    assert launch.plan() == ([], "apply", record)


def test_verbose_says_the_gain_that_was_predicted_and_the_measured_one(launch, launches, commmap):
    lines, decision, record = launch.plan("--verbose")
    assert decision == "apply" and re.search(r" of the run time with \w+: [0-9.]+ x (\+- [0-9.]+|-[0-9.]+ \+[0-9.]+)$", "\n".join(lines), re.M)
    launches("kept", 4, 1.0, identity=launch.identity)
    launches("placed", 4, 0.9, identity=launch.identity, basis=record[1])
    for _ in range(2):  # worked out anew, and kept
        lines, decision, _ = launch.plan("--verbose")
        assert decision == "apply"
        assert any(line.endswith("; a speed-up of 1.25 x was predicted, 1.11 x measured") for line in lines), lines
    group = json.loads(shown(commmap("history", "app", "--json")))[0]["groups"][0]
    gain = group["placed"][0]["prediction"]["gain"]
    assert gain == {"default_runs": 4, "predicted": pytest.approx(1.25), "measured": pytest.approx(1.111, abs=0.001)}


def test_earlier_runs_tell_what_runs_measure_and_decide_nothing(launch, launches):
    report_file = launch.cluster.parent / "report.json"

    def report(*options):
        assert launch.plan("--report", report_file, *options)[1] == "apply"
        return json.loads(report_file.read_text())
    _, _, record = launch.plan()
    before = report()
    assert before["gain_in_runs"] is None and "earlier runs" not in before["reason"]
    launches("kept", 4, 1.0, identity=launch.identity)
    launches("placed", 4, 2.0, identity=launch.identity, basis=record[1])
    for _ in range(2):  # worked out anew, and kept
        after = report()
        assert before["gain"] == after["gain"]
        # 1.25 x was predicted, and 0.5 x measured: as a share of the gains' logarithms
        measured = math.exp(math.log(after["gain"]["factor"]) * math.log(0.5) / math.log(1.25))
        assert after["gain_in_runs"]["low"] == pytest.approx(measured, rel=0.01)
        assert after["gain_in_runs"]["high"] == pytest.approx(after["gain"]["high"], rel=0.01)
        low, high = (after["gain_in_runs"][end] for end in ("low", "high"))
        assert after["reason"].endswith(f"; with the spread of earlier runs {low:.2f} to {high:.2f} x")

    # Runs that differ, and the same middle: the range is wider, and a kept plan without it is not used.
    launches("placed", 2, 1.0, identity=launch.identity, basis=record[1])
    launches("placed", 2, 4.0, identity=launch.identity, basis=record[1])
    noisy = report()
    assert noisy["gain_in_runs"]["high"] > 2 * after["gain_in_runs"]["high"]


def test_a_gain_learnt_by_default_runs_ends_only_plans_that_tell_it(launch, launches):
    _, _, record = launch.plan()
    launches("placed", 4, 1.0, identity=launch.identity, basis=record[1])
    launch.plan()
    launch.plan("--verbose")
    kept = launch.num_kept()
    launches("kept", 4, 1.0, identity=launch.identity)
    launch.plan()
    assert launch.num_kept() == kept
    launch.plan("--verbose")
    assert launch.num_kept() == kept + 1


@pytest.mark.parametrize("amount, threshold, reason", [
    (1_000_000, 5, "is within the error of the prediction ("), (1_000_000, 50, "is within the error of the prediction ("),
    (100_000_000, 50, "is below the threshold of 50.0 %: ")])
def test_a_threshold_is_the_reason_only_where_a_lower_one_helps(launch, amount, threshold, reason):
    launch.record_profile(amount)
    lines, decision, _ = launch.plan("--verbose", "--threshold", threshold)
    line, = (line for line in lines if line.startswith("predicted gain "))
    assert decision == "keep" and reason in line and line.endswith(": Slurm's own placement is kept")


def test_the_clock_of_mpi_decides_once_it_knows_enough(launch, launches):
    """By the step's clock the placed runs are slower; without their start they are faster."""
    _, _, record = launch.plan()
    launches("kept", 2, 1.0, identity=launch.identity, mpi_s=0.5)
    launches("kept", 6, 1.0, identity=launch.identity)
    launches("placed", 8, 1.5, identity=launch.identity, basis=record[1], mpi_s=0.3)
    for options in ((), ("--history", "step"), ("--history", "mpi")):
        assert launch.plan(*options)[1] == "keep"
    launches("kept", 6, 1.0, identity=launch.identity, mpi_s=0.5)
    assert launch.plan()[1] == "keep"
    lines, decision, _ = launch.plan("--history", "mpi", "--verbose")
    assert decision == "apply" and any(line.startswith("placed 30") and "default 50" in line for line in lines), lines


def test_a_reversal_is_in_the_report(launch, launches):
    _, _, record = launch.plan()
    launches("kept", 8, 1.0, identity=launch.identity)
    launches("placed", 8, 1.5, identity=launch.identity, basis=record[1])
    report_file = launch.cluster.parent / "report.json"
    assert launch.plan("--report", report_file)[1] == "keep"
    report = json.loads(report_file.read_text())
    assert report["decision"] == "keep" and report["reason"].startswith("Slurm's own placement is back: ")
    assert [rank["planned"] for rank in report["ranks"]] == ["n0", "n0", "n1", "n1"]
    assert [row["name"] for row in report["candidates"] if row["chosen"]] == ["slurm"]


def test_a_newly_learnt_error_is_part_of_the_question(launch, launches):
    _, _, record = launch.plan()
    assert launch.num_kept() == 1
    launches("placed", 3, 0.9, identity=launch.identity, basis=record[1])
    assert launch.plan()[2] == record and launch.num_kept() == 1
    launches("placed", 1, 0.9, identity=launch.identity, basis=record[1])
    _, decision, learnt = launch.plan()
    assert decision == "apply" and 0.1 < float(learnt[5]) < 0.2  # 0.8 s were predicted, and took 0.9
    assert launch.num_kept() == 2
    launches("placed", 3, 0.9, identity=launch.identity, basis=record[1])
    assert launch.plan()[2] == learnt and launch.num_kept() == 2
    lines, _, _ = launch.plan("--verbose")
    assert lines[0] == "not enough runs to compare: 0 runs in Slurm's placement, 7 placed; three of each are needed"
    assert lines[1].startswith("measured times are 12.")


def test_exploring_runs_the_default(launch):
    _, _, record = launch.plan()
    lines, decision, explored = launch.plan("--explore", 100)
    assert decision == "keep" and lines == ["this run is Slurm's own placement, to compare with (explore)"]
    assert explored == ["explored", record[1], "0", record[4], record[4], *record[5:]]
    assert launch.plan("--explore", 0) == ([], "apply", record)
    decisions = {launch.plan("--explore", 50)[1] for _ in range(40)}
    assert decisions == {"keep", "apply"}


@pytest.mark.parametrize("content, why", [
    (b"nonsense", "the file is damaged"),
    (b"commmap-history 9 xxh128:00\nx", "the file is of another version of commmap")])
def test_a_history_that_cannot_be_read_costs_a_line(launch, launches, store, content, why):
    _, _, record = launch.plan()
    launches("kept", 1, 1.0, identity=launch.identity)
    launch.plan()
    file, = (store / own_name("history")).glob("*.history")
    file.write_bytes(content)
    assert launch.plan() == ([f"'{file}': {why}: placed runs are not compared with Slurm's placement"], "apply", record)
    shutil.rmtree(store / own_name("history"))
    (store / own_name("history")).symlink_to("/nowhere")
    assert launch.plan() == ([], "apply", record)


def test_arguments_keep_runs_apart(launch, launches):
    _, _, record = launch.plan()
    launches("kept", 8, 1.0, identity=launch.identity)
    launches("placed", 8, 1.5, identity=launch.identity, basis=record[1])
    assert launch.plan()[2][0] == "reversed"
    assert launch.plan("--", "-n", "4")[2][0] == "placed"
    assert launch.plan("--layout", "1x2,0x2")[2][0] == "reversed", "the order of nodes does not count"
