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

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCH_GATHER = pathlib.Path(os.environ.get("COMMMAP_BUILD", ROOT / "build/dev")) / "bench/bench_gather"
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


# of 4,096 ranks: what the end of recording may take (docs/user/recorder.md)
MOST_MIB_OF_A_RANK, MOST_SECONDS, MOST_MIB_OF_SRUN = 64, 5, 512
ALL_TO_ALL = "dense"  # takes more of srun, which known-limits.md says


def test_kept_results_are_within_the_limits():
    document = json.loads((ROOT / "bench/results/gather.json").read_text(encoding="utf-8"))
    rows = [row for row in document["rows"] if row["ranks"] == 4096]

    ranks = [row for row in rows if row["part"] in ("inner", "root")]
    assert len(ranks) > 8 and [row for row in ranks if row["peak_mib"] > MOST_MIB_OF_A_RANK or row["seconds"] > MOST_SECONDS] == []
    collected = [row for row in rows if row["part"] == "collect" and row["case"] != ALL_TO_ALL]
    assert len(collected) > 2 and [row for row in collected if row["peak_mib"] > MOST_MIB_OF_SRUN] == []
