# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

import json
import os
import sys

import patience

HERE = os.path.dirname(os.path.abspath(__file__))
COMMMAP = os.path.join(os.environ["COMMMAP_PREFIX"], "bin", "commmap")


def compared(base, *names):
    return patience.run([sys.executable, f"{HERE}/time_against.py", COMMMAP, base, "2", *names], capture_output=True, text=True)


def test_a_program_places_ranks_as_itself():
    done = compared(COMMMAP, "cg", "halo 2D, 1 cell")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [(row["part"], row["case"]) for row in rows] == [
        ("plan", "cg"), ("map 1024", "halo 2D, 1 cell"), ("map 16384", "halo 2D, 1 cell"),
        ("plan", "geometric mean"), ("map 1024", "geometric mean"), ("map 16384", "geometric mean")]
    assert all(row["same"] and row["cpu_ms"] > 0 and row["ratio"] > 0 for row in rows)


def test_another_placement_is_told(tmp_path):
    base = tmp_path / "commmap"
    base.write_text(f'#!/bin/sh\nexec {COMMMAP} "$@" --seed 2\n')
    base.chmod(0o755)
    rows = json.loads(compared(base, "Chung-Lu, exponent 2.2, zipf").stdout)
    assert not any(row["same"] for row in rows)


def test_a_program_that_fails_is_named():
    done = compared("/bin/false", "cg")
    assert done.returncode != 0 and "/bin/false plan" in done.stderr
