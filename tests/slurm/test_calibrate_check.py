# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""`commmap calibrate --check` in a job: a port that the kernel slows down, and nodes that the cluster YAML has swapped. bench/calibrate/bench_check.py counts how often
each kind of fault is named."""

import json
import os
import pathlib
import subprocess

import pytest
import retries
import yaml

from cluster import PMIX, need

SHAPE = pathlib.Path(__file__).resolve().parents[1] / "testbed" / "shapes" / "8x2.yaml"
INDEX = pathlib.Path("/run/commmap-testbed/.index")


@pytest.fixture(autouse=True, scope="module")
def _has_pmix():
    """commmap-measure is a program of Open MPI, which starts with PMIx alone."""
    need(PMIX)


@pytest.fixture(name="slow_port")
def _slow_port(cluster):
    """m3 sends at half its rate."""
    number = next(entry.name for entry in INDEX.iterdir() if os.readlink(entry).endswith("/" + cluster.name))

    def set_rate(megabits):
        subprocess.run(["tc", "-n", f"cmtb{number}-m3", "qdisc", "change", "dev", "eth0", "root", "tbf", "rate", f"{megabits}mbit", "burst", "8192",
                        "latency", "50ms"], check=True)
    set_rate(50)
    yield "m3"
    set_rate(100)


def check(cluster, path, *words):
    """Checks up to three times: where other work on the machine makes a port look slow, a check says what it could not test."""
    for number in range(3):
        done, report = check_once(cluster, path, *words)
        if done.code == 1 or not report["not_tested"]:
            break
        if number < 2:
            retries.note(f"not tested: {report['not_tested']}")
    assert done.code == 1, done
    return report


def check_once(cluster, path, *words):
    done = cluster.login("salloc", "-Q", "-N8", "--exclusive", f"{cluster.prefix}/bin/commmap", "calibrate", "--check", "--json", *words, path, seconds=120)
    assert done.code in (0, 1), done
    report = json.loads(done.out)
    assert report["complete"], done
    return done, report


def test_a_slow_port_is_named(cluster, slow_port):
    report = check(cluster, SHAPE, "--nodelist=m[0-4]")

    ports = [outlier for outlier in report["outliers"] if outlier["kind"] == "port"]
    assert [port["nodes"] for port in ports] == [[slow_port]], report
    assert [value["direction"] for value in ports[0]["values"]] == ["out"], report


def test_swapped_nodes_are_named(cluster, work):
    shape = yaml.safe_load(SHAPE.read_text(encoding="utf-8"))
    shape["switches"]["s0"]["nodes"], shape["switches"]["s1"]["nodes"] = "m0,m6,m[2-4]", "m5,m1,m7"
    path = pathlib.Path(work, "swapped.yaml")
    path.write_text(yaml.safe_dump(shape, sort_keys=False), encoding="utf-8")

    report = check(cluster, path)

    assert report["nodes_checked"] == 8 and report["uplinks_checked"] == 2, report
    assert [sorted(outlier["nodes"]) for outlier in report["outliers"] if outlier["kind"] == "swapped"] == [["m1", "m6"]], report
