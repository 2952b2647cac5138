# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""commmap analyze peers: which peers deserve a connection, and what connections carry."""

import csv
import io
import json
import os
import pathlib
import re

import patience
import pytest

PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
BUILD = pathlib.Path(os.environ["COMMMAP_BUILD"])
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROFILES = {path.stem: path for folder in ("bench/profiles", "bench/estimate/profiles") for path in (ROOT / folder).glob("*.commmap")}

# Rank 0 has other peers in each phase, rank 1 one peer. What is large does not count.
CHANGING = """\
phase init 1
0 1 100 30
0 2 100 20
0 3 100000 90
1 0 16384 5
phase solve 1
0 2 100 20
0 3 100 60
1 0 16385 7
"""


@pytest.fixture(name="commmap")
def _commmap(tmp_path):
    def run(*arguments, **environment):
        env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **environment}
        return patience.run([PREFIX / "bin/commmap", *map(str, arguments)], env=env, cwd=tmp_path, capture_output=True, text=True)
    return run


@pytest.fixture(name="profile")
def _profile(tmp_path):
    def write(lines, name="app.commmap", ranks=4):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        patience.run([BUILD / "tests/cli/make_phases", path, str(ranks)], input=lines, text=True, check=True)
        return path
    return write


def shown(result, notes=""):
    assert (result.returncode, result.stderr) == (0, notes)
    return result.stdout


def analysis(commmap, *arguments, notes=""):
    return json.loads(shown(commmap("analyze", "peers", *arguments, "--format", "json"), notes))


def column(document, name):
    return [row[name] for row in document["coverage"]]


def refused(result, *parts, code=1):
    assert result.returncode == code and result.stdout == "", result
    assert result.stderr.startswith("commmap: ") and result.stderr.count("\n") == 1, result.stderr
    for part in parts:
        assert part in result.stderr, result.stderr


def test_the_schedule_and_its_coverage(commmap, profile):
    document = analysis(commmap, profile(CHANGING), "--max-peers", "1")
    assert (document["ranks"], document["small_messages"], document["all_messages"], document["small_bytes"]) == (4, 135, 232, 16384)
    assert column(document, "max_peers") == list(range(1, 17))
    assert column(document, "by_phases") == [95] + 15 * [135]
    assert column(document, "whole_run") == [65, 105] + 14 * [135]  # rank 0: 3 has 60, 2 has 40, 1 has 30
    # peer 1 reaches 16 messages at 16/30 of the first phase, peer 2 at 16/20; peer 3 in the second
    assert column(document, "first_come") == [14, 14 + 24] + 14 * [14 + 24 + 44]
    assert column(document, "first_come_at_worst") == [14, 14 + 24] + 14 * [14 + 24 + 44]
    assert column(document, "at_receivers") == 16 * [14 + 24 + 44]  # each receiver has one sender
    assert column(document, "other_schedule") == 16 * [None]
    assert document["suggested_max_peers"] == 2
    init, solve = document["phases"]
    assert init["senders"] == [{"sender": 0, "receivers": [1, 2], "priorities": [30, 20], "scheduled": [1]},
                               {"sender": 1, "receivers": [0], "priorities": [5], "scheduled": [0]}]
    assert solve["senders"] == [{"sender": 0, "receivers": [2, 3], "priorities": [20, 60], "scheduled": [3]}]
    assert (init["connections"], init["carried"], solve["carried"], document["carried"]) == (2, 35, 60, 95)


def test_connections_at_each_border(commmap, profile):
    document = analysis(commmap, profile(CHANGING), "--max-peers", "2")
    begin, border = document["borders"]
    assert (begin["phase_before"], begin["phase_after"], begin["num_made"], begin["num_closed"]) == (None, "init", 3, 0)
    assert begin["changes"] == [{"sender": 0, "closed": [], "made": [1, 2]}, {"sender": 1, "closed": [], "made": [0]}]
    assert (border["phase_before"], border["phase_after"], border["num_kept"]) == ("init", "solve", 1)
    assert border["changes"] == [{"sender": 0, "closed": [1], "made": [3]}, {"sender": 1, "closed": [0], "made": []}]
    assert (border["most_made"], border["most_remade"]) == (1, 2)
    assert (document["connections_remade"], document["connections_changed"], document["connections_of_whole_run"]) == (5, 4, 3)


def test_phases_that_begin_again(commmap, profile):
    document = analysis(commmap, profile(CHANGING.replace("solve 1", "solve 10")), "--max-peers", "2")
    assert document["order_known"] is False
    assert (document["connections_remade"], document["connections_changed"]) == (3 + 10 * 2, 4)
    text = shown(commmap("analyze", "peers", profile(CHANGING.replace("solve 1", "solve 10")), "--max-peers", "2"))
    assert "\nphases       2, some of which begin several times, in an unknown order\n" in text
    assert "\nif changed   at least 4 connections made in the run, at most 2 at once by one rank, at most 33.8 messages each\n" in text
    # slices have times, and so an order
    sliced = "phase - 0\nslice 0 1\nslice 2 3\n0 1 100 30\nphase - 0\nslice 1 2\n0 2 100 20\n"
    document = analysis(commmap, profile(sliced))
    assert document["order_known"] is True
    assert [border["phase_after"] for border in document["borders"]] == ["0", "1", "0"]
    assert document["connections_changed"] == 3


def test_text(commmap, profile):
    text = shown(commmap("analyze", "peers", profile(CHANGING + "phase output 1\n"), "--max-peers", "1"))
    lines = text.splitlines()
    assert lines[:4] == ["ranks        4", "small        135 of 232 messages between ranks, of at most 16384 B", "phases       3",
                         "suggested    2 connections a rank (maxRDMA): the fewest that carry 95 % of what 16 carry"]
    assert lines[7].split("  ") [0] == "connections" and lines[8].split() == "1 70.4 % 48.1 % 10.4 % 10.4 % 60.7 % 60.7 %".split()
    assert lines[25:] == [
        "8 against 4  1.00 x the messages, 1.00 x the connections made",
        "schedule     with 1 connection a rank:",
        "phase        init: 55 small messages, 63.6 % carried by 2 connections, at most 1 into one rank",
        "phase        solve: 80 small messages, 75.0 % carried by 1 connection, at most 1 into one rank",
        "phases       1 without small messages",
        "all remade   3 connections made in the run, at most 1 at once by one rank, 31.7 messages each",
        "if changed   3 connections made in the run, at most 1 at once by one rank, 31.7 messages each",
        "whole run    2 connections of one schedule carry 48.1 %, 32.5 messages each"]


def test_eight_connections_against_four(commmap, profile):
    lines = "phase - 0\n" + "".join(f"0 {peer} 1 {messages}\n" for peer, messages in enumerate((10, 9, 8, 7, 6, 5, 4, 3, 2), 1))
    document = analysis(commmap, profile(lines, ranks=10))
    assert (document["coverage"][3]["by_phases"], document["coverage"][7]["by_phases"]) == (34, 52)
    assert (document["remade_with_4"], document["remade_with_8"]) == (4, 8)
    assert "\n8 against 4  1.53 x the messages, 2.00 x the connections made\n" in shown(commmap("analyze", "peers", "app.commmap"))


def test_one_phase_says_so(commmap, profile):
    text = shown(commmap("analyze", "peers", profile("phase - 0\n0 1 1 1\n")))
    assert "\nphases       one, (whole run): by phases is the same as one schedule for the whole run\n" in text
    assert "whole run    " not in text
    document = analysis(commmap, "app.commmap")
    assert column(document, "by_phases") == column(document, "whole_run")


def test_only_one_phase(commmap, profile):
    document = analysis(commmap, profile(CHANGING), "--phase", "solve")
    assert [phase["phase"] for phase in document["phases"]] == ["solve"]
    assert (document["small_messages"], document["all_messages"], column(document, "first_come")[0]) == (80, 87, 44)
    refused(commmap("analyze", "peers", "app.commmap", "--phase", "solv"), "no phase is called 'solv'", "did you mean 'solve'", "(there are: init, solve)")


def test_what_is_small(commmap, profile):
    path = profile(CHANGING)
    note = "commmap: a profile counts messages by ranges of sizes: those of at most 4096 B count as small, not 12288\n"
    assert analysis(commmap, path, "--small", "12288", notes=note)["small_messages"] == 130
    assert analysis(commmap, path, "--small", "64 KiB")["small_messages"] == 142
    assert analysis(commmap, path, "--small", "256 KiB")["small_messages"] == 232


def test_schedule_of_another_run(commmap, profile):
    # The other run's solve has peer 2 first; its phases stand the other way round, and output is only there.
    profile("phase solve 1\n0 2 1 9\n0 3 1 1\nphase output 1\n0 1 1 1\nphase init 1\n0 1 1 3\n", "other.commmap")
    document = analysis(commmap, profile(CHANGING), "--schedule-from", "other.commmap", "--max-peers", "1")
    assert document["other"] == {"schedule_from": "other.commmap", "suggested_max_peers": 2, "carried": 30 + 20, "matched_phases": ["init", "solve"]}
    assert column(document, "other_schedule") == [50] + 15 * [110]
    text = shown(commmap("analyze", "peers", "app.commmap", "--schedule-from", "other.commmap", "--max-peers", "1"))
    assert text.endswith("\nother        the schedule of 'other.commmap' carries 37.0 % of these messages, the own one 70.4 % (2 connections suggested by the other)\n")
    assert text.splitlines()[8].endswith("  37.0 %")


def test_phases_without_a_name_in_common(commmap, profile):
    profile("phase warmup 1\n0 1 1 9\n", "other.commmap")
    profile(CHANGING)
    document = analysis(commmap, "app.commmap", "--schedule-from", "other.commmap")
    assert document["other"]["matched_phases"] == ["warmup", None]
    lines = shown(commmap("analyze", "peers", "app.commmap", "--schedule-from", "other.commmap")).splitlines()
    assert lines[-2:] == ["other        warmup stands for init, by its position", "other        has no phase for solve: no connections in it"]
    assert analysis(commmap, "app.commmap", "--schedule-from", "other.commmap", "--phase", "solve")["other"]["matched_phases"] == [None]


def test_csv(commmap, profile):
    path = profile(CHANGING.replace("phase init", 'phase a,"b'))
    rows = list(csv.reader(io.StringIO(shown(commmap("analyze", "peers", path, "--max-peers", "1", "--format", "csv")))))
    assert rows == [["phase", "sender", "receiver", "messages", "scheduled"],
                    ['a,"b', "0", "1", "30", "1"], ['a,"b', "0", "2", "20", "0"], ['a,"b', "1", "0", "5", "1"],
                    ["solve", "0", "2", "20", "0"], ["solve", "0", "3", "60", "1"]]
    profile("phase solve 1\n0 2 1 9\n", "other.commmap")
    rows = list(csv.reader(io.StringIO(shown(commmap("analyze", "peers", path, "--max-peers", "1", "--format", "csv",
                                                     "--schedule-from", "other.commmap")))))
    assert [row[4:] for row in rows] == [["scheduled", "scheduled_by_other"], ["1", "0"], ["0", "0"], ["1", "0"], ["0", "1"], ["1", "0"]]


def test_whether_it_pays(commmap, profile):
    def worth(made_s, *more):
        return analysis(commmap, "app.commmap", "--max-peers", "2", "--connection-cost", made_s, "--saved-per-message", "1", *more)["worth"]
    profile(CHANGING)  # carries 135, makes 5 or 4
    assert worth("26") == {"connection_s": 26, "saved_per_message_s": 1, "saved_s": 135, "remade_s": 130, "changed_s": 104,
                           "remade_pays": True, "changed_pays": True}
    assert [worth("30")[key] for key in ("remade_pays", "changed_pays")] == [False, True]
    assert [worth("40")[key] for key in ("remade_pays", "changed_pays")] == [False, False]
    text = shown(commmap("analyze", "peers", "app.commmap", "--max-peers", "2", "--connection-cost", "30", "--saved-per-message", "1"))
    assert "; saves 135 s and costs 150 s of all ranks together: not worth it\n" in text
    assert "; saves 135 s and costs 120 s of all ranks together: worth it\n" in text
    profile(CHANGING.replace("solve 1", "solve 10"))  # makes 23, or 4 at least
    assert [worth("30")[key] for key in ("remade_pays", "changed_pays")] == [False, None]
    assert [worth("5")[key] for key in ("remade_pays", "changed_pays")] == [True, True]
    assert "that hangs on the order of the phases" in shown(
        commmap("analyze", "peers", "app.commmap", "--max-peers", "2", "--connection-cost", "30", "--saved-per-message", "1"))


def test_a_profile_is_named_as_elsewhere(commmap, profile, tmp_path):
    profile(CHANGING, ".cache/commmap/build-id-00-np4.commmap")
    assert analysis(commmap, "test") == analysis(commmap, "build-id-00") == analysis(commmap, tmp_path / ".cache/commmap/build-id-00-np4.commmap")
    profile(CHANGING, ".cache/commmap/build-id-00+large-np4.commmap")
    refused(commmap("analyze", "peers", "nothing"), "no file and no profile")


@pytest.mark.parametrize("version", [2, 3])
def test_every_version_of_the_format(commmap, version):
    path = ROOT / f"tests/data/profile/profile_v{version}.commmap"
    document = analysis(commmap, path, notes=f"commmap: the phases of '{path}' are not known: a rank ran out of memory for them\n")
    assert (document["ranks"], document["small_messages"], document["all_messages"], len(document["phases"])) == (3, 8, 10, 1)


def test_bad_input(commmap, profile):
    path = profile(CHANGING)
    profile("phase - 0\n0 1 100000 3\n1 1 1 9\n", "large.commmap")
    profile("phase - 0\n1 1 1 9\n", "none.commmap")
    profile(CHANGING, "six.commmap", 6)
    refused(commmap("analyze", "peers", "none.commmap"), "'none.commmap' has no messages from rank to rank")
    refused(commmap("analyze", "peers", "large.commmap"), "none of the 3 messages of 'large.commmap' has at most 16384 B (--small ")
    refused(commmap("analyze", "peers", path, "--schedule-from", "large.commmap"), "none of the 3 messages of 'large.commmap'")
    refused(commmap("analyze", "peers", path, "--schedule-from", "six.commmap"), "'six.commmap' is of 6 ranks and ", " of 4: a schedule is for one number of ranks")
    for most in ("0", "17", "-1", "many"):
        refused(commmap("analyze", "peers", path, "--max-peers", most), "--max-peers", code=2)
    for small in ("15", "16 X", "-16"):
        refused(commmap("analyze", "peers", path, "--small", small), "--small", code=2)
    refused(commmap("analyze", "peers", path, "--format", "xml"), "text,csv,json", code=2)
    refused(commmap("analyze", "peers", path, "--connection-cost", "1"), "--saved-per-message", code=2)
    refused(commmap("analyze", "peers", path, "--saved-per-message", "1"), "--connection-cost", code=2)
    refused(commmap("analyze", "peers", path, "--connection-cost", "0", "--saved-per-message", "1"), "'0' is no number of seconds above 0", code=2)
    refused(commmap("analyze"), "'analyze' needs a command (peers)", code=2)
    path.write_bytes(path.read_bytes()[:-1])
    refused(commmap("analyze", "peers", path), "cannot use the profile")


def test_the_example_of_the_page_is_what_is_printed(commmap):
    command, printed = re.search(r"^\$ commmap (.*)\n((?:.*\n)*?)```", (ROOT / "docs/user/peers.md").read_text(), re.M).groups()
    assert shown(commmap(*command.replace("minife-16.commmap", str(PROFILES["minife-16"])).split())) == printed


def test_papers_has_the_coverage_of_every_recorded_profile(commmap):
    section = (ROOT / "docs/user/papers.md").read_text().partition("\n## PRO-MPI 4.5: coverage\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([\w-]+)` \| (.*) \|$", section, re.M)
    assert [name for name, _ in rows] == sorted(PROFILES)
    for name, cells in rows:
        document = analysis(commmap, PROFILES[name])
        count = document["small_messages"]
        shares = [f"{100 * document['coverage'][most - 1][rule] / count:.1f} %"
                  for most, rule in ((4, "by_phases"), (4, "whole_run"), (4, "at_receivers"), (8, "by_phases"))]
        assert cells.split(" | ") == [str(document["ranks"]), f"{count:,}", *shares, str(document["suggested_max_peers"])], name
