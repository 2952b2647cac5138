# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Numbers that papers print, what follows from a benchmark's definition, and what commmap records.

COMMMAP_PREFIX     where commmap is installed
COMMMAP_BENCH_BIN  directory of the binaries [build/dev/bench/programs]
"""

import json
import os
import pathlib
import sys

import mpi_job
import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(HERE / "riesen"))

import counting
import derived
import printed
import recorded

PROGRAM = pathlib.Path(os.environ.get("COMMMAP_BENCH_BIN", ROOT / "build/dev/bench/programs")) / "npb" / "npb_messages"
PREFIX = os.environ.get("COMMMAP_PREFIX")


@pytest.mark.parametrize("each", printed.PRINTED, ids=lambda each: f"{each.benchmark} {each.ranks} {each.what}")
def test_the_paper_prints_what_follows_from_the_definition(each):
    assert printed.agrees(each, printed.value_derived(each, derived.derive(each.benchmark, "A", each.ranks)))


@pytest.mark.parametrize("each", [each for each in printed.PRINTED if each.where == "3.5"], ids=lambda each: f"{each.benchmark} {each.ranks} {each.what}")
def test_lengths_in_bytes_are_not_the_papers(each):
    """So the paper counted elements."""
    value = printed.value_derived(each, derived.derive(each.benchmark, "A", each.ranks), in_bytes=True)
    assert not printed.agrees(each, value)


@pytest.mark.skipif(not PREFIX, reason="COMMMAP_PREFIX names no installed commmap")
@pytest.mark.parametrize("release", [2, 3])
@pytest.mark.parametrize("ranks", [4, 8, 16])
@pytest.mark.parametrize("benchmark", derived.NAMES)
def test_the_recorder_counts_what_follows_from_the_definition(benchmark, ranks, release):
    if benchmark == "sp" and ranks == 8:
        pytest.skip("a square number of ranks alone")
    profile = recorded.record(PREFIX, ranks, [PROGRAM, benchmark, "--class", "S", "--release", release])
    by_hand = derived.derive(benchmark, "S", ranks, release)
    assert printed.differences(by_hand, profile) == []
    assert counting.pairs_recorded(profile) or benchmark in ("ep", "ft")


@pytest.mark.skipif(not PREFIX, reason="COMMMAP_PREFIX names no installed commmap")
def test_a_message_too_many_is_a_difference():
    profile = recorded.record(PREFIX, 4, [PROGRAM, "cg", "--class", "S"])
    by_hand = derived.derive("cg", "S", 4)
    by_hand.send(2, 3, 1)
    assert [line.split(":")[0] for line in printed.differences(by_hand, profile)] == ["2 -> 3"]
    by_hand.call("barrier")
    assert printed.differences(by_hand, profile)[-1].startswith("calls: ")


@pytest.mark.parametrize("benchmark, least, most", [("cg", 0, 0.01), ("sp", 0, 0.01), ("ep", 1, 1), ("ft", 1, 1), ("is", 0.9, 1), ("mg", 0.05, 0.2)])
def test_share_of_collectives(benchmark, least, most):
    """As Sec. 3.3 has it: next to none, nearly all, or a few."""
    by_hand = derived.derive(benchmark, "A", 64)
    assert least <= counting.share_of_collectives(64, counting.pairs_derived(by_hand), counting.calls_derived(by_hand)) <= most


def test_the_page_has_what_was_measured():
    page = [line.split(" | ") for line in (ROOT / "docs/user/papers.md").read_text(encoding="utf-8").replace(" |\n", "\n").splitlines()]
    rows = [row for row in json.loads((ROOT / "bench/results/papers.json").read_text(encoding="utf-8"))["rows"] if "paper" in row]
    assert len(rows) == len(printed.PRINTED) and all(row["agrees"] for row in rows)
    for row in rows:
        numbers = [row["derived"], row["derived_in_bytes"] if row["what"][0] in "<>" else row["recorded"]]
        assert any(f"{row['benchmark'].upper()}, {row['ranks']}" in " ".join(cells) and cells[-2:] == [f"{number:,}" for number in numbers] for cells in page), row


def test_a_bucket_ends_with_its_limit():
    assert [counting.bucket_of(length) for length in (0, 16, 17, 64, 65, 64 << 20, (64 << 20) + 1)] == [0, 0, 1, 1, 2, 11, 12]


@pytest.mark.parametrize("ranks, words, message", [
    (3, ["cg"], "needs a power of two of ranks, not 3"),
    (2, ["sp"], "needs a square number of ranks, not 2"),
    (1, ["bt"], "benchmark: bt not in {cg,ep,ft,is,mg,sp}"),
    (1, ["cg", "--class", "X"], "--class: X not in {S,W,A,B,C}"),
    (1, [], "benchmark is required")])
def test_wrong_arguments(ranks, words, message):
    done = mpi_job.run(["--allow-run-as-root", "--oversubscribe", "-n", str(ranks), str(PROGRAM), *words])
    assert done.returncode == 2
    assert [line for line in done.stderr.splitlines() if line.startswith("npb_messages: ")] == [f"npb_messages: {message}"]
