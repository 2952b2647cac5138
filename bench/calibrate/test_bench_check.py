# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""How the benchmark of checks plants and counts; scripts/bench check measures."""

import importlib.util
import pathlib
import random

import pytest

spec = importlib.util.spec_from_file_location("bench_check", pathlib.Path(__file__).parent / "bench_check.py")
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)


def outlier(kind, nodes, *directions):
    return {"kind": kind, "nodes": nodes, "values": [{"direction": direction} for direction in directions]}


def test_a_fault_is_named_with_its_kind_its_nodes_and_its_directions():
    wanted = ("port", ["m3"], ["out"])

    assert bench.is_named(wanted, outlier("port", ["m3"], "out"))
    assert not bench.is_named(wanted, outlier("port", ["m3"], "out", "in"))
    assert not bench.is_named(wanted, outlier("port", ["m2"], "out"))
    assert not bench.is_named(wanted, outlier("node", ["m3"], "out"))
    assert bench.is_named(("swapped", ["m1", "m6"], None), outlier("swapped", ["m6", "m1"], "out", "out"))


def test_swapped_nodes_change_places_in_the_file_alone():
    shape = bench.shape_with(bench.swapped("m1", "m6"))

    assert shape["switches"]["s0"]["nodes"] == "m0,m6,m2,m3,m4"
    assert shape["switches"]["s1"]["nodes"] == "m5,m1,m7"


@pytest.mark.parametrize("kind", [kind for kind in bench.KINDS if kind != "clean, busy machine"])
def test_the_same_number_plants_the_same(kind):
    _, shape, wanted = bench.plant(kind, random.Random("7"), "cmtb0", "testbed", pathlib.Path("/prefix"))

    assert bench.plant(kind, random.Random("7"), "cmtb0", "testbed", pathlib.Path("/prefix"))[1:] == (shape, wanted)


def test_the_summary_counts_rows():
    rows = [{"planted": "cpu", "named": 1, "others": 0, "seconds": 40.2}, {"planted": "cpu", "named": 0, "others": 2, "seconds": 50.4}]

    assert list(bench.summary(rows)) == ["cpu: named in 1 of 2, something else in 1, longest 50 s"]
