# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Table and JSON of a comparison."""

import json

import report as results  # bench/report.py

# Key and title. A title is as wide as its column, because a program's rows are printed before the next ones are known.
_COLUMNS = (
    ("program", "program         "), ("where", "where     "), ("placement", "placement"),
    ("median_s", "median s"), ("spread_s", "  +- s"), ("speedup", "vs block"), ("time_over_best", "time/best"),
    ("predicted_s", "predicted s"), ("predicted_speedup", "vs block"), ("cost_over_best", "cost/best"),
    ("runs", "runs"), ("repeats", "repeats"), ("noisy", "noisy"), ("hangs", "hangs"), ("deaths", "deaths"),
)
_TEXT_COLUMNS = 3  # the first ones

# Of a placement, before it is run: the job's time, the communication cost (of the most loaded port) that annealing and
# auto minimise, and of auto what it decides and why.
ESTIMATED = ("predicted_s", "port_cost_s", "decision", "reason")

# Column, and of what it is the quotient: this placement's by the best found's.
_OVER_BEST = {"time_over_best": "median_s", "predicted_over_best": "predicted_s", "cost_over_best": "port_cost_s"}
_PROMISED = 1.03


def rows(program, shape, ranks, results, estimates=None, where="allocation"):
    """One row per placement. where: srun inside an allocation, or "standalone".

    median_s and spread_s are null when no run succeeded, what is ESTIMATED when nobody asked.
    spread_s is (slowest - fastest) / 2.
    """
    return [{"program": program, "shape": shape, "where": where, "placement": placement, "ranks": ranks,
             "median_s": result.median_s, "spread_s": result.spread_s, "runs": len(result.times_s)}
            | {key: (estimates or {}).get(placement, {}).get(key) for key in ESTIMATED}
            | {"times_s": result.times_s, "repeats": result.repeats, "noisy": result.noisy, "hangs": result.hangs,
               "deaths": result.deaths}
            for placement, result in results.items()]


def _of_placement(all_rows, placement):
    return {(row["program"], row["where"]): row for row in all_rows if row["placement"] == placement}


def beside_best(all_rows):
    """Adds how far above the best placement found each is: 1 is as good; null where that was not run."""
    best = _of_placement(all_rows, "best")

    def over_best(row, key):
        base = best.get((row["program"], row["where"]), {}).get(key)
        return row[key] / base if base and row[key] is not None else None

    return [row | {name: over_best(row, key) for name, key in _OVER_BEST.items()} for row in all_rows]


def _cell(value):
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def with_ratios(all_rows):
    """Adds how much faster than block each placement is, measured and predicted."""
    block = _of_placement(all_rows, "block")

    def ratio(row, key):
        base = block.get((row["program"], row["where"]), {}).get(key)
        return f"{base / row[key]:.2f}x" if base and row.get(key) else None

    return [row | {"speedup": ratio(row, "median_s"), "predicted_speedup": ratio(row, "predicted_s")}
            for row in all_rows]


def table_head(shape, programs):
    """Text: what is the same in all rows, and the titles of the columns."""
    ranks = ", ".join(str(ranks) for ranks in sorted({program.ranks for program in programs}))
    return f"{shape}, {ranks} ranks\n" + "  ".join(title for _, title in _COLUMNS) + "\n"


def table_rows(rows_of_program):
    """Text, in the columns of table_head(), numbers to the right.

    @param rows_of_program  all rows of one kind of launch, with what beside_best() adds
    """
    text = ""
    for row in with_ratios(rows_of_program):
        cells = [_cell(row.get(key)) for key, _ in _COLUMNS]
        widths = [len(title) for _, title in _COLUMNS]
        text += "  ".join([*map(str.ljust, cells[:_TEXT_COLUMNS], widths),
                           *map(str.rjust, cells[_TEXT_COLUMNS:], widths[_TEXT_COLUMNS:])]) + "\n"
    return text


def _count(known, key, what):
    """A line, unless there is nothing to count, and the rows that are not within what is promised."""
    above = [row for row in known if row[key] > _PROMISED]
    line = f"auto at most 3 % above best, {what}: {len(known) - len(above)} of {len(known)} programs"
    return [line] if known else [], above


def _cost_lines(autos):
    known = [row for row in autos if row["cost_over_best"] is not None]
    lines, above = _count(known, "cost_over_best", "predicted communication cost")
    for row in above:
        why = row["reason"]
        if row["decision"] == "apply":
            why = f"auto's search found nothing better ({why})"
        lines.append(f"  {row['program']} {row['cost_over_best']:.3f} (job time {row['predicted_over_best']:.3f}): {why}")
    for row in known:
        if row["cost_over_best"] < 0.9995:
            lines.append(f"  {row['program']} {row['cost_over_best']:.3f}: the annealing did not find what auto found")
    return lines


def _time_lines(autos, best):
    known = [row for row in autos if row["time_over_best"] is not None]
    lines, above = _count(known, "time_over_best", "measured time")
    for row in above:
        other = best[row["program"], row["where"]]
        apart = min(row["times_s"]) > max(other["times_s"])
        lines.append(f"  {row['program']} {row['time_over_best']:.3f}: {row['median_s']:.2f} +-{row['spread_s']:.2f} s and "
                     f"{other['median_s']:.2f} +-{other['spread_s']:.2f} s, "
                     + ("every run of auto slower than every run of best" if apart else "the runs overlap"))
    return lines


def distance_to_best(all_rows):
    """Lines: for how many programs auto is within what is promised of the best placement found, and why for which not.

    @param all_rows  with what beside_best() adds
    """
    autos = [row for row in all_rows if row["placement"] == "auto"]
    lines = _cost_lines(autos) + _time_lines(autos, _of_placement(all_rows, "best"))
    return "".join(line + "\n" for line in lines)


def disturbed(all_rows):
    """A line when runs were kept that other processes had taken CPUs from; else empty."""
    noisy = sum(row["noisy"] for row in all_rows)
    runs = sum(row["runs"] for row in all_rows)
    return f"{noisy} of {runs} runs are noisy: other processes used CPUs beside them, also when they were repeated\n" if noisy else ""


def run_again(all_rows, lost_profiles):
    """A line: how many runs were made again, and why.

    @param lost_profiles  profile runs that hung or died
    """
    repeats, hangs, deaths = (sum(row[key] for row in all_rows) for key in ("repeats", "hangs", "deaths"))
    return (f"repeated because of noise: {repeats} runs; retried: {hangs + deaths + lost_profiles} runs "
            f"({hangs} hung, {deaths} died, {lost_profiles} profile runs lost)\n")


def write_json(path, all_rows):
    document = {"benchmark": "demo", "machine": results.machine(), "commit": results.commit(), "rows": all_rows}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=2)
        file.write("\n")
