# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What is predicted of recorded profiles alone, without a clock: those of bench/results/estimate-measured.tar.xz, and profiles/."""

import json
import os
import subprocess

import pytest

from estimate import placements, predictions
from estimate.bench_estimate import ROOT, cluster_of
from estimate.configurations import all_configurations
from estimate.journal import Journal, kept_profile, unpack

PROFILES = ROOT / "bench" / "estimate" / "profiles"
CONFIGURATIONS = {one.name: one for one in all_configurations()}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    directory = tmp_path_factory.mktemp("measured")
    unpack(ROOT / "bench" / "results" / "estimate-measured.tar.xz", directory)
    return directory


@pytest.fixture
def on_path(monkeypatch):
    """Whoever asks for `commmap` gets the installed one."""
    monkeypatch.setenv("PATH", f"{os.environ['COMMMAP_PREFIX']}/bin:{os.environ['PATH']}")


def job_of(measured, name, profile=None):
    configuration = CONFIGURATIONS[name]
    run = Journal(measured).find(name, configuration.digest())
    assert run is not None, f"the archive lacks {name}, or has another one of that name"
    job = placements.job_of(profile or kept_profile(measured, name), run["nodelist"], run["cpus_per_node"], configuration.ranks)
    return run, [*job, "--cluster", str(cluster_of(configuration.shape))]


def planned(job, tmp_path):
    """Decision and predicted gain."""
    report = tmp_path / "report.json"
    subprocess.run(["commmap", "plan", *job, "--plan-cache", "off", "--report", report], check=True, capture_output=True)
    found = json.loads(report.read_text(encoding="utf-8"))
    return found["decision"], found["gain"]["factor"]


@pytest.mark.parametrize("name", ["lammps-cube-15-8x2", "lammps-cube-16-8x2", "stencil_cg-16-8x2", "allreduce-8b-16-8x2"])
def test_no_gain_is_promised_where_there_is_none(on_path, measured, tmp_path, name):
    """One direction after the other, or many tiny collectives."""
    decision, factor = planned(job_of(measured, name)[1], tmp_path)
    assert decision == "keep" and factor <= 1.05


@pytest.mark.parametrize("name, ranks, cpus_per_node, most", [
    ("lulesh-8", 8, "1(x8)", 1.06), ("minife-12", 12, "2(x4),1(x4)", 1.05), ("minife-16", 16, "2(x8)", 1.05)])
def test_nor_to_programs_that_debian_does_not_have(on_path, tmp_path, name, ranks, cpus_per_node, most):
    """They mostly wait in sums of 8 bytes, or for ranks that compute (profiles/README.md)."""
    job = placements.job_of(PROFILES / f"{name}.commmap", "m[0-7]", cpus_per_node, ranks)
    decision, factor = planned([*job, "--cluster", str(cluster_of("8x2"))], tmp_path)
    assert decision == "keep" and factor <= most


def test_a_gain_within_the_error_moves_nobody(on_path, measured, tmp_path):
    decision, factor = planned(job_of(measured, "lammps-cube-12-8x2-on-8")[1], tmp_path)
    assert decision == "keep" and 1.03 < factor < 1.07


@pytest.mark.parametrize("name, least", [("lammps-long-16-8x2", 1.5), ("lammps-long-12-8x2-on-8", 1.45)])
def test_what_a_long_box_gains_is_promised(on_path, measured, tmp_path, name, least):
    decision, factor = planned(job_of(measured, name)[1], tmp_path)
    assert decision == "apply" and factor >= least


@pytest.mark.parametrize("name", ["transposed-16-8x2", "transposed-10-8x2"])
def test_phases_that_follow_each_other_differ_from_the_whole_run(on_path, measured, tmp_path, name):
    run, job = job_of(measured, name)
    without = tmp_path / "without.commmap"
    subprocess.run([f"{os.environ['COMMMAP_BUILD']}/bench/bench_without_rounds", kept_profile(measured, name), without], check=True)
    rows = predictions.estimated(job, run["placements"], tmp_path)
    by_steps = {name: row["by_costs_s"] / rows["block"]["by_costs_s"] for name, row in rows.items()}
    _, job = job_of(measured, name, without)
    by_whole = predictions.scaled_ratios(predictions.estimated(job, run["placements"], tmp_path), "port_cost_s")
    assert by_steps["cyclic"] < by_whole["cyclic"] - 0.05
