"""Ratios of commmap to other mappers, from the rows of bench_mapping.py."""

import math

METIS_STRONG = "metis strong"
BOX_TILING = "box tiling"


def ratio(ours, theirs):
    """1 when both are 0; infinite when only theirs is."""
    if theirs == 0:
        return 1.0 if ours == 0 else math.inf
    return ours / theirs


def geometric_mean(ratios):
    """0 when one of them is."""
    if min(ratios) == 0:
        return 0.0
    return math.exp(math.fsum(math.log(one) for one in ratios) / len(ratios))


def by_case(rows):
    """The rows of each instance on each machine: mapper -> row."""
    cases = {}
    for row in rows:
        key = (row["instance"], row["ranks"], row["tree"], row["filling"])
        cases.setdefault(key, {})[row["mapper"]] = row
    return list(cases.values())


def best_of(cost, mappers):
    """Reads from one case the lowest cost of these mappers' valid mappings; None without any."""
    def read(case):
        return min((case[name][cost] for name in mappers if name in case and case[name]["valid"]), default=None)
    return read


def one_of(key, mapper):
    """Reads from one case what one mapper's row has; None without such a row."""
    return lambda case: case.get(mapper, {}).get(key)


def row_of(what, mapper, group, ranks, ratios):
    return {"ratio": what, "mapper": mapper, "group": group, "ranks": ranks, "instances": len(ratios),
            "geometric_mean": geometric_mean(ratios), "lowest": min(ratios), "highest": max(ratios)}


def summaries(rows, ours, groups):
    """For each mapper of ours, one row for each ratio, group and number of ranks, and one for all numbers of ranks ("all").

    Instances that one of both has no valid mapping of are in no ratio; ours without one are counted in a row of their own.
    """
    cases = by_case(rows)
    known = {name for case in cases for name in case}
    peers = sorted(known - set(ours) - {BOX_TILING})
    found = []
    for mapper in ours:
        measures = [(f"{cost} to the best of the others", best_of(cost, [mapper]), best_of(cost, peers))
                    for cost in ("hop_bytes", "port_cost", "process_time")]
        measures += [("hop_bytes to METIS strong", best_of("hop_bytes", [mapper]), best_of("hop_bytes", [METIS_STRONG])),
                     ("hop_bytes to box tiling", best_of("hop_bytes", [mapper]), one_of("hop_bytes", BOX_TILING)),
                     ("user_s to METIS strong", one_of("user_s", mapper), one_of("user_s", METIS_STRONG))]
        for what, ours_of, theirs_of in measures:
            for group in groups:
                found += ratio_rows(what, mapper, group, [case for case in cases if group_in(case) == group], ours_of, theirs_of)
        asked = [case[mapper] for case in cases if mapper in case]
        found.append({"mapper": mapper, "mappings": len(asked), "not_valid": sum(not row["valid"] for row in asked)})
    return found


def group_in(case):
    return next(iter(case.values()))["group"]


def ratio_rows(what, mapper, group, cases, ours_of, theirs_of):
    by_ranks = {}
    for case in cases:
        pair = ours_of(case), theirs_of(case)
        if None not in pair:
            by_ranks.setdefault(next(iter(case.values()))["ranks"], []).append(ratio(*pair))
    rows = [row_of(what, mapper, group, ranks, ratios) for ranks, ratios in sorted(by_ranks.items())]
    if len(by_ranks) > 1:
        rows.append(row_of(what, mapper, group, "all", [one for ratios in by_ranks.values() for one in ratios]))
    return rows
