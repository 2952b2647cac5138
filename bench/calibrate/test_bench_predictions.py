# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The wrong files of the benchmark of predictions; scripts/bench predictions measures."""

import pathlib
import sys

import pytest
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from calibrate import bench_predictions as bench


@pytest.mark.parametrize("shape", bench.SHAPES)
def test_a_wrong_file_differs_in_its_links_alone(shape):
    text = bench.cluster_of(shape).read_text(encoding="utf-8")
    right, wrong = yaml.safe_load(text), yaml.safe_load(bench.wrong(text))

    assert right["links"] == {"fast-ethernet": {"bandwidth": "100 Mbit/s", "latency": "60 us"}}
    assert wrong["links"] == {"fast-ethernet": {"bandwidth": "300 Mbit/s", "latency": "20 us"}}
    assert right | {"links": None} == wrong | {"links": None}
    begin, end = bench.links_of(text)
    assert text[begin:end].strip() == "links:\n  fast-ethernet: {bandwidth: 100 Mbit/s, latency: 60 us}"
