# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""pytest bench/estimate: no Slurm, no MPI."""

import json
import tarfile

import pytest

from compare.comparison import Case
from compare.runner import Outcome
from estimate import configurations, placements, predictions, rounds, rows, scatter, verdict
from estimate.configurations import Configuration, all_configurations
from estimate.half import HALVES, half_of
from estimate.interval import bounds, half_width_percent, outside_percent
from estimate.journal import Journal, JournalError, kept_profile, pack, unpack


def configuration(name="ring-4", **more):
    return Configuration(**{"name": name, "shape": "8x2", "ranks": 4, "nodes": 2, "command": ("ring",)} | more)


def measured(times, same_as=None):
    names = {name: name for name in ("block", "cyclic", "random", "auto", "best")} | (same_as or {})
    return {"configuration": "ring-4", "digest": configuration().digest(), "times_s": times, "same_as": names, "best_mapper": "anneal",
            "noisy": 0, "lost": 0, "seconds": 1.0}


def row(**more):
    return {"configuration": "ring-4", "placement": "cyclic", "half": "test", "predicted_ratio": 1.0, "whole_run_ratio": 1.0, "fig4_ratio": 1.0,
            "measured_ratio": 1.0, "interval": [0.98, 1.02], "error_percent": 0.0, "plain_error_percent": 0.0,
            "whole_run_error_percent": 0.0, "fig4_error_percent": 0.0, "counts": True} | more


# --- the interval


@pytest.mark.parametrize("count, k", [(6, 1), (7, 1), (8, 1), (9, 2), (12, 3), (15, 4), (20, 6), (25, 8)])
def test_bounds_are_those_of_the_sign_test(count, k):
    # Tables of the sign test, two-sided, 5 %: the k-th smallest and largest of n.
    assert bounds(range(1, count + 1)) == (k, count + 1 - k)


def test_bounds_do_not_ask_for_order():
    assert bounds([5, 3, 1, 7, 2, 6, 4]) == (1, 7)


def test_too_few_values_have_no_interval():
    with pytest.raises(ValueError, match="5 values"):
        bounds([1, 2, 3, 4, 5])


def test_width_is_half_the_interval_in_percent_of_the_median():
    assert half_width_percent([0.9, 1.0, 1.0, 1.0, 1.0, 1.0, 1.1]) == pytest.approx(10.0)


@pytest.mark.parametrize("predicted, percent", [(1.0, 0.0), (0.8, 0.0), (1.25, 0.0), (0.6, 25.0), (1.5, 20.0)])
def test_error_is_how_far_outside_of_the_interval(predicted, percent):
    assert outside_percent(predicted, 0.8, 1.25) == pytest.approx(percent)


# --- halves


def test_a_half_depends_on_the_name_alone():
    assert half_of("cg-16-8x2") == half_of("cg-16-8x2")
    assert {half_of(f"name{i}") for i in range(20)} == set(HALVES)


def test_both_halves_have_enough_of_each_kind():
    foreign = [half_of(one.name) for one in all_configurations() if one.foreign]
    ours = [half_of(one.name) for one in all_configurations() if not one.foreign]

    for halves in (foreign, ours):
        assert all(halves.count(half) >= len(halves) / 4 for half in HALVES)


# --- configurations


def test_configurations_are_enough_and_have_names_of_their_own():
    names = [one.name for one in all_configurations()]

    assert len(names) == len(set(names)) >= verdict.FEWEST_CONFIGURATIONS
    assert sum(one.foreign for one in all_configurations()) >= verdict.FEWEST_FOREIGN


def test_ranks_fit_their_nodes():
    cpus, nodes = {"8x2": 2, "4x4-100m": 4}, {"8x2": 8, "4x4-100m": 4}
    for one in all_configurations():
        assert one.nodes <= one.ranks <= one.nodes * cpus[one.shape], one.name
        assert one.nodes <= nodes[one.shape], one.name


def test_another_command_is_another_digest():
    assert configuration().digest() != configuration(command=("ring", "--iterations", "2")).digest()


def test_a_digest_does_not_depend_on_where_the_sources_are(monkeypatch):
    here, elsewhere = (configuration(command=("lmp", "-in", f"{place}/lammps/melt.in")) for place in (configurations._BENCH, "/elsewhere/bench"))
    digest = here.digest()
    monkeypatch.setattr(configurations, "_BENCH", "/elsewhere/bench")
    assert elsewhere.digest() == digest


# --- resuming


def test_what_was_measured_is_found_again(tmp_path):
    Journal(tmp_path / "a").add(measured({}))

    journal = Journal(tmp_path / "a")

    assert journal.find("ring-4", configuration().digest()) == measured({})
    assert journal.find("ring-4", "another") is None
    assert journal.find("ring-5", configuration().digest()) is None


def test_half_a_line_is_passed_over_and_what_follows_is_kept(tmp_path):
    (tmp_path / "measured.jsonl").write_text(json.dumps(measured({})) + '\n{"configuration": "ha')

    Journal(tmp_path).add(measured({}) | {"configuration": "ring-6"})

    journal = Journal(tmp_path)
    assert journal.find("ring-4", configuration().digest()) and journal.find("ring-6", configuration().digest())


def test_the_last_measurement_counts(tmp_path):
    journal = Journal(tmp_path)
    journal.add(measured({}))
    journal.add(measured({}) | {"seconds": 2.0})

    assert Journal(tmp_path).find("ring-4", configuration().digest())["seconds"] == 2.0


def test_an_archive_has_what_was_measured_and_the_profiles(tmp_path):
    one, other, archive = tmp_path / "one", tmp_path / "other", tmp_path / "measured.tar.xz"
    Journal(one).add(measured({}))
    profile = kept_profile(one, "ring-4")
    profile.parent.mkdir()
    profile.write_bytes(b"what was recorded")
    (profile.parent / "ring").write_text("an input file")
    archive.write_text("an older one")
    pack(one, archive)
    unpack(archive, other)

    assert Journal(other).find("ring-4", configuration().digest()) == measured({})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["measured.tar.xz", "one", "other"]
    assert kept_profile(other, "ring-4").read_bytes() == b"what was recorded"
    assert not (other / "ring-4/ring").exists()


def test_of_an_archive_only_what_is_ours_is_unpacked(tmp_path):
    archive, directory = tmp_path / "made.tar.xz", tmp_path / "a/b"
    (tmp_path / "file").write_text("anything")
    with tarfile.open(archive, "w:xz") as tar:
        for name in ("../outside", "x/../../profile.commmap", "/etc/passwd", "measured.jsonl", "a/profile.commmap"):
            tar.add(tmp_path / "file", name)

    unpack(archive, directory)

    assert sorted(path.relative_to(tmp_path).as_posix() for path in (tmp_path / "a").rglob("*") if path.is_file()) == [
        "a/b/a/profile.commmap", "a/b/measured.jsonl"]


def test_an_archive_without_a_journal_is_one_line(tmp_path):
    with tarfile.open(tmp_path / "x.tar.xz", "w:xz"):
        pass
    with pytest.raises(JournalError, match="it has no measured.jsonl$"):
        unpack(tmp_path / "x.tar.xz", tmp_path / "a")


def test_lines_of_anything_are_passed_over(tmp_path):
    (tmp_path / "measured.jsonl").write_bytes(b'5\n{}\n\xff\xfe\n' + json.dumps(measured({})).encode())
    assert Journal(tmp_path).find("ring-4", configuration().digest()) == measured({})


@pytest.mark.parametrize("content", [None, b"", b"no archive"])
def test_what_is_no_archive_is_one_line(tmp_path, content):
    if content is not None:
        (tmp_path / "x.tar.xz").write_bytes(content)
    with pytest.raises(JournalError, match=r"^'.*x.tar.xz' is no archive of measurements: .+$"):
        unpack(tmp_path / "x.tar.xz", tmp_path / "a")


# --- placements


def test_a_random_placement_has_as_many_ranks_on_each_node():
    block = ["m0", "m0", "m1", "m1", "m2"]

    assert sorted(placements.at_random(block, "a")) == block
    assert placements.at_random(block, "a") == placements.at_random(block, "a")
    assert len({tuple(placements.at_random(block, str(i))) for i in range(9)}) > 1


def test_equal_placements_are_known_by_the_first_name():
    found = {"block": ["m0", "m1"], "cyclic": ["m1", "m0"], "auto": ["m0", "m1"], "best": ["m1", "m0"]}

    assert placements.distinct(found) == {"block": "block", "cyclic": "cyclic", "auto": "block", "best": "cyclic"}


def test_of_equal_predictions_the_lower_port_cost_is_taken():
    estimated = {"block": {"predicted_s": 2.0, "port_cost_s": 1.0}, "greedy": {"predicted_s": 1.0, "port_cost_s": 1.0},
                 "anneal": {"predicted_s": 1.0, "port_cost_s": 0.5}}

    assert predictions.cheapest(estimated) == "anneal"
    assert predictions.ratios(estimated) == {"block": 1.0, "greedy": 0.5, "anneal": 0.5}


# --- rounds


class Seconds:
    """A runner that gives the times of each placement one after the other; None is a lost run."""

    def __init__(self, **times):
        self.times = {name: iter(values) for name, values in times.items()}

    def run(self, command, environment):
        time_s = next(self.times[command[0]])
        return Outcome(time_s, 0 if time_s else 139, 0.0, "", "")


def cases(*names):
    return [Case(name, [name]) for name in names]


def test_seven_rounds_are_enough_when_they_agree():
    times, _, _ = rounds.measure(cases("block", "auto"), Seconds(block=[2.0] * 99, auto=[1.0] * 99), lambda: True)

    assert times == {"block": [2.0] * 7, "auto": [1.0] * 7}


def test_a_wide_interval_takes_more_rounds_up_to_the_last():
    wild = [1.0, 2.0] * 50

    times, _, _ = rounds.measure(cases("block", "auto"), Seconds(block=[2.0] * 99, auto=wild), lambda: True)

    assert len(times["auto"]) == rounds.MOST


def test_without_time_the_fewest_rounds_are_made():
    times, _, _ = rounds.measure(cases("block", "auto"), Seconds(block=[2.0] * 99, auto=[1.0, 2.0] * 50), lambda: False)

    assert len(times["auto"]) == rounds.FEWEST


def test_a_round_with_a_lost_run_does_not_count():
    seconds = Seconds(block=[3.0] + [2.0] * 99, auto=[None, None] + [1.0] * 99)

    times, _, lost = rounds.measure(cases("block", "auto"), seconds, lambda: True)

    assert len(times["block"]) == len(times["auto"]) == 7
    assert lost == 2


def test_a_placement_that_always_dies_ends_the_measurement():
    times, _, _ = rounds.measure(cases("block", "auto"), Seconds(block=[2.0] * 99, auto=[None] * 99), lambda: True)

    assert times["auto"] == []


# --- rows


def test_a_row_has_ratio_interval_and_errors():
    times = {"block": [2.0] * 7, "cyclic": [3.0] * 7}
    (found,) = rows.of_placements(configuration(), measured(times), {"cyclic": 1.2}, {"cyclic": 1.5}, {"cyclic": 3.0})

    assert (found["measured_ratio"], found["interval"]) == (1.5, [1.5, 1.5])
    assert found["error_percent"] == found["plain_error_percent"] == pytest.approx(20.0)
    assert found["whole_run_error_percent"] == 0.0
    assert found["fig4_error_percent"] == pytest.approx(100.0)
    assert found["counts"]


def test_the_time_in_mpi_is_scaled_by_a_cost():
    one = {"block": {"share_in_mpi": 0.5, "cost_s": 2.0}, "cyclic": {"share_in_mpi": 0.5, "cost_s": 3.0}}
    assert predictions.scaled_ratios(one, "cost_s") == {"block": 1.0, "cyclic": 1.25}
    one["block"]["cost_s"] = 0.0
    assert predictions.scaled_ratios(one, "cost_s") == {"block": 1.0, "cyclic": 1.0}


def test_the_best_placement_is_chosen_on_odd_rounds_and_measured_on_even_ones():
    # "lucky" is the fastest on odd rounds alone.
    times = {"block": [2.0] * 8, "cyclic": [2.0] * 8, "random": [1.0, 2.0] * 4, "auto": [1.5] * 8}

    move = rows.of_configuration(configuration(), measured(times, {"best": "auto"}))

    assert (move["best"], move["best_gain_percent"], move["auto_gain_percent"]) == ("random", 0.0, 25.0)


def test_auto_is_compared_with_the_better_of_block_and_cyclic():
    times = {"block": [2.0] * 7, "cyclic": [1.0] * 7, "auto": [1.5] * 7}

    move = rows.of_configuration(configuration(), measured(times, {"best": "auto", "random": "block"}))

    assert (move["auto_over_better"], move["auto_over_better_interval"]) == (1.5, [1.5, 1.5])
    assert move["auto_share"] == pytest.approx(0.5)


def test_auto_that_keeps_block_is_block():
    times = {"block": [2.0, 2.1] * 4, "cyclic": [3.0] * 8}

    move = rows.of_configuration(configuration(), measured(times, {"auto": "block", "best": "block", "random": "cyclic"}))

    assert (move["best"], move["auto_over_best"], move["auto_over_better_interval"]) == ("block", 1.0, [1.0, 1.0])


# --- the verdict


def held(found, goal, half="test"):
    (one,) = [row for row in found if row["half"] == half and row["goal"].startswith(goal)]
    return one["held"]


@pytest.mark.parametrize("interval, predicted, wrong", [
    ([0.80, 0.90], 1.0, True), ([0.80, 0.90], 0.99, False), ([0.80, 0.96], 1.2, False),
    ([1.06, 1.10], 0.9, True), ([1.04, 1.10], 0.9, False)])
def test_a_direction_counts_where_the_interval_is_clearly_off_one(interval, predicted, wrong):
    assert verdict.wrong_direction(row(interval=interval, measured_ratio=sum(interval) / 2, predicted_ratio=predicted)) == wrong


def test_errors_are_read_as_median_mean_and_worst():
    median, mean, worst = verdict.of_errors("test", [row(error_percent=value) for value in (0.0, 1.0, 30.0)], "error_percent", "predicted")

    assert (median["held"], mean["held"], worst["held"]) == (True, False, False)
    assert worst["not_held_by"] == "ring-4/cyclic"


def test_rows_that_are_too_wide_do_not_count():
    found = verdict.goals([configuration()], [row(error_percent=50.0, counts=False), row()], [])

    assert held(found, "predicted: worst")
    assert not held(found, "share with an interval", "both")


def move(**more):
    return {"configuration": "ring-4", "half": "test", "auto_over_better_interval": [0.9, 1.1], "best_gain_percent": 20.0,
            "auto_share": 1.0, "auto_over_best": 1.0} | more


def test_auto_is_slower_only_where_the_whole_interval_is_above_one():
    assert held(verdict.of_moves("test", [move()]), "auto slower")
    assert not held(verdict.of_moves("test", [move(auto_over_better_interval=[1.01, 1.1])]), "auto slower")


def test_nine_of_ten_large_gains_have_to_be_taken():
    missed = move(auto_share=0.7)

    assert held(verdict.of_moves("test", [move()] * 9 + [missed]), "takes")
    assert not held(verdict.of_moves("test", [move()] * 8 + [missed] * 2), "takes")
    assert held(verdict.of_moves("test", [move(), missed | {"best_gain_percent": 9.0}]), "takes")


def test_the_mean_above_the_best_is_geometric():
    assert held(verdict.of_moves("test", [move(auto_over_best=1.1), move(auto_over_best=1 / 1.1)]), "auto over best")
    assert not held(verdict.of_moves("test", [move(auto_over_best=1.04)]), "auto over best")


def test_gains_of_configurations_that_are_too_wide_do_not_count():
    found = verdict.of_moves("test", [move(), move(configuration="wide", auto_share=0.0, auto_over_best=2.0)], {"wide"})

    assert held(found, "takes") and held(found, "auto over best")
    assert [row["goal"][:11] for row in verdict.of_moves("test", [move()], {"ring-4"})] == ["auto slower"]


# --- the picture


def test_the_picture_has_a_point_for_each_row_that_counts():
    text = scatter.script([row(measured_ratio=0.5, interval=[0.49, 0.51], predicted_ratio=0.6), row(counts=False)], "a.svg")

    assert text.count("0.5 0.49 0.51") == 2  # both models
    assert "0.5 0.49 0.51 0.6" in text
    assert "set output 'a.svg'" in text
