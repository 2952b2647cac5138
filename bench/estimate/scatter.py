# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Predicted against measured ratio as a picture (SVG, by gnuplot)."""

import subprocess

_SERIES = (("whole_run_ratio", "whole run at once", 6, "#c0603a"), ("predicted_ratio", "commmap", 7, "#2a6fb0"))


def script(rows, target):
    """Text for gnuplot. Rows whose interval is too wide are left out."""
    counted = [row for row in rows if row["counts"]]
    most = max([1.2, *(row[key] for row in counted for key in ("measured_ratio", *(key for key, *_ in _SERIES)))]) * 1.05
    lines = ["set terminal svg size 720,720 background '#ffffff'", f"set output '{target}'", "set key top left", "set size square",
             "set grid lc '#dddddd'", f"set xrange [0:{most:.3f}]", f"set yrange [0:{most:.3f}]",
             "set xlabel 'measured: time / time of block'", "set ylabel 'predicted'"]
    plots = ["x with lines lc '#888888' notitle"]
    for key, title, point, color in _SERIES:
        name = f"${key}"
        lines.append(f"{name} << EOD")
        lines += [f"{row['measured_ratio']} {row['interval'][0]} {row['interval'][1]} {row[key]}" for row in counted]
        lines.append("EOD")
        plots.append(f"{name} using 1:4:2:3 with xerrorbars pt {point} ps 0.7 lc '{color}' title '{title}'")
    return "\n".join([*lines, "plot " + ", ".join(plots)]) + "\n"


def draw(rows, target):
    subprocess.run(["gnuplot"], input=script(rows, target), text=True, check=True)
