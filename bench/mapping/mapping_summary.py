# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Ratios of commmap to other mappers and to itself, and how it grows, from the rows of bench_mapping.py."""

import math

from mapping_cases import num_pus

COSTS = ["hop_bytes", "port_cost", "process_time"]
BOX_TILING = "box tiling"
METIS = {"METIS strong": "metis strong", "METIS recursive": "metis recursive"}
FEWEST_POINTS = 3


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


def any_of(case):
    """Instance, ranks, machine and group are the same in all rows of a case."""
    return next(iter(case.values()))


def lowest(cost, row):
    """Of all ways the mapper was asked; the row itself is of the way with the lowest hop-bytes."""
    return row.get(f"lowest_{cost}", row[cost])


def best_of(cost, mappers):
    """Reads from one case the lowest cost of these mappers' valid mappings; None without any."""
    def read(case):
        return min((lowest(cost, case[name]) for name in mappers if name in case and case[name]["valid"]), default=None)
    return read


def best_spread(mappers):
    """Reads from one case the lowest hop-bytes of these mappers where they use the same share of each group; None without any."""
    def read(case):
        found = (case[name].get("spread_hop_bytes") for name in mappers if name in case)
        return min((cost for cost in found if cost is not None), default=None)
    return read


def one_of(key, mapper):
    """Reads from one case what one mapper's row has; None without such a row."""
    return lambda case: case.get(mapper, {}).get(key)


def row_of(what, mapper, group, ranks, ratios):
    """ratios: pairs of a ratio and its instance's name."""
    numbers = [one for one, _ in ratios]
    highest, worst = max(ratios)
    return {"ratio": what, "mapper": mapper, "group": group, "ranks": ranks, "instances": len(ratios),
            "geometric_mean": geometric_mean(numbers), "lowest": min(numbers), "highest": highest, "worst": worst}


def summaries(rows, ours, groups, objectives=None):
    """For each mapper of ours, one row for each ratio, group and number of ranks, and one for all numbers of ranks ("all").

    objectives: mapper -> the cost it is to make small [hop_bytes]; ratios of that one come first. All mappers in the rows that
    are not ours are the others. Instances that one of both has no valid mapping of are in no ratio; ours without one are
    counted in a row of their own.
    """
    cases = by_case(rows)
    known = {name for case in cases for name in case}
    peers = sorted(known - set(ours) - {BOX_TILING})
    found = []
    for mapper in ours:
        for what, ours_of, theirs_of in measures(mapper, (objectives or {}).get(mapper, "hop_bytes"), peers):
            found += ratio_rows(what, mapper, groups, cases, ours_of, theirs_of)
        found.append(validity_row(mapper, cases))
    return found


def measures(mapper, objective, peers):
    """Name, what is read of ours, and of theirs."""
    costs = sorted(COSTS, key=lambda cost: cost != objective)
    found = [(f"{cost} to the best of the others", best_of(cost, [mapper]), best_of(cost, peers)) for cost in costs]
    found.append(("hop_bytes to the best of the others that spread", best_of("hop_bytes", [mapper]), best_spread(peers)))
    for title, name in METIS.items():
        found += [(f"{cost} to {title}", best_of(cost, [mapper]), best_of(cost, [name])) for cost in COSTS if cost in (objective, "hop_bytes")]
        found.append((f"user_s to {title}", one_of("user_s", mapper), one_of("user_s", name)))
    return [*found, ("hop_bytes to box tiling", best_of("hop_bytes", [mapper]), one_of("hop_bytes", BOX_TILING))]


def validity_row(mapper, cases):
    asked = [case[mapper] for case in cases if mapper in case]
    return {"mapper": mapper, "mappings": len(asked), "not_valid": sum(not row["valid"] for row in asked)}


def ratio_rows(what, mapper, groups, cases, ours_of, theirs_of):
    found = []
    for group in groups:
        by_ranks = {}
        for case in cases:
            pair = ours_of(case), theirs_of(case)
            if any_of(case)["group"] == group and None not in pair:
                by_ranks.setdefault(any_of(case)["ranks"], []).append((ratio(*pair), name_of(any_of(case))))
        found += [row_of(what, mapper, group, ranks, ratios) for ranks, ratios in sorted(by_ranks.items())]
        if len(by_ranks) > 1:
            found.append(row_of(what, mapper, group, "all", [one for ratios in by_ranks.values() for one in ratios]))
    return found


def name_of(row):
    words = [row["instance"], *([row["filling"]] if row["filling"] != "full" else [])]
    return f"{' '.join(words)}, {row['ranks']} ranks"


def both_valid(cases, one, other):
    return [case for case in cases if all(case.get(name, {}).get("valid") for name in (one, other))]


def ablation_summaries(rows, mapper, full, objective, groups):
    """What one mapper of ours, which lacks a part, costs and takes, the full engine's being 1."""
    cases = by_case(rows)
    compared = both_valid(cases, mapper, full)
    found = []
    for key in (objective, "user_s"):
        found += ratio_rows(f"{key} to the full engine", mapper, groups, compared, one_of(key, mapper), one_of(key, full))
    return [*found, validity_row(mapper, cases)]


def thread_summaries(rows, mapper, full, groups):
    """Times of one mapper of ours in several threads, one thread's being 1: of each instance, and means."""
    cases = by_case(rows)
    compared = both_valid(cases, mapper, full)
    found = [thread_row(case[mapper], case[full]) for case in compared if None not in (case[mapper]["wall_s"], case[full]["wall_s"])]
    for key in ("wall_s", "user_s"):
        found += ratio_rows(f"{key} to 1 thread", mapper, groups, compared, one_of(key, mapper), one_of(key, full))
    return [*found, validity_row(mapper, cases)]


def thread_row(several, one):
    """runs: of which the times are medians."""
    return {**{key: several[key] for key in ("instance", "ranks", "tree", "filling", "mapper")}, "runs": min(several["runs"], one["runs"]),
            "wall_s": several["wall_s"], "wall_s_of_1_thread": one["wall_s"], "wall_s_to_1_thread": ratio(several["wall_s"], one["wall_s"]),
            "same_costs": all(several[cost] == one[cost] for cost in COSTS)}


def exponent(points):
    """b of the curve y = a x^b through pairs of x and y, by least squares in logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x, mean_y = (math.fsum(column) / len(logs) for column in zip(*logs))
    return math.fsum((x - mean_x) * (y - mean_y) for x, y in logs) / math.fsum((x - mean_x) ** 2 for x, _ in logs)


def growth_summaries(rows, mapper):
    """Exponents of CPU time and peak memory over edges x log2(PUs), one row for each kind and numbering with enough sizes.

    Of full machines. A program without any graph has some MiB, which flatten the memory of small ones: "last" are the exponents
    between the two largest sizes alone.
    """
    instances = {}
    for row in rows:
        if row["mapper"] == mapper and row["filling"] == "full" and row["valid"] and row["edges"] and row["user_s"] and row["peak_mib"]:
            instances.setdefault(row["instance"], {})[row["edges"] * math.log2(num_pus(row["tree"]))] = row
    return [growth_row(instance, mapper, points) for instance, points in instances.items() if len(points) >= FEWEST_POINTS]


def growth_row(instance, mapper, points):
    """points: edges x log2(PUs) -> row."""
    time, memory = ([(x, points[x][key]) for x in sorted(points)] for key in ("user_s", "peak_mib"))
    return {"growth": instance, "mapper": mapper, "time_exponent": exponent(time), "memory_exponent": exponent(memory),
            "last_time_exponent": exponent(time[-2:]), "last_memory_exponent": exponent(memory[-2:]), "points": len(points),
            "ranks": ",".join(str(points[x]["ranks"]) for x in sorted(points))}
