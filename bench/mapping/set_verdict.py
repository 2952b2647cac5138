# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What one mapper of ours reaches on a set of graphs (graph_sets.py), from the rows of bench_mapping.py.

Hard graphs, as `commmap map` names them, are in the costs; their times are counted apart.
"""

from mapping_summary import BOX_TILING, best_of, by_case, geometric_mean, name_of, one_of, ratio

STRONG = "metis strong"
PEERS = [STRONG, "scotch default repaired", "scotch quality repaired"]  # the placements that are compared, all with exact sizes
ALMOST = 1.005


def verdicts(rows, mapper):
    """One row for each number of ranks, and one for all ("all")."""
    cases = [case for case in by_case(rows) if mapper in case]
    sizes = sorted({case[mapper]["ranks"] for case in cases})
    found = [verdict(mapper, size, [case for case in cases if case[mapper]["ranks"] == size]) for size in sizes]
    return [*found, verdict(mapper, "all", cases)] if len(sizes) > 1 else found


def verdict(mapper, ranks, asked):
    """asked: of which those without a valid placement, of ours or METIS strong's, are only counted."""
    cases = [case for case in asked if valid(case, mapper) and valid(case, STRONG)]
    tiled = [pair for case in cases if (pair := to_tiling(case, mapper))]
    best = [(ratio(case[mapper]["hop_bytes"], best_of("hop_bytes", PEERS)(case)), name_of(case[mapper])) for case in cases]
    strong = [(ratio(case[mapper]["hop_bytes"], case[STRONG]["hop_bytes"]), case[mapper]["group"]) for case in cases]
    irregular = [one for one, group in strong if group == "irregular"]
    return {"verdict": mapper, "ranks": ranks, "graphs": len(asked), "not_compared": len(asked) - len(cases),
            "without_scotch": sum(not any(valid(case, peer) for peer in PEERS[1:]) for case in cases), **highest("to_box_tiling", tiled), "box_tilings": len(tiled),
            **highest("to_the_better_one", best), "above_1.005": sum(one > ALMOST for one, _ in best),
            "irregular": len(irregular), "irregular_to_metis_strong": geometric_mean(irregular) if irregular else None,
            **times(mapper, cases)}


def valid(case, mapper):
    row = case.get(mapper, {})
    return bool(row.get("valid")) and row.get("user_s") is not None


def highest(what, pairs):
    """pairs: of a ratio and a graph's name."""
    if not pairs:
        return {f"highest_{what}": None, f"worst_{what}": None}
    most, name = max(pairs)
    return {f"highest_{what}": most, f"worst_{what}": name}


def to_tiling(case, mapper):
    tiling = one_of("hop_bytes", BOX_TILING)(case)
    return (ratio(case[mapper]["hop_bytes"], tiling), name_of(case[mapper])) if tiling is not None else None


def times(mapper, cases):
    """User CPU time, METIS strong's being 1."""
    found = {}
    for what, hard in (("", False), ("hard_", True)):
        pairs = [(ratio(case[mapper]["user_s"], case[STRONG]["user_s"]), name_of(case[mapper]))
                 for case in cases if bool(case[mapper].get("hard")) == hard]
        found |= {f"{what}timed": len(pairs), f"{what}user_s_to_metis_strong": geometric_mean([one for one, _ in pairs]) if pairs else None,
                  **highest(f"{what}user_s_to_metis_strong", pairs)}
    return found
