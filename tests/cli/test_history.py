"""commmap history: records of launches, merged, shown, and forgotten."""

import json
import os
import pathlib

import patience
import pytest

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

    def leave(launched, count, wall_s, program="app", identity="build-id:00", ranks=4):
        patience.run([BUILD / "tests/cli/make_history", store, identity, program, *map(str, (ranks, launched, count, wall_s, next(step)))],
                     check=True)
    return leave


def shown(result):
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def test_nothing_is_known(commmap, store):
    assert shown(commmap("history")) == f"no runs are known in {store}/history (srun --commmap=auto leaves a record of each)\n"
    assert shown(commmap("history", "--json")) == "[]\n"
    missing = commmap("history", "app")
    assert missing.returncode == 1
    assert missing.stderr == f"commmap: no runs of 'app' are known in {store}/history (srun --commmap=auto leaves a record of each)\n"
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
        "nothing to compare with: 2 runs of the default, 20 placed, and three of each are needed"


def test_a_loss_brings_the_default_back_until_it_is_forgotten(commmap, launches, store):
    launches("kept", 8, 1.0)
    launches("placed", 8, 1.5)
    line = shown(commmap("history", "app")).splitlines()[-1]
    assert line.startswith("Slurm's own placement is back: ") and " as planned took 50." in line
    assert "reversed" in shown(commmap("history"))
    group = json.loads(shown(commmap("history", "app", "--json")))[0]["groups"][0]
    assert 45 < group["placed"][0]["reversed"]["slower_percent"] < 55
    assert group["placed"][0]["reversed"]["chance"] < 0.0012
    file = store / "history/build-id-00-np4.history"
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
    file = store / "history/build-id-00-np4.history"
    good = file.read_bytes()
    other = store / "history/build-id-0a-np4.history"
    other.write_bytes(good)
    assert f"'{other}': it is of another program\n" in shown(commmap("history"))
    other.unlink()
    file.write_bytes(good[:-1])
    assert shown(commmap("history")) == f"'{file}': it is damaged or half written\n"
    file.write_bytes(good.replace(b" 1 ", b" 2 ", 1))
    launches("kept", 1, 1.0)
    result = commmap("history", "build-id-00")
    assert result.returncode == 0
    assert result.stderr == f"commmap: '{file}': it is of another version of commmap: its runs are not compared\n"
    assert result.stdout == f"'{file}': it is of another version of commmap\n"
    assert json.loads(shown(commmap("history", "build-id-00", "--json")))[0]["error"].endswith("another version of commmap")
    assert commmap("history", "build-id-00", "--forget").returncode == 0
    launches("kept", 1, 1.0)
    (store / "history/new/1.0-x.run").write_text("nonsense")
    assert commmap("history").stderr == "commmap: records of launches that cannot be read are thrown away: 1\n"


def test_a_name_that_is_no_text_is_shown_in_a_line(commmap, launches):
    launches("kept", 1, 1.0, program="a\nb\x1b[31m")
    assert "a b" in shown(commmap("history"))
    assert "\x1b" not in shown(commmap("history"))
    json.loads(shown(commmap("history", "--json")))
