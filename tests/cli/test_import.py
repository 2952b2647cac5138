# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""`commmap profile import`: real output of Open MPI and EZTrace against sums worked out by hand, round trips, bad input."""

import json
import os
import pathlib
import re
import resource
import shutil

import mpi_job
import patience
import pytest

ROOT = pathlib.Path(__file__).parents[2]
PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
BUILD = pathlib.Path(os.environ["COMMMAP_BUILD"])
FORMATS = ["monitoring", "otf2", "ipm", "mat", "edges", "matrixmarket"]

# pml ob1, chosen so that monitoring can be put before it; ranks that wait leave the CPU to others
OPEN_MPI = {"OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_pml": "^ucx,cm", "OMPI_MCA_btl": "self,vader", "OMPI_MCA_osc": "^ucx"}


@pytest.fixture(name="commmap")
def _commmap(tmp_path):
    def run(*arguments, **environment):
        # what a file says must not be what is allocated
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        return patience.run([PREFIX / "bin/commmap", *map(str, arguments)], capture_output=True, text=True, cwd=tmp_path, preexec_fn=limit,
                            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "COMMMAP_PROFILE_DIR": str(tmp_path / "store"), **environment})
    return run


@pytest.fixture(name="imported")
def _imported(commmap, tmp_path):
    def load(form, *arguments):
        out = tmp_path / "imported.commmap"
        done = commmap("profile", "import", "--format", form, "-o", out, *arguments)
        assert done.returncode == 0, done.stderr
        verified = commmap("profile", "verify", out)
        assert verified.returncode == 0, verified
        return json.loads(commmap("profile", "export", "--json", out).stdout)
    return load


@pytest.fixture(name="traffic", scope="session")
def _traffic(tmp_path_factory):
    """A program of known messages (tests/pmix_hooks/programs/traffic.c), without the recorder."""
    program = tmp_path_factory.mktemp("traffic") / "traffic"
    patience.run(["mpicc.openmpi", "-w", "-o", program, ROOT / "tests/pmix_hooks/programs/traffic.c"], check=True)
    return program


def mpirun(*command, directory, **environment):
    done = mpi_job.run(["-n", "4", *map(str, command)], cwd=directory, seconds=120,
                       env={"PATH": "/usr/bin:/bin", "HOME": str(directory), **OPEN_MPI, **environment})
    assert done.returncode == 0, done


def monitored(directory, traffic, *scenario):
    mpirun(traffic, *scenario, directory=directory, OMPI_MCA_pml_monitoring_enable="2", OMPI_MCA_pml_monitoring_enable_output="3",
           OMPI_MCA_pml_monitoring_filename=str(directory / "run"))
    return sorted(directory.glob("run.*.prof"))


def traced(directory, traffic, *scenario):
    mpirun("eztrace", "-o", directory / "trace", "-t", "openmpi", traffic, *scenario, directory=directory)
    return directory / "trace/traffic_trace/eztrace_log.otf2"


def sent(document):
    """(from, to) -> messages by size bucket, bytes of all"""
    return {(rank, peer["peer"]): (peer["messages"], sum(peer["bytes"])) for rank, of in enumerate(document["ranks"]) for peer in of["sent"]}


def collectives(document):
    return {(record["operation"], record.get("root")): (record["calls"], record["bytes_per_call"]) for phase in document["phases"] for record in phase["collectives"]}


def one_line_error(result, *words, code=1):
    assert result.returncode == code and result.stdout == "", result
    assert len(result.stderr.splitlines()) == 1 and len(result.stderr) < 1000, result.stderr
    for word in words:
        assert word in result.stderr, result.stderr


def test_monitoring_of_open_mpi(imported, traffic, tmp_path):
    # to each other rank 1, 4, 16, ... 65536 bytes once: three of up to 16 bytes, then one in each bucket
    files = monitored(tmp_path, traffic, "everybody", 9)
    assert len(files) == 4
    found = sent(imported("monitoring", *files))
    assert set(found) == {(a, b) for a in range(4) for b in range(4) if a != b}
    assert set(map(str, found.values())) == {str(([3, 1, 1, 1, 1, 1, 1] + 6 * [0], 87381))}


def test_monitoring_of_collectives_is_what_open_mpi_sent(imported, traffic, tmp_path):
    # a line each of E, I, S or R is a sum; C lines, O2A, A2O and A2A are those again
    files = monitored(tmp_path, traffic, "collectives")
    wanted = {}
    for kind, *numbers in re.findall(r"^([EISR])\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs", "".join(file.read_text() for file in files), re.M):
        source, target, size, count = map(int, numbers)
        if kind == "R":
            source, target = target, source
        messages, volume = wanted.get((source, target), (0, 0))
        wanted[source, target] = (messages + count, volume + size)
    document = imported("monitoring", *files)
    assert {pair: (sum(messages), volume) for pair, (messages, volume) in sent(document).items()} == wanted
    assert sum(volume for _, volume in wanted.values()) > 0 and collectives(document) == {}


def test_one_sided_monitoring(imported, traffic, tmp_path):
    # put and the like: 10 + 32 + 100 + 8 + 12 + 200 + 4 + 4 bytes; get: 20 + 300 + 12 + 200 + 4 + 4, back. From rank r to r + 1
    document = imported("monitoring", *monitored(tmp_path, traffic, "one_sided"))
    one_sided = {(r, (r + 1) % 4): 370 for r in range(4)}
    back = {((r + 1) % 4, r): 540 for r in range(4)}
    found = sent(document)
    for pair, size in {**one_sided, **back}.items():
        assert found[pair][1] >= size, pair


def test_our_export_is_read_again(commmap, imported, tmp_path):
    profile = tmp_path / "made.commmap"
    patience.run([BUILD / "tests/cli/make_profile", profile, "6", "2", "4000"], check=True)
    whole = sent(json.loads(commmap("profile", "export", "--json", profile).stdout))
    for form in ("monitoring", "matrixmarket"):
        text = tmp_path / form
        text.write_text(commmap("profile", "export", "--format", form, profile).stdout)
        again = sent(imported(form, text))
        assert {pair: size for pair, (_, size) in again.items()} == {pair: size for pair, (_, size) in whole.items()}, form
        if form == "monitoring":
            assert again == whole
    (tmp_path / "csv").write_text(commmap("profile", "export", "--format", "csv", profile).stdout)
    assert {pair: size for pair, (_, size) in sent(imported("mat", tmp_path / "csv")).items()} == {pair: size for pair, (_, size) in whole.items()}
    # 4000 bytes from each rank to the one two further on: half of what goes between two goes each way
    (tmp_path / "mat").write_text(commmap("profile", "export", "--format", "mat", profile).stdout)
    halves = {pair: size for pair, (_, size) in sent(imported("mat", "--both-ways", tmp_path / "mat")).items()}
    assert halves == {(a, b): 2000 for a in range(6) for b in range(6) if (a - b) % 6 in (2, 4)}


def test_otf2_messages_of_eztrace(imported, traffic, tmp_path):
    # 0, 16, 17, 64, 65, 256, 257, 1024, 3 x 10, 3 x 100, 20, 30 and 48 bytes to the right; not what goes to MPI_PROC_NULL.
    # EZTrace does not write MPI_Sendrecv and MPI_Sendrecv_replace.
    document = imported("otf2", traced(tmp_path, traffic, "sends"))
    assert sent(document) == {(r, (r + 1) % 4): ([5, 5, 5, 2] + 9 * [0], 2127) for r in range(4)}
    assert collectives(document) == {("barrier", None): (1, 0)}
    for rank in document["ranks"]:
        assert 0 < rank["mpi_s"] <= rank["wall_s"] < 3600  # seconds, also on a busy machine
        assert rank["calls"]["MPI_Ssend"]["calls"] == 1 and rank["calls"]["MPI_Irsend"]["calls"] == 1
        assert sum(call["seconds"] for call in rank["calls"].values()) == pytest.approx(rank["mpi_s"], rel=1e-3)


def test_otf2_collectives_of_eztrace(imported, traffic, tmp_path):
    # nonblocking ones, scans and MPI_Reduce_scatter_block are not in its traces
    document = imported("otf2", traced(tmp_path, traffic, "collectives"))
    assert collectives(document) == {
        ("barrier", None): (1, 0), ("bcast", 3): (1, 100), ("bcast", 0): (1, 7), ("reduce", 3): (1, 40), ("allreduce", None): (2, 44),
        ("gather", 3): (1, 20), ("scatter", 3): (1, 24), ("allgather", None): (1, 28), ("alltoall", None): (1, 32), ("reduce_scatter", None): (1, 16)}
    assert document["communicators"] == [[0, 1, 2, 3]] or [0, 1, 2, 3] in document["communicators"]


def test_damaged_otf2_gives_one_line(commmap, traffic, tmp_path):
    trace = traced(tmp_path, traffic, "sends")
    events = trace.with_suffix("") / "0.evt"
    for file in (trace, trace.with_suffix(".def"), events):
        whole = file.read_bytes()
        for damaged in (b"", b"junk", whole[:len(whole) // 2], whole[:20] + b"\xff" * 40 + whole[60:]):
            file.write_bytes(damaged)
            one_line_error(commmap("profile", "import", "--format", "otf2", trace, "-o", "x"), trace.name)
        file.write_bytes(whole)
    assert not (tmp_path / "x").exists()
    # libotf2 would wait for it
    events.unlink()
    os.mkfifo(events)
    one_line_error(commmap("profile", "import", "--format", "otf2", trace), "is a FIFO")
    one_line_error(commmap("profile", "import", "--format", "otf2", tmp_path / "absent.otf2"), "absent.otf2")


def test_into_the_store(commmap, tmp_path):
    program = tmp_path / "app"
    shutil.copy(BUILD / "tests/cli/make_profile", program)
    edges = tmp_path / "edges"
    edges.write_text("from,to,bytes\n0,1,10\n1,0,20\n")
    store = tmp_path / "store"

    done = commmap("profile", "import", "--format", "edges", edges)
    assert re.fullmatch(rf"{store}/imported-edges-[0-9a-f]{{16}}-np2\.commmap: 2 ranks, 2 messages, 30\.0 B\n", done.stdout), done
    assert commmap("profile", "import", "--format", "edges", edges).stdout == done.stdout  # the same files, the same name
    assert commmap("profile", "show", "imported-edges").returncode == 0

    done = commmap("profile", "import", "--format", "edges", edges, "--program", program)
    assert done.returncode == 0 and "build-id-" in done.stdout, done
    shown = commmap("profile", "show", program).stdout
    assert f"command      {program}" in shown and "messages     2, 30.0 B" in shown
    # as the planner looks it up
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text('version: 1\nlinks: {net: {bandwidth: 100 MB/s}}\nnode_classes:\n  small: {hwloc: {synthetic: "core:2 pu:1"}, link: net}\n'
                       'switches: {s: {nodes: "n[0-1]", class: small}}\n')
    assert len(commmap("map", "--command", program, "--ntasks", 2, COMMMAP_CLUSTER=str(cluster)).stdout.split()) == 2

    edges.write_text("0 1 99\n")
    one_line_error(commmap("profile", "import", "--format", "edges", edges, "--program", program), "has a profile of 2 ranks", "--replace")
    assert "30.0 B" in commmap("profile", "show", program).stdout
    assert commmap("profile", "import", "--format", "edges", edges, "--program", program, "--replace").returncode == 0
    assert "99.0 B" in commmap("profile", "show", program).stdout
    one_line_error(commmap("profile", "import", "--format", "edges", edges, "--program", "absent"), "absent")


def test_a_profile_without_times_is_planned_for(commmap, tmp_path):
    """0 and 2, 1 and 3 send each other much: to one node with each pair, though nothing says how long the run took."""
    (tmp_path / "edges").write_text("0 2 100000000\n2 0 100000000\n1 3 100000000\n3 1 100000000\n")
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text('version: 1\nlinks: {net: {bandwidth: 100 MB/s}}\nnode_classes:\n  small: {hwloc: {synthetic: "core:2 pu:1"}, link: net}\n'
                       'switches: {s: {nodes: "n[0-1]", class: small}}\n')
    assert commmap("profile", "import", "--format", "edges", "edges", "-o", "p.commmap").returncode == 0
    plan = commmap("plan", "--profile", "p.commmap", "--nodelist", "n[0-1]", "--cpus-per-node", "2(x2)", COMMMAP_CLUSTER=str(cluster)).stdout
    assert "decision apply" in plan and "order 0,1,0,1" in plan, plan


def test_formats_are_listed_and_a_wrong_one_named(commmap, tmp_path):
    listed = commmap("profile", "import", "--format", "help")
    assert listed.returncode == 0 and [line.split()[0] for line in listed.stdout.splitlines()] == FORMATS
    one_line_error(commmap("profile", "import", "--format", "monitorin", "x"), "did you mean 'monitoring'", code=2)
    one_line_error(commmap("profile", "import", "x"), "--format", code=2)
    one_line_error(commmap("profile", "import", "--format", "edges"), "name the files")
    one_line_error(commmap("profile", "import", "--format", "edges", "x", "--both-ways"), "--both-ways is for --format mat")
    manual = (PREFIX / "share/man/man1/commmap.1").read_text().split("Options of profile import", 1)[1].split(".SS ", 1)[0]
    guide = (ROOT / "docs/formats/profile-format.md").read_text()
    for name in FORMATS:
        assert re.search(rf"\b{name}\b", manual), name
        assert f"| `{name}` |" in guide, name


HUGE = {"edges": "0 4000000000 1\n", "monitoring": "E\t0\t4000000000\t1 bytes\t1 msgs sent\n", "mat": "4000000000 1\n",
        "matrixmarket": "%%MatrixMarket matrix coordinate integer general\n16777216 16777216 1\n1 1 1\n",
        "ipm": '<ipm_job_profile><task mpi_rank="4000000000" mpi_size="4000000000"></task></ipm_job_profile>\n'}


@pytest.mark.parametrize("form", [name for name in FORMATS if name != "otf2"])
def test_bad_input_gives_one_line(commmap, tmp_path, form):
    file = tmp_path / "bad\nname"
    for content in (b"", b"\0" * 1000, b"\n" * 1000, b"\xff\xfe" * 1000, b"9" * (1 << 20), b"-1 -1 -1\n", b"nan nan nan\n", HUGE[form].encode()):
        file.write_bytes(content)
        one_line_error(commmap("profile", "import", "--format", form, file, "-o", "x"), "bad name")
    one_line_error(commmap("profile", "import", "--format", form, "absent"), "absent")
    one_line_error(commmap("profile", "import", "--format", form, tmp_path), "directory")
    assert not (tmp_path / "x").exists()
