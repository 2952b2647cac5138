# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Numbers that papers print beside ours: bench_papers.py PREFIX PROGRAMS > rows.json

PREFIX is where commmap is installed, PROGRAMS the directory of the benchmark programs. A row has what a paper prints, what
follows from the benchmark's definition, and what commmap recorded. Fails where record and derivation differ.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE / "riesen"), str(HERE.parents[1] / "tests" / "support")]

import counting
import derived
import printed
import recorded

PROBLEM_CLASS = "A"
RANKS = (4, 16, 64)


def main():
    prefix, programs = sys.argv[1:]
    rows, shares = [], []
    for benchmark in derived.NAMES:
        for ranks in RANKS:
            by_hand = derived.derive(benchmark, PROBLEM_CLASS, ranks)
            profile = recorded.record(prefix, ranks, [pathlib.Path(programs) / "npb" / "npb_messages", benchmark, "--class", PROBLEM_CLASS])
            if wrong := printed.differences(by_hand, profile):
                sys.exit(f"bench_papers.py: {benchmark} on {ranks} ranks: {wrong[0]}")
            for each in printed.PRINTED:
                if (each.benchmark, each.ranks) != (benchmark, ranks):
                    continue
                value = printed.value_derived(each, by_hand)
                rows.append({"paper": "Riesen", "section": each.where, "benchmark": benchmark, "ranks": ranks, "what": each.what,
                             "printed": each.number, "derived": value, "derived_in_bytes": printed.value_derived(each, by_hand, in_bytes=True),
                             "recorded": printed.value_recorded(each, ranks, profile), "agrees": printed.agrees(each, value)})
            # as recorded, without what MPI_Alltoallv sends: the paper counts its calls
            pairs, calls = counting.pairs_derived(by_hand), counting.calls_recorded(profile)
            messages = sum(sum(counts) for counts, _ in pairs.values())
            shares.append({"benchmark": benchmark, "class": PROBLEM_CLASS, "ranks": ranks, "messages": messages,
                           "calls_of_collectives": sum(calls.values()),
                           "share_of_collectives": counting.share_of_collectives(ranks, pairs, calls)})
            print(f"{benchmark} on {ranks} ranks: {messages} messages, as derived", file=sys.stderr, flush=True)
    json.dump(rows + shares, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
