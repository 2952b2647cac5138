# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""`commmap calibrate` in a job: real messages between emulated nodes, whose ports have a rate that the kernel sets."""

import os
import re
import shutil

import pytest
import retries
import yaml

import cluster as clusters

SHAPE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "testbed", "shapes", "8x2.yaml")
LINE_RATE = 100e6 / 8  # of every port and uplink of that shape
UNITS = {"B/s": 1, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9}


def bytes_per_s(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


def seconds(text):
    number, unit = text.split()
    return float(number) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[unit]


@pytest.fixture(autouse=True, scope="module")
def _has_pmix():
    """commmap-measure is a program of Open MPI, which starts with PMIx alone."""
    clusters.need(clusters.PMIX)


def calibrate(cluster, *words, shell=""):
    command = f"{cluster.prefix}/bin/commmap calibrate {SHAPE} {' '.join(words)}"
    return cluster.login("salloc", "-Q", "-N8", "--exclusive", "bash", "-c", shell.format(command) if shell else command)


@pytest.fixture(name="measured", scope="module")
def _measured(cluster):
    done = calibrate(cluster, "--nodelist=m0,m5", "-o -")
    assert done.code == 0, done
    return done


def test_it_says_how_far_it_is(measured):
    steps = [line for line in measured.err.splitlines() if line.startswith("commmap: [")]
    assert steps[0] == "commmap: [1/7] uplinks of switches below the root: round trips m0>m5, 1 B to 4 MiB", measured
    assert steps[3] == "commmap: [4/7] uplinks of switches below the root: streams m0>m5, 60 KiB to 1 MiB", measured
    assert steps[-1] == "commmap: [7/7] level 'core' inside of class 'dual': streams m0:0>m0:1, 64 KiB to 1 MiB", measured
    # srun may say that it waits for the step before
    assert len(steps) == 7 and [line for line in measured.err.splitlines() if not line.startswith("srun: ")] == steps, measured


def test_a_level_inside_of_nodes_is_faster_than_the_network(measured):
    links = yaml.safe_load(measured.out)["links"]
    assert bytes_per_s(links["dual-core"]["max_bandwidth"]) > 20 * LINE_RATE and seconds(links["dual-core"]["latency"]) < 1e-3, links
    assert "# level 'core' inside of class 'dual': m0:0 with m0:1\n" in measured.out, measured


def test_what_cannot_be_measured_inside_of_a_node_costs_nothing_else(cluster, work):
    """The file names a CPU that nodes do not have."""
    path = os.path.join(work, "other-cpus.yaml")
    with open(SHAPE, encoding="utf-8") as file:
        text = file.read()
    assert "core:2 pu:1" in text
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("core:2 pu:1", "core:2 pu:1(indexes=0,700)"))
    done = cluster.login("salloc", "-Q", "-N2", "--nodelist=m0,m5", "--exclusive", f"{cluster.prefix}/bin/commmap", "calibrate", path, "-o", "-")
    assert done.code == 0 and "fast-ethernet" in yaml.safe_load(done.out)["links"], done
    assert re.search(r"\ncommmap-measure: CPU \d+ of this node is not for this step\n", done.err), done
    assert "commmap: inside of node 'm0' a level is not measured: 'srun' ended with exit code 1\n" in done.err, done
    assert "dual-core" not in done.out, done


def test_it_says_what_it_could_not_measure(measured):
    assert "  # ports of class 'dual': not measured, no two nodes of class 'dual' hang on one switch\n" in measured.out, measured


def test_it_prints_links_that_the_cluster_yaml_takes(cluster, measured, work):
    assert re.match(r"# Measured by commmap calibrate: \d{4}-\d\d-\d\d, job \d+, 2 nodes, Open MPI v[\d.]+, payload\n", measured.out), measured
    with open(SHAPE, encoding="utf-8") as file:
        shape = yaml.safe_load(file)
    links = yaml.safe_load(measured.out)["links"]
    assert "fast-ethernet" in links, measured
    path = os.path.join(work, "calibrated.yaml")
    with open(path, "w", encoding="utf-8") as file:
        yaml.safe_dump({**shape, "links": links}, file)
    checked = cluster.login(f"{cluster.prefix}/bin/commmap", "topology", "check", path)
    assert checked.code == 0 and ": ok: " in checked.out, checked


def test_no_port_is_faster_than_its_rate(measured):
    """A slower one is possible on a busy machine: how near they come is for the benchmark."""
    rates = [bytes_per_s(direction["max_bandwidth"]) for name, link in yaml.safe_load(measured.out)["links"].items() if name != "dual-core"
             for direction in (link, link.get("in", {}), link.get("out", {})) if "max_bandwidth" in direction]
    assert rates and all(0 < rate < 1.02 * LINE_RATE for rate in rates), measured


def test_what_was_measured_before_an_interrupt_is_kept(cluster, work):
    said = os.path.join(work, "interrupted")
    done = calibrate(cluster, "--nodelist=m[0-1]", shell=f"{{}} 2>{said} & until grep -q '.2/9' {said} || ! kill -0 $!; do sleep 0.1; done; kill -INT $!; wait $!")
    assert done.code == 1 and "max_bandwidth" not in done.out, done
    assert ", and ended early\nlinks:\n" in done.out and "latency: " in done.out, done
    with open(said, encoding="utf-8") as file:
        assert re.search(r"^commmap: 'srun' (ended with exit code|was ended by signal) \d+$", file.read(), re.MULTILINE)


def test_what_cannot_be_written_is_printed_and_labels_do_no_harm(cluster):
    """srun -l labels each line, and its variable does so for every srun."""
    done = calibrate(cluster, "--nodelist=m[0-1]", "-o /no/such/directory/links", shell="SLURM_LABELIO=1 {}")
    assert done.code == 1 and "\nlinks:\n" in done.out and "max_bandwidth: " in done.out, done
    # Short messages of a node's port: shorter than the latency, and longer than a call that does nothing.
    link = yaml.safe_load(done.out)["links"]["fast-ethernet"]
    latency = seconds(link["latency"])
    # Beside other work bursts may take no longer than single messages: then nothing is written.
    assert 0.2e-6 < seconds(link.get("gap", "1 us")) <= latency, done
    overheads = re.search(r"a short message takes (.*?) to send \(.*?\), (.*?) to receive", done.out).groups()
    assert all(0.1e-6 < seconds(overhead) < 10 * latency for overhead in overheads), done
    assert done.err.splitlines()[-1].startswith("commmap: ") and "/no/such/directory/links" in done.err.splitlines()[-1], done


def test_in_a_job_of_its_own_it_writes_the_file(cluster, work):
    """One pair across the switches: the uplinks' link is written, which the ports have too."""
    path = os.path.join(work, "written.yaml")
    shutil.copy(SHAPE, path)
    os.chmod(path, 0o666)
    with open(path, encoding="utf-8") as file:
        before = file.read()
    done = cluster.login(f"{cluster.prefix}/bin/commmap", "calibrate", "-N2", "--nodelist=m0,m5", "-t5", "--no-inside", "--yes", path)
    assert done.code == 0 and done.out.endswith(f"'{path}' is written\n"), done
    with open(path, encoding="utf-8") as file:
        after = file.read()
    before, after = before.splitlines(), after.splitlines()
    mark = "# measured 'fast-ethernet': "
    assert re.fullmatch(r"  # measured 'fast-ethernet': \d{4}-\d\d-\d\d, job \d+, 2 nodes, Open MPI v[\d.]+, payload",
                        after[before.index("links:") + 1]), after
    assert any(line.startswith(f"  {mark}spread: latency ") for line in after), after
    link = next(number for number, line in enumerate(after) if line.startswith("  fast-ethernet: {"))
    rest = [line for line in after if mark not in line and line != after[link]]
    assert rest == [line for line in before if not line.startswith("  fast-ethernet: {")], after
    numbers = yaml.safe_load(after[link])["fast-ethernet"]
    assert "duplex" not in numbers, after
    assert numbers["rate"] == "payload" and bytes_per_s(numbers["max_bandwidth"]) < 1.02 * LINE_RATE, after
    assert "ports of class 'dual': not measured" in done.err, done
    checked = cluster.login(f"{cluster.prefix}/bin/commmap", "topology", "check", path)
    assert checked.code == 0, checked


def calibrated(prefix, work, shape, lacks, sign, nodes):
    """What calibrate writes into a file that lacks something its cluster has. Beside other work the blocks may differ too much: then once
    more, until the sign of it is there, at most three times."""
    path = os.path.join(work, f"{shape}.yaml")
    shape_path = os.path.join(clusters.HERE, "shapes", f"{shape}.yaml")
    with open(shape_path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        assert lacks in text
        file.write(text.replace(lacks, ""))
    it = clusters.Cluster(f"c{nodes}x{os.getpid()}", prefix, work)
    try:
        it.up(shape=shape_path)
        for last in (False, False, True):
            done = it.login(f"{prefix}/bin/commmap", "calibrate", f"-N{nodes}", "-t5", "--yes", path, seconds=240)
            assert done.code == 0, done
            with open(path, encoding="utf-8") as file:
                after = file.read()
            if sign in after or last:
                return after
            retries.note(f"'{sign}' was not written")
    finally:
        it.down()


def test_half_duplex_is_seen_and_written(prefix, work):
    after = calibrated(prefix, work, "2x1-half-duplex", ", duplex: half", "half duplex", 2)
    assert re.search(r"both directions together get [01]\.\d\d times what one gets: half duplex\n", after), after
    assert yaml.safe_load(after)["links"]["bus"]["duplex"] == "half", after


def test_the_maximum_of_a_switch_is_found_and_written(prefix, work):
    """The emulated switch carries less than two pairs want."""
    after = calibrated(prefix, work, "4x1-slow-switch", ", max_bandwidth: 130 Mbit/s", "measured maximum of", 4)
    assert "# measured maximum of 'leaf': q0>q2 q1>q3 get " in after, after
    # Less is possible on a busy machine: how near it comes is for the benchmark.
    assert bytes_per_s(yaml.safe_load(after)["switches"]["leaf"]["max_bandwidth"]) < 1.02 * 0.957 * 130e6 / 8, after


def test_by_tcp_alone(cluster):
    """Where Open MPI is told to use shared memory only, it reaches no other node."""
    memory_only = "OMPI_MCA_btl=self,vader {}"
    done = calibrate(cluster, "--nodelist=m[0-1]", "-o -", shell=memory_only)
    assert done.code == 1 and done.out == "", done
    done = calibrate(cluster, "--nodelist=m[0-1]", "--transport=tcp", "-o -", shell=memory_only)
    assert done.code == 0 and re.search(r"Open MPI v[\d.]+ over TCP, payload\n", done.out), done


def test_where_srun_starts_no_open_mpi_it_says_what_to_do(cluster):
    done = calibrate(cluster, "--nodelist=m[0-1]", "--mpi=none")
    assert done.code == 1 and done.out == "", done
    assert done.err.splitlines()[-1].endswith("before anything was measured; where the site's srun starts another MPI by default, name Open MPI's: --mpi=pmix"), done


def test_the_measuring_program_needs_a_rank_on_each_node(cluster):
    program = os.path.join(cluster.prefix, "lib", "commmap", "commmap-measure")
    done = cluster.login("srun", "-Q", "-N1", "-n1", "-wm0", "--input=0", program, stdin="streams 1 m0>m7\n")
    assert done.code == 1 and done.out == "", done
    assert "commmap-measure: no rank runs on node 'm7': start one on each node" in done.err, done
