# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Prints the rows of a benchmark as a table and writes them with machine and commit: report.py NAME FILE ROWS...

FILE may be empty: the table only. It is JSON, or with ".csv" behind its name CSV, for many rows: lines with "#" tell the rest. Several ROWS
are one after the other. COMMMAP_BENCH_BASE: the commit that was measured beside this one, for the JSON.
"""

import csv
import itertools
import json
import os
import pathlib
import platform
import subprocess
import sys


def machine():
    """What the numbers were measured on."""
    model = "unknown"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    memory_kib = int(pathlib.Path("/proc/meminfo").read_text().split()[1])
    return {"cpu": model, "cpus": os.cpu_count(), "memory_gib": round(memory_kib / 2**20, 1),
            "kernel": platform.release()}


def commit():
    root = pathlib.Path(__file__).resolve().parents[1]
    git = ["git", "-C", str(root)]
    revision = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    paths = [".", ":!bench/results"]  # a benchmark before this one may have written results
    dirty = subprocess.run([*git, "status", "--porcelain", "--", *paths], capture_output=True, text=True).stdout.strip()
    return (revision or "unknown") + ("+changes" if dirty else "")


def cell(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def print_tables(rows):
    """One for all rows that follow each other and have the same columns."""
    for _, same in itertools.groupby(rows, key=tuple):
        print_table(list(same))


def print_table(rows):
    keys = list(dict.fromkeys(key for row in rows for key in row))
    table = [keys] + [[cell(row.get(key, "")) for key in keys] for row in rows]
    widths = [max(len(line[i]) for line in table) for i in range(len(keys))]
    for line in table:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())


def short(value):
    """Four digits, and nothing for what is unknown."""
    if isinstance(value, bool):
        return int(value)
    return "" if value is None else cell(value)


def write_csv(document, path):
    """A table for all rows that follow each other and have the same columns, and an empty line between two."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write(f"# benchmark {document['benchmark']}\n# commit {document['commit']}\n# machine {json.dumps(document['machine'])}\n")
        for columns, rows in itertools.groupby(document["rows"], key=tuple):
            writer = csv.writer(file, lineterminator="\n")
            file.write("\n")
            writer.writerow(columns)
            writer.writerows([short(value) for value in row.values()] for row in rows)


def main():
    name, target, *sources = sys.argv[1:]
    rows = [row for source in sources for row in json.loads(pathlib.Path(source).read_text())]
    print_tables(rows)
    if target:
        document = {"benchmark": name, "machine": machine(), "commit": commit(), "rows": rows}
        if base := os.environ.get("COMMMAP_BENCH_BASE"):
            document["base"] = base
        if target.endswith(".csv"):
            write_csv(document, target)
        else:
            pathlib.Path(target).write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
