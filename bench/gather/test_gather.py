# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Rank 0 among many, whose control group has little memory (where there are such): it is not killed for what others recorded."""

import contextlib
import json
import os
import pathlib

import memory_group
import patience
import pytest

BENCH_GATHER = pathlib.Path(os.environ.get("COMMMAP_BUILD", pathlib.Path(__file__).parents[2] / "build/dev")) / "bench/bench_gather"
RANKS = 1024


@pytest.mark.parametrize("pattern, end", [
    ("labels", "written"),  # 8 MiB of records
    ("dense", "refused"),   # 80 MiB, all of which rank 0 would have to take: the nodes' parts have them
])
def test_rank_0_takes_no_more_than_it_may(tmp_path, pattern, end):
    words = [BENCH_GATHER, str(RANKS), pattern, str(tmp_path)]
    patience.run([*words, "tree"], seconds=300, capture_output=True, check=True)
    with memory_group.memory_group(64) if memory_group.THERE else contextlib.nullcontext("/dev/null") as processes:
        done = patience.run(["sh", "-c", 'echo $$ >"$0" && exec "$@"', processes, *words, "root"], capture_output=True, text=True)
    assert done.returncode == 0, done
    assert json.loads(done.stdout)[0]["end"] == end, done
    saved = patience.run([*words, "save" if end == "written" else "collect"], capture_output=True, text=True, check=True)
    row, = json.loads(saved.stdout)
    assert row["end"] == "written" and row["signatures"] > 0, saved  # of rounds, which the records have
