# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""`commmap calibrate --collectives` without a job. A srun that is a script answers for the measuring program: its times are known
beforehand. tests/slurm/test_inside.py measures."""

import os
import pathlib
import shutil

import patience
import pytest
import yaml
from made_up_links import CLUSTER

PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
# A call takes bytes / 100 us natively, and half of that by the other algorithm; in cyclic order a quarter.
SRUN = r"""#!/usr/bin/python3
import os, sys
library = os.environ.get("FAKE_LIBRARY", "Open MPI v4.1.4")
if library != "none":
    print("library", library)
open("asked", "a").write(" ".join(sys.argv[1:]) + "\n")
gain = 4 if "--distribution=cyclic" in sys.argv else 2
if len(open("asked").readlines()) > int(os.environ.get("FAKE_GOOD_STEPS", 1000)):
    gain = 1
for line in list(sys.stdin)[:int(os.environ.get("FAKE_CALLS", 1000))]:
    op, size = line.split()
    native = int(size) / 100 * 1e-6
    print("timed", op, size, *[f"{native} {native / gain}"] * 9)
sys.exit(int(os.environ.get("FAKE_END", 0)))
"""
GAIN = {"block": 2, "cyclic": 4}


@pytest.fixture(name="calibrate")
def _calibrate(tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER, encoding="utf-8")
    srun = tmp_path / "bin/srun"
    srun.parent.mkdir()
    srun.write_text(SRUN, encoding="utf-8")
    srun.chmod(0o755)

    def run(*words, nodes="m[0-3]", program=PREFIX / "bin/commmap", **variables):
        return patience.run([program, "calibrate", "cluster.yaml", "--collectives", *words], capture_output=True, text=True, cwd=tmp_path,
                            env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "HOME": str(tmp_path), "SLURM_JOB_NODELIST": nodes, **variables})
    return run


def refused(done, *parts):
    assert done.returncode == 1 and done.stdout == "", done
    last = done.stderr.splitlines()[-1]
    assert last.startswith("commmap: ") and "Traceback" not in done.stderr, done
    for part in parts:
        assert part in last, done


def times(tmp_path, name="collectives.yaml"):
    return yaml.safe_load((tmp_path / name).read_text(encoding="utf-8"))


def test_times_of_both_orders_are_written(calibrate, tmp_path):
    done = calibrate("--ranks-per-node=2", "--operations=allgather", "--bytes=65536,4096")

    assert done.returncode == 0 and done.stdout == "", done
    algorithms = ["ring", "tuned bruck", "tuned recursive_doubling", "tuned neighbor"]
    tried = [(order, algorithm) for order in ("block", "cyclic") for algorithm in algorithms]
    assert done.stderr.splitlines() == [
        *(f"commmap: [{step}/8] {order}: allgather by {algorithm}" for step, (order, algorithm) in enumerate(tried, 1)),
        "commmap: block: calls of what is chosen, again: 2", "commmap: cyclic: calls of what is chosen, again: 2",
        *(f"commmap: {order} allgather by {algorithm}: at best {GAIN[order]:.2f} x as fast as native (4096 B)" for order, algorithm in tried)]
    written = times(tmp_path)
    assert written["library"] == "Open MPI v4.1.4" and written["version"] == 1
    assert written["layouts"] == [{"nodes": 4, "ranks_per_node": 2, "algorithms": [
        {"operation": "allgather", "order": order, "algorithm": algorithm,
         "calls": [[4096, 40.96, 40.96 / GAIN[order], GAIN[order]], [65536, 655.4, round(655.36 / GAIN[order], 1), GAIN[order]]]}
        for order, algorithm in tried]}]
    asked = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert len(asked) == 10 and "--ntasks=8 --ntasks-per-node=2" in asked[0] and "--distribution=block" in asked[0], asked
    assert "COMMMAP_INSIDE_RULES=allgather 8 1 ring" in asked[0] and "libcommmap_inside_ompi.so" in asked[0], asked
    assert "OMPI_MCA_coll_tuned_use_dynamic_rules=1" in asked[0] and "COMMMAP_INSIDE_RULES=allgather 8 1 tuned bruck" in asked[1], asked
    assert asked[0].endswith("commmap-measure --collectives"), asked


def test_what_is_not_faster_twice_is_not_chosen(calibrate, tmp_path):
    """In another step nothing is faster. So each algorithm that was, is tried again, until none is left."""
    done = calibrate("--operations=alltoall", "--bytes=524288", FAKE_GOOD_STEPS="4")
    assert done.returncode == 0, done
    assert [line for line in done.stderr.splitlines() if line.endswith("again: 1")] == [
        f"commmap: {order}: calls of what is chosen, again: 1" for order in ("block", "cyclic") for _ in range(2)]
    assert [one["calls"] for one in times(tmp_path)["layouts"][0]["algorithms"]] == [[[524288, 5243, 5243, 1]]] * 4


def test_other_layouts_stay_and_the_same_one_is_replaced(calibrate, tmp_path):
    few = ["--operations=allreduce", "--bytes=1024"]
    assert calibrate(*few).returncode == 0
    assert calibrate(*few, nodes="m[0-1]").returncode == 0
    before = times(tmp_path)["layouts"]
    assert [layout["nodes"] for layout in before] == [4, 2]
    assert calibrate("--operations=bcast", "--bytes=1024").returncode == 0
    after = times(tmp_path)["layouts"]
    assert after[1] == before[1]
    assert {one["operation"] for one in after[0]["algorithms"]} == {"bcast"} and len(after[0]["algorithms"]) == 16


def test_times_of_another_library_go(calibrate, tmp_path):
    few = ["--operations=allreduce", "--bytes=1024"]
    assert calibrate(*few).returncode == 0
    done = calibrate(*few, nodes="m[0-1]", FAKE_LIBRARY="Open MPI v5.0.7")
    assert done.returncode == 0 and "commmap: the times of Open MPI v4.1.4 go: these are of Open MPI v5.0.7\n" in done.stderr, done
    assert [layout["nodes"] for layout in times(tmp_path)["layouts"]] == [2]


def test_what_was_not_measured_is_not_written(calibrate, tmp_path):
    refused(calibrate("--bytes=64,128", FAKE_END="1"), "commmap: 'srun' ended with exit code 1")
    refused(calibrate("--bytes=64,128", FAKE_LIBRARY="none", FAKE_END="1"), "exit code 1 before anything was measured; where the site's srun")
    refused(calibrate("--operations=allgather", "--bytes=64,128", FAKE_CALLS="1"), "timed 1 calls, and not the 2 calls")
    assert not (tmp_path / "collectives.yaml").exists()


def test_a_file_that_cannot_be_read_is_not_replaced(calibrate, tmp_path):
    (tmp_path / "collectives.yaml").write_text("version: 1\nmine: yes\n", encoding="utf-8")
    refused(calibrate("--operations=bcast", "--bytes=64"), "collectives.yaml:2:1: unknown key 'mine'", "--output")
    assert not (tmp_path / "asked").exists(), "it says so before it measures"
    assert calibrate("--operations=bcast", "--bytes=64", "-o", "-").stdout.startswith("# Times of collective calls")
    assert calibrate("--operations=bcast", "--bytes=64", "-o", "other.yaml").returncode == 0
    assert times(tmp_path, "other.yaml")["layouts"][0]["nodes"] == 4


def test_a_file_never_gets_longer_than_can_be_read(calibrate, tmp_path):
    assert calibrate("--operations=bcast", "--bytes=64").returncode == 0
    table = tmp_path / "collectives.yaml"
    text = table.read_text(encoding="utf-8")
    layout = text[text.index("  - nodes: 4"):].replace("nodes: 4", "nodes: 1000")
    copies = ((1 << 20) - len(text)) // len(layout)
    text += "".join(layout.replace("nodes: 1000", f"nodes: {1000 + copy}") for copy in range(copies))
    table.write_text(text, encoding="utf-8")
    done = calibrate("--operations=bcast", "--bytes=64,128", nodes="m[0-1]")
    assert done.returncode == 1 and "collectives.yaml: with one more layout the file would be longer than 1048576 bytes" in done.stderr, done
    assert "nodes: 2\n" in done.stdout, "what was measured is printed"
    assert table.read_text(encoding="utf-8") == text


def test_a_dry_run_lists_steps(calibrate, tmp_path):
    done = calibrate("--dry-run", nodes="")
    assert done.returncode == 0 and done.stderr == "", done
    lines = done.stdout.splitlines()
    assert lines[0] == "8 nodes x 1 ranks, 16 steps", done
    assert lines[1] == ("  block: bcast by chain 4096, allgather by ring, allreduce by ring, reduce by tuned pipeline 8192, "
                        "alltoall by tuned linear, 77 calls, about 77 s")
    assert lines[16] == "  cyclic: bcast by tuned scatter_allgather_ring, 17 calls, about 17 s"
    assert lines[17:] == ["then what is chosen in each order, again"]
    assert not (tmp_path / "asked").exists()


def test_mistakes_are_named(calibrate, tmp_path):
    refused(calibrate(nodes="m0"), "two ranks or more")
    for operation in ("allgather", "alltoall"):
        refused(calibrate(f"--operations={operation}", "--bytes=33554432"), "33554432 bytes of each of 4 ranks are more than 64 MiB")
    refused(calibrate("--operations=reduce", "--bytes=6"), "6 bytes are no whole number of integers, which reduce adds")
    for words, name in ((["--operations=scan"], "scan"), (["--bytes=0"], "0"), (["--ranks-per-node=0"], "0"), (["--check"], "--check")):
        done = calibrate(*words)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and name in done.stderr, done
    refused(calibrate("--bytes=64", OMPI_MCA_coll_tuned_priority="50"), "OMPI_MCA_coll_tuned_priority is set", "unset it")
    (tmp_path / "lib").mkdir()
    alone = shutil.copy(PREFIX / "lib/commmap/commmap-measure", tmp_path / "lib")
    refused(calibrate(f"--measure-program={alone}"), "libcommmap_inside_ompi.so' is not there")
