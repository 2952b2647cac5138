# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""COMMMAP_PLUGIN, COMMMAP_RECORDER and COMMMAP_IMPORT: what a part needs is looked for only where the part is built."""

import pathlib
import re

import patience
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# variables in CMake's cache that tell that a dependency was looked for
LOOKED_FOR = {"PLUGIN": {"SLURM_INCLUDE_DIR"}, "RECORDER": {"PMIX_INCLUDE_DIR", "MPI_C_COMPILER", "MPICH_CFLAGS"}, "IMPORT": {"OTF2_CFLAGS", "PUGIXML_CFLAGS"}}


@pytest.mark.parametrize("built", [[], ["PLUGIN"], ["RECORDER"], ["IMPORT"]], ids=" ".join)
def test_dependencies_of_parts_that_are_off_are_not_looked_for(tmp_path, built):
    options = [f"-DCOMMMAP_{part}={'ON' if part in built else 'OFF'}" for part in LOOKED_FOR]

    done = patience.run(["cmake", "--preset", "release", "-S", ROOT, "-B", tmp_path, "-DCOMMMAP_TESTS=OFF", *options],
                          seconds=600, capture_output=True, text=True, cwd=ROOT)

    assert done.returncode == 0, done.stderr
    variables = set(re.findall(r"^(\w+):", (tmp_path / "CMakeCache.txt").read_text(), re.MULTILINE))
    for part, names in LOOKED_FOR.items():
        assert names & variables == (names if part in built else set()), part


@pytest.mark.parametrize("preset", ["dev", "library", "fuzz", "tidy", "demo"])
def test_presets_that_a_change_need_not_build_are_configured(tmp_path, preset):
    done = patience.run(["cmake", "--preset", preset, "-S", ROOT, "-B", tmp_path], seconds=600, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
