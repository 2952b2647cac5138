"""Table and JSON of a comparison."""

import json

_COLUMNS = (
    ("program", "program"), ("shape", "shape"), ("where", "where"), ("placement", "placement"), ("ranks", "ranks"),
    ("median_s", "median s"), ("spread_s", "+- s"), ("speedup", "vs block"),
    ("predicted_s", "predicted s"), ("predicted_speedup", "vs block"), ("runs", "runs"),
    ("repeats", "repeats"), ("noisy", "noisy"), ("hangs", "hangs"), ("deaths", "deaths"),
)


def rows(program, shape, ranks, results, predicted=None, where="allocation"):
    """One row per placement. where: srun inside an allocation, or "standalone".

    median_s and spread_s are null when no run succeeded, predicted_s when there is no prediction.
    spread_s is (slowest - fastest) / 2.
    """
    return [{"program": program, "shape": shape, "where": where, "placement": placement, "ranks": ranks,
             "median_s": result.median_s, "spread_s": result.spread_s, "runs": len(result.times_s),
             "predicted_s": (predicted or {}).get(placement), "times_s": result.times_s,
             "repeats": result.repeats, "noisy": result.noisy, "hangs": result.hangs,
             "deaths": result.deaths}
            for placement, result in results.items()]


def _cell(value):
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def with_ratios(all_rows):
    """Adds how much faster than block each placement is, measured and predicted."""
    block = {(row["program"], row["where"]): row for row in all_rows if row["placement"] == "block"}

    def ratio(row, key):
        base = block.get((row["program"], row["where"]), {}).get(key)
        return f"{base / row[key]:.2f}x" if base and row.get(key) else None

    return [row | {"speedup": ratio(row, "median_s"), "predicted_speedup": ratio(row, "predicted_s")}
            for row in all_rows]


def table(all_rows):
    """Text, columns aligned, numbers to the right."""
    all_rows = with_ratios(all_rows)
    lines = [[title for _, title in _COLUMNS]]
    lines += [[_cell(row.get(key)) for key, _ in _COLUMNS] for row in all_rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    texts = []
    for line in lines:
        cells = [text.ljust(width) if i < 4 else text.rjust(width)
                 for i, (text, width) in enumerate(zip(line, widths))]
        texts.append("  ".join(cells).rstrip())
    return "\n".join(texts) + "\n"


def write_json(path, all_rows):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(all_rows, file, indent=2)
        file.write("\n")
