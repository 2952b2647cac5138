# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""How far predictions by a calibrated cluster YAML are off, beside those by the numbers that the kernel sets:
bench_predictions.py PREFIX BUILD TESTBED > rows.json

PREFIX is where commmap is installed, BUILD the build directory of the benchmark programs, TESTBED the name of the emulated
clusters. Each shape is calibrated twice, from a file with the right numbers and from one whose numbers are wrong by a factor of
three. The runs were measured before (bench/results/estimate-measured.tar.xz): they are predicted anew by each of the files.
"""

import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from calibrate.bench_calibrate import Testbed
from estimate.bench_estimate import SHAPE_FILES, cluster_of
from estimate.configurations import SHAPES

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEASURED = ROOT / "bench" / "results" / "estimate-measured.tar.xz"
WRONG_BY = 3


def links_of(text):
    """The lines of section links: (begin, end)"""
    begin = text.index("\nlinks:\n")
    return begin, text.index("\nnode_classes:\n", begin)


def wrong(text):
    """The same file with links that are said to be three times as fast, and to have a third of the latency."""
    begin, end = links_of(text)
    links = re.sub(r"bandwidth: (\d+)", lambda found: f"bandwidth: {WRONG_BY * int(found[1])}", text[begin:end])
    links = re.sub(r"latency: (\d+)", lambda found: f"latency: {int(found[1]) / WRONG_BY:.6g}", links)
    assert links != text[begin:end]
    return text[:begin] + links + text[end:]


def calibrate(prefix, name, shape, files):
    """Calibrates the files, all of one emulated cluster.

    @return seconds of each calibration
    """
    seconds = []
    with Testbed(name, shape) as testbed:
        for file in files:
            begin = time.monotonic()
            print(testbed.run(prefix / "bin" / "commmap", "calibrate", "--nodes", str(testbed.num_nodes()), "--yes", file), file=sys.stderr, flush=True)
            seconds.append(time.monotonic() - begin)
    return seconds


def errors(prefix, build, folder):
    """Of each prediction that counts: how far it lies outside of the measured interval, in percent."""
    done = subprocess.run([sys.executable, ROOT / "bench" / "estimate" / "bench_estimate.py", prefix, build, "--from", MEASURED, "--clusters", folder],
                          check=True, stdout=subprocess.PIPE, text=True)
    return [row["error_percent"] for row in json.loads(done.stdout) if row.get("counts")]


def main():
    prefix, build, testbed = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    rows = []
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        work = pathlib.Path(place)
        work.chmod(0o755)
        folders = {"nominal": SHAPE_FILES}
        for name in ("calibrated", "calibrated from wrong numbers", "wrong numbers"):
            folders[name] = work / name.replace(" ", "-")
            folders[name].mkdir()
        for shape in SHAPES:
            text = cluster_of(shape).read_text(encoding="utf-8")
            for name, content in zip(list(folders)[1:], (text, wrong(text), wrong(text))):
                cluster_of(shape, folders[name]).write_text(content, encoding="utf-8")
            files = [cluster_of(shape, folders[name]) for name in list(folders)[1:3]]
            seconds = calibrate(prefix, testbed, cluster_of(shape), files)
            for file, its in zip(files, seconds):
                content = file.read_text(encoding="utf-8")
                begin, end = links_of(content)
                rows.append({"shape": shape, "file": file.parent.name, "seconds": its, "links": content[begin:end].strip()})
        nominal = None
        for name, folder in folders.items():
            found = errors(prefix, build, folder)
            nominal = nominal or statistics.fmean(found)
            rows.append({"predicted_by": name, "predictions": len(found), "mean_error_percent": statistics.fmean(found),
                         "median_error_percent": statistics.median(found), "worst_error_percent": max(found),
                         "mean_above_nominal_percent": statistics.fmean(found) - nominal})
    json.dump(rows, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
