# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""How the benchmark of calibrate reads links; scripts/bench calibrate measures."""

import importlib.util
import pathlib

import pytest

spec = importlib.util.spec_from_file_location("bench_calibrate", pathlib.Path(__file__).parent / "bench_calibrate.py")
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)

LINK = {"latency": "100 us", "bandwidth": {"1 KiB": "4 MB/s", "16 KiB": "8 MB/s"}, "max_bandwidth": "9 MB/s"}


@pytest.mark.parametrize("length,bytes_per_s", [(512, 4e6), (1024, 4e6), (4096, 6e6), (16384, 8e6), (1 << 20, 8e6)])
def test_a_message_takes_latency_and_length_over_bandwidth(length, bytes_per_s):
    assert bench.time_of(LINK, length) == pytest.approx(100e-6 + length / bytes_per_s)


def test_one_bandwidth_holds_for_all_lengths():
    assert bench.time_of({"latency": "1 ms", "bandwidth": "2 MB/s"}, 1000) == pytest.approx(1.5e-3)


def test_a_maximum_may_stand_for_one_direction():
    assert bench.maximum(LINK, "in") == 9e6
    assert bench.maximum({**LINK, "in": {"max_bandwidth": "20 MB/s"}}, "in") == 20e6


def test_errors_are_shares_of_the_payload():
    rows = list(bench.rows_of_rates("x", (100, 100, 100, None), {"port": LINK}, 1.0))

    assert [row["what"] for row in rows] == ["port", "port", "uplink", "one pair"]
    assert rows[0]["measured_mbit_per_s"] == pytest.approx(72) and rows[0]["error_percent"] == pytest.approx(100 * (72 / 95.7 - 1))
    assert rows[3]["measured_mbit_per_s"] == pytest.approx(64)


def test_overheads_stand_in_a_comment():
    assert bench.overheads_of("# measured 'port': a short message takes 2.00 us to send (spread 25.0 %), 31.5 us to receive (3.0 %)\n") == pytest.approx((2e-6, 31.5e-6))


@pytest.mark.parametrize("verdict,is_limit", [("the switch is the limit", True), ("the switch was not seen to be a limit", False)])
def test_maxima_of_switches_stand_in_a_comment(verdict, is_limit):
    text = f"  # switch 's0': m0>m2 m1>m3 get 15.0 MB/s together (spread 2.0 %), one alone 12.0 MB/s (spread 2.0 %): {verdict}\n"
    row = bench.row_of_switch("x", 130, text)
    assert (row["is_limit"], row["two_pairs_mbit_per_s"]) == (is_limit, pytest.approx(120)) and row["error_percent"] == pytest.approx(100 * (120 / (0.957 * 130) - 1))
    assert bench.row_of_switch("x", None, text)["error_percent"] is None
