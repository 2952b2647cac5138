#!/usr/bin/env python3
# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Writes srun_option_table.inc from srun_options.csv (run in this directory; --check only compares)."""

import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ARITY = {"none": "Arity::none", "required": "Arity::required", "optional": "Arity::optional"}


def table():
    with open(os.path.join(HERE, "srun_options.csv"), encoding="utf-8") as source:
        rows = list(csv.DictReader(line for line in source if not line.startswith("#")))
    lines = ["// Made by make_srun_option_table.py from srun_options.csv; do not edit."]
    for row in rows:
        letter = f"'{row['letter']}'" if row["letter"] else "0"
        lines.append(f'{{"{row["name"]}", {letter}, {ARITY[row["argument"]]}}},')
    return "\n".join(lines) + "\n"


def main():
    path = os.path.join(HERE, "srun_option_table.inc")
    text = table()
    if sys.argv[1:] == ["--check"]:
        with open(path, encoding="utf-8") as current:
            if current.read() != text:
                sys.exit("srun_option_table.inc is not what srun_options.csv gives: run make_srun_option_table.py")
        return
    with open(path, "w", encoding="utf-8") as target:
        target.write(text)


main()
