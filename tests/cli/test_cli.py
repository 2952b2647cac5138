# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The program `commmap` as a user meets it: the installed one, real files, exit codes and the one line of an error."""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil

import patience
import planners
import pytest
import scipy.io
import scipy.sparse
from own_name import own_name
from two_nodes import CLUSTER

PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
BUILD = pathlib.Path(os.environ["COMMMAP_BUILD"])
ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def home(tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    return tmp_path


@pytest.fixture
def commmap(home):
    def run(*arguments, stdin="", **environment):
        return patience.run(
            [PREFIX / "bin/commmap", *map(str, arguments)], capture_output=True, text=True, cwd=home, input=stdin,
            env={"PATH": "/usr/bin:/bin", "HOME": str(home), "COMMMAP_CLUSTER": str(home / "cluster.yaml"), **environment})
    return run


def make_profile(path, ranks=4, distance=2, size=100_000_000, *label):
    path.parent.mkdir(parents=True, exist_ok=True)
    patience.run([BUILD / "tests/cli/make_profile", path, str(ranks), str(distance), str(size), *label], check=True)
    return path


@pytest.fixture
def profile(home):
    return make_profile(home / ".cache/commmap/build-id-00-np4.commmap")


def one_line_error(result, *words, code=1):
    assert result.returncode == code, result
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("commmap: ")
    for word in words:
        assert word in lines[0], lines[0]


def test_help_of_every_command(commmap):
    top = commmap("--help")
    assert top.returncode == 0
    for command in (["profile"], ["topology"], ["map"], ["estimate"], ["plan"], ["profile", "list"], ["profile", "show"],
                    ["profile", "export"], ["profile", "import"], ["profile", "diff"], ["profile", "merge"], ["profile", "publish"], ["profile", "gc"], ["profile", "verify"], ["profile", "rm"], ["where"], ["launch-report"], ["launch-report", "decline"], ["launch-report", "finish"], ["analyze", "peers"], ["topology", "show"], ["topology", "check"], ["calibrate"]):
        result = commmap(*command, "--help")
        assert result.returncode == 0 and "Usage" in result.stdout, command
        assert command[0] in top.stdout


def test_misspelt_words_name_the_nearest(commmap):
    one_line_error(commmap("profil"), "did you mean 'profile'", code=2)
    one_line_error(commmap("map", "--treshold", "5"), "did you mean '--threshold'", code=2)
    one_line_error(commmap("profile", "lsit"), "none called 'lsit'", "did you mean 'list'", "show, export, import, identify, diff, merge, publish, gc, verify, collect, rm", code=2)
    one_line_error(commmap("topology"), "'topology' needs a command", "show, check", code=2)
    one_line_error(commmap("map", "--threshold", "many"), "many", code=2)
    one_line_error(commmap("map", "--format", "xml"), "hostfile", code=2)
    one_line_error(commmap("map", "--format", "openmpi"), "did you mean 'openmpi4'", "mpich-rank-order (HPE Cray MPICH)", code=2)


def test_no_arguments_prints_the_help(commmap):
    result = commmap()
    assert result.returncode == 0 and "Usage" in result.stdout


def test_profile_phases_and_calls(commmap, profile):
    make_profile(profile, 4, 2, 1000, "solve")
    show = commmap("profile", "show", profile).stdout
    assert "phase        solve: 5 s, 50.0 % of it in MPI, 4 messages, 4.00 kB, 3 times; ranks differ by 0.5 s in computing, 0.5 s in MPI\n" in show, show
    assert "phase        (outside): 5 s, 0.0 % of it in MPI" in show, show
    assert "call         MPI_Wait: 75.0 % of the time in MPI, 20 calls\n" in show, show
    assert "waits        3.000 s of all ranks in calls for one message, longest for rank 2: 1.500 s\n" in show, show
    assert "early        25 % of 32 receives that were looked at found their message there\n" in show, show
    assert "open sends   at most 3 (1.5 on average) when another send begins\n" in show, show
    assert "files        8 calls, 12.0 kB, 0.000 s (mean over ranks)\n" in show, show
    assert "messages     8, 8.00 kB, 4 pairs of ranks" in show, show
    graph = "graph        4 edges, on 4 ranks\n"
    assert f"grid         1 x 4, periodic in 1 of them, on 4 ranks\n{7 * graph}             and 2 other grids and graphs\n" in show, show

    document = json.loads(commmap("profile", "export", "--json", profile).stdout)
    assert [phase["label"] for phase in document["phases"]] == ["", "solve"]
    assert document["topologies"] == [{"communicator": 0, "dims": [1, 4], "periodic": [False, True]},
                                      *(9 * [{"communicator": 0, "destinations_of_members": [[2], [3], [0], [1]]}])]
    assert document["phases"][0]["times_of_ranks"] == []
    assert document["phases"][1]["times_of_ranks"] == [{"wall_s": 5, "mpi_s": 2}] + 3 * [{"wall_s": 5, "mpi_s": 2.5}]
    assert document["phases"][1]["sent_by_rank"][3] == [{"peer": 1, "messages": [0, 0, 0, 1] + 9 * [0], "bytes": [0, 0, 0, 1000] + 9 * [0]}]
    assert document["ranks"][0]["sent"][0]["messages"][3] == 2
    assert document["ranks"][3]["early_messages"] == {"looked_at": 8, "early": 2}
    assert document["ranks"][3]["open_sends"] == [{"size_bucket": 1, "sends": 4, "others_open": 6, "most_open": 3}]
    assert document["ranks"][0]["waits"] == [{"peer": 2, "calls": 2, "seconds": 1.5}]
    assert document["ranks"][0]["calls"]["MPI_Send"] == {"calls": 10, "seconds": 1.0}
    assert document["ranks"][0]["calls"]["MPI_File_read"] == {"calls": 2, "seconds": 0.0, "file_bytes": 3000}


def test_profile_verify(commmap, profile, tmp_path):
    assert commmap("profile", "verify", profile).stdout == f"'{profile}' is undamaged: 4 ranks, 1 phase\n"
    content = profile.read_bytes()

    profile.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    all_of_them = commmap("profile", "verify")
    assert all_of_them.stdout == f"'{profile}' is damaged: phase 0: its checksum is wrong\n"
    assert all_of_them.returncode == 1 and all_of_them.stderr == "commmap: 1 of 1 profiles cannot be used\n"

    content = (ROOT / "tests/data/profile/profile_v3.commmap").read_bytes()
    elsewhere = tmp_path / "sample"

    def with_a_bit_flipped(place):
        elsewhere.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1:])
        return commmap("profile", "verify", elsewhere).stdout.partition(" is damaged: ")[2]

    parts = ("ranks", "communicators", "rounds", "topologies", "phase 0")
    assert {f"{part}: its checksum is wrong\n" for part in parts} <= set(map(with_a_bit_flipped, range(len(content) // 4, len(content), 24)))


def test_profile_list_show_export_rm(commmap, profile):
    listing = commmap("profile", "list")
    assert listing.returncode == 0 and listing.stdout.splitlines()[0] == f"in {profile.parent}"
    assert re.search(r"^4 +1 +\? +[0-9.]+ kB +/made/by/a/test +build-id-00-np4", listing.stdout, re.M), listing.stdout

    show = commmap("profile", "show", profile)
    assert "ranks        4 on 2 nodes" in show.stdout
    assert "90.0 % of it in MPI" in show.stdout
    assert "\nin MPI       9.000 s (mean over ranks), longest and shortest differ by 0.000 s\n" in show.stdout, show.stdout

    document = json.loads(commmap("profile", "export", "--json", profile.name[:8]).stdout)
    assert [rank["sent"][0]["peer"] for rank in document["ranks"]] == [2, 3, 0, 1]
    assert sum(document["ranks"][0]["sent"][0]["bytes"]) == 100_000_000

    assert commmap("profile", "rm", profile.name).returncode == 0
    assert not profile.exists()
    assert "no profiles" in commmap("profile", "list").stdout


# bytes of the profile of the fixture: 0 and 2, 1 and 3 send each other as much, and nobody else
AMOUNT = 100_000_000
PAIRS = {(0, 2), (2, 0), (1, 3), (3, 1)}


def matrix_of(lines, separator):
    return {(row, column): int(value) for row, line in enumerate(lines) for column, value in enumerate(line.split(separator)) if value != "0"}


def exported(commmap, profile, name, tmp_path):
    result = commmap("profile", "export", "--format", name, profile)
    assert result.returncode == 0, result.stderr
    (tmp_path / name).write_text(result.stdout)
    return result.stdout.splitlines()


def test_export_as_matrices(commmap, profile, tmp_path):
    assert matrix_of(exported(commmap, profile, "csv", tmp_path), ",") == {pair: AMOUNT for pair in PAIRS}
    assert matrix_of(exported(commmap, profile, "mat", tmp_path), " ") == {pair: 2 * AMOUNT for pair in PAIRS}
    head, _, size, *entries = exported(commmap, profile, "matrixmarket", tmp_path)
    assert head == "%%MatrixMarket matrix coordinate integer general" and size == "4 4 4"
    assert {tuple(map(int, entry.split())) for entry in entries} == {(row + 1, column + 1, AMOUNT) for row, column in PAIRS}


def test_export_as_open_mpi_monitors(commmap, profile, tmp_path):
    # the expression by which Open MPI's profile2mat.pl reads
    lines = exported(commmap, profile, "monitoring", tmp_path)
    found = [re.fullmatch(r"E\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs sent", line) for line in lines[1:]]
    assert {(int(line[1]), int(line[2])): int(line[3]) for line in found} == {pair: AMOUNT for pair in PAIRS}


def test_other_programs_read_the_exported_matrices(commmap, profile, tmp_path):
    """scipy, and Open MPI's own profile2mat, whose matrix has the mean of the bytes there and back."""
    exported(commmap, profile, "matrixmarket", tmp_path)
    matrix = scipy.io.mmread(tmp_path / "matrixmarket").tocsr()
    assert matrix.shape == (4, 4) and {(row, column): matrix[row, column] for row, column in zip(*matrix.nonzero())} == {pair: AMOUNT for pair in PAIRS}
    numbers = scipy.sparse.csr_matrix([[int(cell) for cell in line.split(",")] for line in exported(commmap, profile, "csv", tmp_path)])
    assert (matrix != numbers).nnz == 0

    exported(commmap, profile, "monitoring", tmp_path)
    (tmp_path / "monitoring").rename(tmp_path / "run.prof")
    patience.run(["profile2mat", "run.prof"], cwd=tmp_path, check=True, capture_output=True)
    for name, value in (("size", AMOUNT), ("msg", 1)):
        lines = [line.rstrip() for line in (tmp_path / f"run_{name}_external.mat").read_text().splitlines()]
        assert matrix_of(lines, " ") == {pair: value for pair in PAIRS}, name


def test_other_programs_read_the_exported_graphs(commmap, profile, tmp_path):
    exported(commmap, profile, "metis", tmp_path)
    checked = patience.run(["graphchk", tmp_path / "metis"], capture_output=True, text=True, check=False)
    assert "The format of the graph is correct" in checked.stdout, checked
    exported(commmap, profile, "scotch", tmp_path)
    checked = patience.run(["gtst", tmp_path / "scotch"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0 and re.search(r"Vertex\s+nbr=4", checked.stdout), checked


def test_export_formats_are_listed_and_a_wrong_one_named(commmap, profile):
    listed = commmap("profile", "export", "--format", "help")
    assert listed.returncode == 0 and [line.split()[0] for line in listed.stdout.splitlines()] == [
        "json", "csv", "matrixmarket", "mat", "metis", "scotch", "monitoring"]
    one_line_error(commmap("profile", "export", "--format", "metsi", profile), "did you mean 'metis'", code=2)
    one_line_error(commmap("profile", "export"), "name a profile")


def test_an_old_command_is_answered_with_its_new_name(commmap):
    one_line_error(commmap("report", "finish", "r.json"), "it is called 'launch-report' now", code=2)


def test_profile_rm_removes_profiles_only(commmap, home):
    (home / "notes.txt").write_text("mine")
    one_line_error(commmap("profile", "rm", "./notes.txt"), "not a profile")
    assert (home / "notes.txt").exists()


def test_map_in_three_formats(commmap, profile):
    hosts = commmap("map", "--profile", profile).stdout.split()
    assert len(hosts) == 4 and hosts[0] == hosts[2] == "n0" and hosts[1] == hosts[3] == "n1"
    assert commmap("map", "--profile", profile, "--format", "rankfile").stdout.startswith("rank 0=n0 slot=")
    document = json.loads(commmap("map", "--profile", profile, "--format", "json").stdout)
    assert [row["node"] for row in document["placement"]] == hosts


def test_map_for_each_launcher(commmap, profile):
    listed = commmap("map", "--format", "help")
    assert listed.returncode == 0 and len(listed.stdout.splitlines()) == 1
    for name, text in {"hostfile": "n0\nn1\nn0\nn1\n", "mpich": "n0:1\nn1:1\nn0:1\nn1:1\n", "intel": "n0:1\nn1:1\nn0:1\nn1:1\n",
                       "mpich-rankmap": "0,1,0,1\n", "mpich-rank-order": "0,2\n1,3\n",
                       "openmpi5": "rank 0=n0 slot=0\nrank 1=n1 slot=0\nrank 2=n0 slot=1\nrank 3=n1 slot=1\n"}.items():
        assert name in listed.stdout
        assert commmap("map", "--profile", profile, "--format", name).stdout == text, name


def test_map_with_each_mapper(commmap, profile):
    names = [line.split()[0] for line in commmap("map", "--list-mappers").stdout.splitlines()]
    assert {"linear", "round_robin", "greedy", "metis", "sweeney", "tmmgp", "anneal"} <= set(names)
    for name in names:
        hosts = commmap("map", "--profile", profile, "--mapper", name).stdout.split()
        assert sorted(hosts) == ["n0", "n0", "n1", "n1"], name
    one_line_error(commmap("map", "--profile", profile, "--mapper", "greedi"), "did you mean 'greedy'")
    for old, name in {"engine": "multisection", "multilevel_refined": "metis_refined"}.items():
        one_line_error(commmap("map", "--profile", profile, "--mapper", old), f"the mapper '{old}' is called '{name}' now")


def test_map_for_an_objective(commmap, profile):
    """The engine's placement, as of a graph; partners are two ranks apart."""
    for objective in ("hop-bytes", "port-cost", "process-time"):
        done = commmap("map", "--profile", profile, "--objective", objective, "--format", "json")
        assert done.returncode == 0, done
        mapped = json.loads(done.stdout)
        nodes = [rank["node"] for rank in mapped["placement"]]
        assert mapped["mapper"] == "multisection" and nodes[0] == nodes[2] != nodes[1] == nodes[3], objective
    assert commmap("map", "--profile", profile, "--objective", "beauty").returncode != 0
    both = commmap("map", "--profile", profile, "--objective", "hop-bytes", "--mapper", "greedy")
    assert both.returncode != 0 and "--mapper" in both.stderr
    one_line_error(commmap("map", "--profile", profile, "--keep", "order", "--objective", "hop-bytes"), "keep=order", "--objective hop-bytes")


def test_published_mappers_are_refused_in_one_line_where_they_cannot_be(commmap, home):
    (home / "cluster.yaml").write_text(CLUSTER.replace("core:2", "core:4").replace("n[0-1]", "n[0-15]"))
    make_profile(home / "many.commmap", ranks=64)
    one_line_error(commmap("map", "--profile", home / "many.commmap", "--mapper", "sweeney"), "every set of 4 out of 64 clusters", "greedy")
    assert len(commmap("map", "--profile", home / "many.commmap", "--mapper", "tmmgp").stdout.split()) == 64


def test_metis_that_fails_fails_the_published_mapper(commmap, profile, home):
    """metis takes greedy's placement then, and says so."""
    broken = preloaded(home, "broken", "return -4;")
    one_line_error(commmap("map", "--profile", profile, "--mapper", "tmmgp", LD_PRELOAD=broken), "unknown error, code -4")


def test_estimate_agrees_with_numbers_by_hand(commmap, profile, home):
    # Block: ranks 0,1 on n0, 2,3 on n1; each node port carries 2 x 100 MB one way at 100 MB/s.
    (home / "order").write_text("n0\nn1\nn0\nn1\n")
    result = commmap("estimate", "--profile", profile, "--placement", "block", "--placement", "./order", "--json")
    block, order = json.loads(result.stdout)
    assert block["port_cost_s"] == pytest.approx(2.0, rel=1e-3)
    # Fig. 4 charges the first task twice: 2 s; of 200 MB in 2 s none are left for the second, which pays 1 s.
    assert block["sweeney_s"] == pytest.approx(3.0, rel=1e-3)
    assert "Fig. 4" not in commmap("estimate", "--profile", profile, "--placement", "block").stdout
    published = commmap("estimate", "--profile", profile, "--placement", "block", "--published").stdout
    assert published.split("\n")[1].split()[:5] == ["block", "2.00", "s", "3.00", "s"], published
    assert "node n" in block["bottleneck"]
    assert block["predicted_s"] == pytest.approx(10.0, rel=1e-3)
    assert order["port_cost_s"] < 0.1
    # Of the 9 s in MPI grow the 2 s of the cost, and 0.4 of as much again.
    assert order["predicted_s"] == pytest.approx(7.2, abs=0.1)


def test_estimate_says_where_a_placement_lies_among_random_ones(commmap, profile):
    # A pair is in one node or not: 1 of 3 placements is cheap, and block is not.
    arguments = ["estimate", "--profile", profile, "--placement", "block", "--placement", "greedy", "--random", "3000"]
    block, greedy = json.loads(commmap(*arguments, "--json").stdout)
    assert block["random"]["count"] == 3000 and block["random"]["slower_percent"] == 0
    assert block["random"]["worst_s"] == pytest.approx(block["predicted_s"])
    assert block["random"]["best_s"] == pytest.approx(greedy["predicted_s"])
    assert greedy["random"]["slower_percent"] == pytest.approx(200 / 3, abs=4)

    text = commmap(*arguments).stdout.splitlines()
    assert re.fullmatch(r"of 3000 random placements, by costs: best .* s, median .* s, worst .* s", text[-3]), text
    assert text[-2] == "block is faster than 0.0 % of them"
    one_line_error(commmap("estimate", "--profile", profile, "--random", "0"), "--random", code=2)


def test_plan_answers_in_the_protocol(commmap, profile, home):
    command = home / "app"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    declined = commmap("plan", "--command", command, "--ntasks", 4, "--nodelist", "n[0-1]", "--cpus-per-node", "2(x2)")
    assert declined.returncode == 0
    lines = declined.stdout.splitlines()
    assert lines[0] == "commmap-plan 2" and lines[-1] == "end" and "decision decline" in lines

    applied = commmap("plan", "--profile", profile, "--nodelist", "n[0-1]", "--cpus-per-node", "2(x2)")
    lines = applied.stdout.splitlines()
    assert "decision apply" in lines and "tasks-per-node 2,2" in lines and lines[-1] == "end"
    assert "order 0,1,0,1" in lines


def test_topology(commmap, home):
    assert "2 nodes" in commmap("topology", "show").stdout
    assert "ok" in commmap("topology", "check").stdout
    (home / "bad.yaml").write_text(CLUSTER.replace("bandwidth", "bandwith"))
    one_line_error(commmap("topology", "check", "bad.yaml"), "bad.yaml:2:", "bandwith", "did you mean 'bandwidth'")
    one_line_error(commmap("topology", "show", "--nodelist", "n[0-2]"), "n2")
    one_line_error(commmap("topology", "check", "absent.yaml"), "absent.yaml")


@pytest.mark.parametrize("kind", ["truncated", "flipped", "newer", "empty", "directory", "fifo", "absent"])
def test_bad_profiles_give_one_line(commmap, profile, kind):
    content = profile.read_bytes()
    profile.unlink()
    if kind == "truncated":
        profile.write_bytes(content[:-5])
    elif kind == "flipped":
        profile.write_bytes(content[:60] + bytes([content[60] ^ 255]) + content[61:])
    elif kind == "newer":
        profile.write_bytes(content[:4] + (99).to_bytes(4, "little") + content[8:])
    elif kind == "empty":
        profile.write_bytes(b"")
    elif kind == "directory":
        profile.mkdir()
    elif kind == "fifo":
        os.mkfifo(profile)
    one_line_error(commmap("profile", "show", profile), profile.name)
    one_line_error(commmap("map", "--profile", profile), profile.name)


def test_the_nearest_things_are_said_when_a_profile_is_missing(commmap, home):
    one_line_error(commmap("map"), "--profile", "--command")
    one_line_error(commmap("map", "--command", "no-such-program", "--ntasks", 4), "no-such-program")
    one_line_error(commmap("map", "--command", "/bin/true", "--ntasks", 4), "commmap=profile")


def test_a_bad_environment_variable_is_one_line_and_no_failure(commmap):
    result = commmap("topology", "check", COMMMAP_THRESHOLD="lots")
    assert result.returncode == 0
    assert len(result.stderr.splitlines()) == 1 and "COMMMAP_THRESHOLD" in result.stderr


def test_metis_that_fails_gives_greedy_and_one_line(commmap, profile, home):
    source = home / "metis.c"
    names = ["METIS_PartGraphKway", "METIS_PartGraphRecursive"]
    source.write_text("".join(f"int {name}(void) {{ return -4; }}\n" for name in names))
    patience.run(["cc", "-shared", "-fPIC", "-o", home / "broken.so", source], check=True)
    result = commmap("map", "--profile", profile, "--mapper", "metis", LD_PRELOAD=str(home / "broken.so"))
    assert result.returncode == 0
    assert len(result.stdout.split()) == 4
    assert [line for line in result.stderr.splitlines() if "METIS" in line and "greedy" in line] == result.stderr.splitlines()


def test_profiles_are_found_by_name(commmap, profile, home):
    directory = home / "named"
    directory.mkdir()
    for stem in ("build-id-aa-np4", "build-id-ab-np4"):
        make_profile(directory / f"{stem}.commmap")
    store = ("--profile-dir", directory)
    command = json.loads(commmap("profile", "export", "--json", profile).stdout)["command"].rsplit("/", 1)[-1]
    assert commmap("profile", "show", "build-id-aa", *store).returncode == 0
    assert commmap("map", "--profile", "build-id-aa-np4.commmap", *store).returncode == 0
    one_line_error(commmap("profile", "show", "build-id", *store), "any of several profiles", "build-id-aa-np4, build-id-ab-np4")
    one_line_error(commmap("map", "--profile", "nothing", *store), "called 'nothing'", "commmap profile list")
    (directory / "build-id-ab-np4.commmap").unlink()
    assert commmap("profile", "show", command, *store).returncode == 0


def test_profile_of_the_program_beside_it(commmap, profile, home):
    """In the program's directory its name is the program's file, which is no profile."""
    store = home / "beside"
    store.mkdir()
    program = home / "app"
    shutil.copy(BUILD / "tests/cli/make_profile", program)
    one_line_error(commmap("profile", "show", "app", "--profile-dir", store), "'app' has no profile in", "--commmap=profile")
    build_id = re.search("Build ID: ([0-9a-f]+)", patience.run(["readelf", "-n", program], check=True, capture_output=True, text=True).stdout)[1]
    make_profile(store / f"build-id-{build_id}-np4.commmap")
    for name in ("app", "./app", program):
        assert "4 on 2 nodes" in commmap("profile", "show", name, "--profile-dir", store).stdout


def test_a_job_is_its_own_allocation(commmap, profile):
    job = {"SLURM_JOB_NODELIST": "n[0-1]", "SLURM_JOB_CPUS_PER_NODE": "1(x2)"}
    one_line_error(commmap("map", "--profile", profile, **job), "4", "2")
    assert commmap("map", "--profile", profile, "--nodelist", "n[0-1]", **job).returncode == 0
    assert "2 nodes, 4 PUs" in commmap("topology", "show", **job).stdout


def test_plan_is_kept_until_something_changes(commmap, home):
    make_profile(home / "app.commmap")
    question = ("plan", "--profile", home / "app.commmap", "--ntasks", 4, "--nodelist", "n[0-1]", "--cpus-per-node", "2(x2)")
    place = home / ".cache/commmap" / own_name("plans")

    first = commmap(*question)
    kept = {path.name: path.read_bytes() for path in place.glob("*.plan")}
    assert len(kept) == 1 and "decision apply" in first.stdout
    # the answer is that of the file: one that is changed with its hash shows it, any other change makes it void
    (place / next(iter(kept))).write_bytes(next(iter(kept.values()))[:-1])
    assert commmap(*question).stdout == first.stdout
    assert {path.name: path.read_bytes() for path in place.glob("*.plan")} == kept

    for more in (("--layout", "1x2,0x2"), ("--seed", 2), ("--rank0", "free"), ("--verbose",), ("--keep", "blocks"), ("--keep", "order"),
                 ("--collectives", "mpich4")):
        commmap(*question, *more)
    assert len(list(place.glob("*.plan"))) == 8
    (home / "cluster.yaml").write_text(CLUSTER.replace("100 MB/s", "50 MB/s"))
    assert commmap(*question).stdout == first.stdout
    assert len(list(place.glob("*.plan"))) == 9
    commmap(*question, "--plan-cache", "off", "--seed", 3)
    assert len(list(place.glob("*.plan"))) == 9


def test_a_planned_placement_has_all_figures(commmap, profile):
    planned = json.loads(commmap("map", "--profile", profile, "--format", "json").stdout)
    assert planned["mapper"] != "slurm" and planned["process_time_s"] > 0 and planned["port_cost_s"] > 0


def test_plan_answers_within_its_budget(commmap, home):
    make_profile(home / "app.commmap")
    question = ("plan", "--profile", home / "app.commmap", "--ntasks", 4, "--nodelist", "n[0-1]", "--cpus-per-node", "2(x2)",
                "--plan-cache", "off")
    assert commmap(*question, "--budget", 3600).stdout == commmap(*question).stdout

    # reading the profile alone takes longer than this
    make_profile(home / "large.commmap", ranks=65536)
    late = commmap("plan", "--profile", home / "large.commmap", "--budget", 0.001)
    assert late.returncode == 0
    assert late.stdout.splitlines() == ["commmap-plan 2", "line planning took too long; launching as without commmap",
                                        "decision decline", "end"]


def preloaded(home, name, body):
    """Library functions in which METIS does what `body` says."""
    source = home / f"{name}.cpp"
    source.write_text("#include <fcntl.h>\n#include <new>\n#include <signal.h>\n#include <unistd.h>\n"
                      + "".join(f'extern "C" int {function}(...) {{ {body} }}\n' for function in ("METIS_PartGraphKway", "METIS_PartGraphRecursive")))
    patience.run(["c++", "-shared", "-fPIC", "-o", home / f"{name}.so", source], check=True)
    return str(home / f"{name}.so")


@pytest.mark.parametrize("signal", ["SIGALRM", "SIGXCPU"])
def test_plan_at_the_last_moment_is_the_best_that_is_finished(commmap, home, signal):
    """The time is up while METIS is at work, and METIS never returns."""
    make_profile(home / "app.commmap")
    question = ("plan", "--profile", home / "app.commmap", "--ntasks", 4, *PLACED, "--budget", 3600)
    endless = preloaded(home, "endless", f"raise({signal}); for (;;) pause();")

    late = commmap(*question, LD_PRELOAD=endless)
    told = commmap(*question, "--verbose", "--report", home / "plan.json", LD_PRELOAD=endless)

    assert late.returncode == 0 and late.stdout.splitlines() == [
        "commmap-plan 2", "line planning took too long (plan-seconds): the best placement found by then", "decision apply", "tasks-per-node 2,2",
        "order 0,1,0,1", "cpu-sets 0,1@0x2", "end"], late
    lines = told.stdout.splitlines()
    candidates = [line.split()[1] for line in lines[3:] if line.startswith("line ")]
    assert candidates[:3] == ["slurm", "linear", "round_robin"] and "metis" not in candidates
    assert "line the report is not written: planning took too long (plan-seconds)" in lines and "report written" not in lines and not (home / "plan.json").exists()
    assert lines[-5:] == late.stdout.splitlines()[-5:]
    # kept, but for the question with a report
    assert len(list((home / ".cache/commmap" / own_name("plans")).glob("*.plan"))) == 1
    assert commmap(*question).stdout.splitlines() == [late.stdout.splitlines()[0], *late.stdout.splitlines()[2:]]
    planners.until_none_is_at_work(home)
    # nothing better than Slurm's own
    keep = commmap(*question, "--layout", "0,1,0,1", LD_PRELOAD=endless)
    assert keep.stdout.splitlines() == ["commmap-plan 2", "line planning took too long; launching as without commmap", "decision keep", "end"]
    assert len(list((home / ".cache/commmap" / own_name("plans")).glob("*.plan"))) == 2


def test_a_plan_that_is_improved_is_as_if_there_had_been_time(commmap, home):
    """METIS has no time in the first plan, and the mappers behind it neither."""
    make_profile(home / "app.commmap")
    question = ("plan", "--profile", home / "app.commmap", "--ntasks", 4, *PLACED, "--verbose")
    endless = preloaded(home, "endless", "raise(SIGALRM); for (;;) pause();")
    first = commmap(*question, "--budget", 3600, LD_PRELOAD=endless).stdout
    assert "line metis " not in first and "line multisection " not in first

    answers = []
    kept = planners.kept_plan(home)
    planners.launch_until(home, lambda: answers.append(commmap(*question, "--budget", 3600).stdout),
                          lambda: planners.cut_short_and_launches_left(kept)[0] == 0, "the plan is finished")
    planners.until_none_is_at_work(home)
    improved = commmap(*question, "--budget", 3600).stdout

    assert "line multisection " not in answers[0]
    assert improved == commmap(*question, "--plan-cache", "off").stdout and "line multisection " in improved


@pytest.mark.parametrize("full", [False, True], ids=["", "nothing can be written"])
def test_what_is_left_behind_lets_go(commmap, home, full):
    """Of the pipes, so that who reads them to their end does not wait; its process group is its own. Where the count of launches cannot
    be kept, no work begins."""
    make_profile(home / "app.commmap")
    question = ("plan", "--profile", home / "app.commmap", "--ntasks", 4, *PLACED, "--budget", 3600)
    waits = f'while (access("{home}/go", F_OK)) usleep(1000);'
    commmap(*question, LD_PRELOAD=preloaded(home, "endless", "raise(SIGALRM); for (;;) pause();"))
    kept = planners.kept_plan(home)
    before = kept.read_bytes()
    slow = preloaded(home, "slow", f"close(open(\"{home}/here\", O_CREAT, 0600)); {waits}")
    command = ["bash", "-c", 'set -m; [ -z "$FULL" ] || ulimit -f 0; "$@" | cat; echo read', "x", PREFIX / "bin/commmap", *map(str, question)]

    def launch():
        (home / "here").unlink(missing_ok=True)
        done = patience.run(command, capture_output=True, text=True, cwd=home,
                            env={"PATH": "/usr/bin:/bin", "HOME": str(home), "COMMMAP_CLUSTER": str(home / "cluster.yaml"), "LD_PRELOAD": slow,
                                 **({"FULL": "1"} if full else {})})
        assert done.stdout.endswith("\nend\nread\n"), done

    def is_own_group_is_lowest_and_its_streams():
        """Of what is left behind, while it is in METIS; None when it is not there, or no more."""
        pids = patience.run(["pgrep", "-f", f"commmap plan --profile {home}"], capture_output=True, text=True).stdout.split()
        if not pids or not (home / "here").exists():
            return None
        [pid] = map(int, pids)
        try:
            return (os.getpgid(pid) == pid, os.getpriority(os.PRIO_PROCESS, pid) == 19, {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in (0, 1, 2)})
        except (ProcessLookupError, FileNotFoundError):
            return None

    if full:
        launch()
        planners.until_none_is_at_work(home)
        assert kept.read_bytes() == before and not (home / "here").exists()
        return
    seen = planners.launch_until(home, launch, is_own_group_is_lowest_and_its_streams, "METIS is called behind the answer")
    assert seen == (True, True, {"/dev/null"})
    (home / "go").touch()
    planners.until_none_is_at_work(home)


def test_a_planner_that_dies_while_it_improves_a_plan_is_no_loss(commmap, home):
    """As METIS raises a signal each time. After three launches nobody tries any more."""
    make_profile(home / "app.commmap")
    question = ("plan", "--profile", home / "app.commmap", "--ntasks", 4, *PLACED, "--budget", 3600)
    endless = preloaded(home, "endless", "raise(SIGALRM); for (;;) pause();")
    first = commmap(*question, LD_PRELOAD=endless).stdout
    kept = planners.kept_plan(home)

    def launches_left():
        return planners.cut_short_and_launches_left(kept)[1]

    def launch():
        again = commmap(*question, LD_PRELOAD=endless).stdout
        assert again.splitlines()[1:] == first.splitlines()[2:]
        return again

    for left in (3, 2, 1):
        assert launches_left() == left
        planners.launch_until(home, launch, lambda left=left: launches_left() < left, "one launch less")
        planners.until_none_is_at_work(home)
    again = launch()
    finished = kept.read_bytes()
    assert launches_left() == 0
    assert commmap(*question).stdout == again and kept.read_bytes() == finished


def test_what_is_left_behind_ends_by_its_cpu_time(commmap, home):
    """METIS never returns in the background, where it works all the time."""
    make_profile(home / "app.commmap")
    question = ("plan", "--profile", home / "app.commmap", "--ntasks", 4, *PLACED, "--budget", 3600)
    commmap(*question, LD_PRELOAD=preloaded(home, "endless", "raise(SIGALRM); for (;;) pause();"))
    spinning = preloaded(home, "spinning", f"close(open(\"{home}/here\", O_CREAT, 0600)); signal(SIGALRM, SIG_IGN); for (;;);")

    planners.launch_until(home, lambda: commmap(*question, LD_PRELOAD=spinning), (home / "here").exists, "METIS is called behind the answer")
    planners.until_none_is_at_work(home)


def test_a_planner_in_its_last_moment_leaves_what_another_one_kept(commmap, home):
    """Two first launches: METIS hangs in one of them, and the other one keeps a whole plan meanwhile."""
    make_profile(home / "app.commmap")
    question = ("plan", "--profile", home / "app.commmap", "--ntasks", 4, *PLACED, "--budget", 3600)
    slow = preloaded(home, "slow", f"close(open(\"{home}/here\", O_CREAT, 0600)); while (access(\"{home}/go\", F_OK)) usleep(1000);"
                                   " raise(SIGALRM); for (;;) pause();")
    with concurrent.futures.ThreadPoolExecutor() as threads:
        late = threads.submit(commmap, *question, LD_PRELOAD=slow)
        patience.until((home / "here").exists, 60, "METIS is called")
        whole = commmap(*question).stdout
        [kept] = (home / ".cache/commmap" / own_name("plans")).glob("*.plan")
        before = kept.read_bytes()
        (home / "go").touch()
        assert "planning took too long" in late.result().stdout
    assert kept.read_bytes() == before and commmap(*question).stdout == whole
    assert [path.name for path in kept.parent.iterdir() if path.name != ".lock"] == [kept.name]


def test_a_mapper_without_memory_is_left_out(commmap, home):
    make_profile(home / "app.commmap")
    question = ("plan", "--profile", home / "app.commmap", "--ntasks", 4, *PLACED)

    done = commmap(*question, LD_PRELOAD=preloaded(home, "hungry", "throw std::bad_alloc();"))

    lines = done.stdout.splitlines()
    assert done.returncode == 0 and lines[:3] == ["commmap-plan 2", "line the mapper metis failed (out of memory); its placement is not among the candidates", "decision apply"], done
    assert lines[-1] == "end"
    # with more memory there may be another plan
    assert not (home / ".cache/commmap" / own_name("plans")).exists()
    assert "line" not in commmap(*question).stdout and len(list((home / ".cache/commmap" / own_name("plans")).glob("*.plan"))) == 1


def test_help_names_the_environment_of_what_can_be_set_there(commmap):
    said = commmap("plan", "--help").stdout
    assert "COMMMAP_SEED" in said and "COMMMAP_PLAN_CACHE" in said
    assert "--plan-threads" in said and "COMMMAP_PLAN_THREADS" not in said


def test_layout(commmap, home):
    make_profile(home / "app.commmap")
    question = ("plan", "--profile", home / "app.commmap", "--ntasks", 4, "--nodelist", "n[0-1]", "--cpus-per-node", "2(x2)")

    # partners are together already: nothing to gain
    assert "decision keep" in commmap(*question, "--layout", "0,1,0,1").stdout
    # rank 0 stays where Slurm has it
    assert "\norder 1,0,1,0\n" in commmap(*question, "--layout", "1x2,0x2").stdout
    for layout, words in (("0x2", "the layout has 2 ranks, the job has 4"), ("0x3,1", "more tasks than CPUs on node 0"),
                          ("0x2,2x2", "names node 2"), ("0x2,b", "'b'")):
        done = commmap(*question, "--layout", layout)
        assert done.returncode == 0 and words in done.stdout and "decision decline" in done.stdout, done
    assert commmap(*question, "--layout", "-", stdin="1x2,0x2\n").stdout == commmap(*question, "--layout", "1x2,0x2").stdout
    one_line_error(commmap(*question, "--layout", "-", stdin="\n"), "--layout -: standard input is empty or cannot be read", code=2)
    mapped = ("map", "--profile", home / "app.commmap", "--mapper", "greedy", "--layout", "1x2,0x2")
    assert commmap(*mapped).stdout.startswith("n1\n")


def test_collectives(commmap):
    """The rules by which collectives become messages: the library's that the profile names, unless others are asked for."""
    job = ("estimate", "--profile", ROOT / "bench/profiles/quantum-espresso.commmap", "--cluster", ROOT / "tests/testbed/shapes/8x2.yaml",
           "--placement", "block", "--json")

    def cost(*words, **environment):
        return json.loads(commmap(*job, *words, **environment).stdout)[0]["port_cost_s"]

    recorded = cost()
    assert recorded == cost("--collectives", "openmpi4") == cost("--collectives", "auto", COMMMAP_COLLECTIVES="mpich4")
    assert cost("--collectives", "mpich4") == cost(COMMMAP_COLLECTIVES="mpich4") < recorded
    assert cost("--collectives", "openmpi5") < recorded
    one_line_error(commmap(*job, "--collectives", "mpich3"), "'mpich3' is not 'auto', 'openmpi4', 'openmpi5' or 'mpich4'", code=2)


PACKAGES = """\
version: 1
links: {net: {bandwidth: 100 MB/s}, up: {bandwidth: 200 MB/s}}
node_classes:
  wide: {hwloc: {synthetic: "package:2 core:2 pu:1"}, link: net, inside: {package: {bandwidth: 20 MB/s}}}
switches:
  top: {switches: [a, b]}
  a: {nodes: "n[0-1]", class: wide, link: up}
  b: {nodes: "n[2-3]", class: wide, link: up}
"""


def test_keep(commmap, home):
    """Blocks of four ranks whose partners are two blocks away, then pairs inside a node."""
    (home / "cluster.yaml").write_text(PACKAGES)
    make_profile(home / "far.commmap", ranks=16, distance=8)
    make_profile(home / "near.commmap", ranks=4)
    far = ("--profile", home / "far.commmap", "--nodelist", "n[0-3]", "--cpus-per-node", "4(x4)")
    near = ("--profile", home / "near.commmap", "--nodelist", "n[0-1]", "--cpus-per-node", "4(x2)", "--layout", "0x4")

    (home / "cluster.yaml").write_text(PACKAGES.replace("20 MB/s", "20 GB/s").replace("up: {bandwidth: 200", "up: {bandwidth: 50"))
    assert "\norder 0x4,2x4,1x4,3x4\n" in commmap("plan", *far, "--keep", "blocks").stdout
    hosts = commmap("map", *far, "--keep", "blocks").stdout.split()
    assert hosts == ["n0"] * 4 + ["n2"] * 4 + ["n1"] * 4 + ["n3"] * 4
    assert commmap("map", *far, COMMMAP_KEEP="order").stdout.split() == [f"n{rank // 4}" for rank in range(16)]
    declined = commmap("plan", *far, "--keep", "blocks", "--layout", ",".join(str(rank % 4) for rank in range(16))).stdout
    assert "decision decline" in declined and declined.count("line ") == 1 and "n0 are not consecutive" in declined

    (home / "cluster.yaml").write_text(PACKAGES)
    applied = commmap("plan", *near, "--keep", "order").stdout.splitlines()
    assert "decision apply" in applied and "order 0x4" in applied
    cpu_sets = next(line for line in applied if line.startswith("cpu-sets ")).split()[1].split("@")[0].split("/")[0].split(",")
    package = [int(index) // 2 for index in cpu_sets]
    assert package[0] == package[2] != package[1] == package[3]

    one_line_error(commmap("plan", *far, "--keep", "block"), "'none', 'blocks' or 'order'", code=2)
    one_line_error(commmap("map", *far, "--keep", "order", "--mapper", "greedy"), "keep=order", "--mapper greedy")


def test_what_keeping_costs(commmap, home):
    (home / "cluster.yaml").write_text(PACKAGES.replace("20 MB/s", "20 GB/s").replace("up: {bandwidth: 200", "up: {bandwidth: 50"))
    make_profile(home / "far.commmap", ranks=16, distance=8)
    far = ("--profile", home / "far.commmap", "--nodelist", "n[0-3]", "--cpus-per-node", "4(x4)")

    def rows(text, head):
        lines = [line.removeprefix(head).split() for line in text.splitlines() if line.startswith(head)]
        start = next(number for number, words in enumerate(lines) if words[:3] == ["keep", "port", "cost"])
        return {words[0]: words[1:3] for words in lines[start + 1:start + 5]}

    table = rows(commmap("plan", *far, "--verbose").stdout, "line ")
    assert list(table) == ["none", "blocks", "order", "slurm"]
    assert table["order"] == table["slurm"] == ["16.0", "s"]  # eight ranks' 100 MB through 50 MB/s
    assert table["blocks"] == ["4.00", "s"]  # four ranks' through a node's 100 MB/s
    assert table["none"][1] == "ms"
    assert rows(commmap("map", *far, "--keep", "blocks", "--verbose").stderr, "commmap: ") == table
    assert "keep" not in commmap("plan", *far).stdout


PLACED = ("--nodelist", "n[0-1]", "--cpus-per-node", "2(x2)")


def test_plan_in_words(commmap, home):
    make_profile(home / "app.commmap")
    lines = commmap("plan", "--profile", home / "app.commmap", "--ntasks", 4, *PLACED, "--verbose").stdout.splitlines()
    table = [line.removeprefix("line ") for line in lines if line.startswith("line ")]
    assert "gain" in table[1] and sum("<- chosen" in line for line in table) == 1
    moves = table.index("2 of 4 ranks to another node")
    assert table[moves:moves + 4] == ["2 of 4 ranks to another node", "node  ranks by Slurm  ranks as planned",
                                      "n0    0-1             0 2", "n1    2-3             1 3"]


def test_report_from_plan_to_launch(commmap, home):
    make_profile(home / "app.commmap")
    question = ("plan", "--profile", home / "app.commmap", "--ntasks", 4, *PLACED, "--report", "plan.json")
    fresh = commmap(*question)
    assert "\nreport written\n" in fresh.stdout and "decision apply" in fresh.stdout
    report = json.loads((home / "plan.json").read_text())
    assert report["decision"] == "apply" and report["gain_percent"] > 20 and report["profile"].endswith("app.commmap")
    gain = report["gain"]
    assert 1 < gain["low"] < gain["factor"] < gain["high"]
    assert gain["factor"] == pytest.approx(1 / (1 - report["gain_percent"] / 100))
    assert [row["planned"] for row in report["ranks"]] == ["n0", "n1", "n0", "n1"]
    assert "launch" not in report

    (home / "plan.json").unlink()
    assert commmap(*question).stdout == fresh.stdout  # kept, and the report with it
    assert json.loads((home / "plan.json").read_text()) == report
    assert len(list((home / ".cache/commmap" / own_name("plans")).glob("*.plan"))) == 1

    finish = ("launch-report", "finish", "plan.json", "--step", "7.1", "--nodelist", "n[0-1]", "--layout")
    assert commmap(*finish, "0,1,0,1").returncode == 0
    assert json.loads((home / "plan.json").read_text())["launch"] == {"step": "7.1", "as_planned": True}
    table = commmap("where", "--report", "plan.json")
    assert table.returncode == 0 and "DIFFERENT" not in table.stdout and len(table.stdout.splitlines()) == 6

    assert commmap(*finish, "0,0,1,1").returncode == 0
    assert json.loads((home / "plan.json").read_text())["launch"]["as_planned"] is False
    table = commmap("where", "--report", "plan.json")
    assert table.returncode == 1 and table.stdout.count("DIFFERENT") == 2 and table.stderr == ""

    assert commmap("launch-report", "decline", "plan.json", "--reason", "other steps run", "--amend").returncode == 0
    report = json.loads((home / "plan.json").read_text())
    assert (report["decision"], report["reason"]) == ("decline", "other steps run") and len(report["candidates"]) > 1
    assert commmap("where", "--report", "plan.json").stdout == "decline: other steps run\n"


def test_a_plan_without_its_report(commmap, home):
    make_profile(home / "app.commmap")
    done = commmap("plan", "--profile", home / "app.commmap", "--ntasks", 4, *PLACED, "--report", "/nonexistent/plan.json")
    assert done.returncode == 0 and "decision apply" in done.stdout and "report written" not in done.stdout
    assert done.stdout.splitlines()[1].startswith("line no report: cannot create a file beside '/nonexistent/plan.json'")


def test_nothing_is_written_in_place_of_a_device(commmap, profile, home):
    """As root, renaming a file to /dev/null would take it from everybody."""
    os.mkfifo(home / "fifo")
    one_line_error(commmap("map", "--profile", profile, "-o", "fifo"), "cannot write 'fifo'")
    assert (home / "fifo").is_fifo()


def test_a_program_without_mpi(commmap, home):
    question = ("plan", "--command", "/usr/bin/hostname", "--ntasks", 4, *PLACED)
    assert commmap(*question).stdout == "commmap-plan 2\ndecision decline\nend\n"
    assert "has no MPI: nothing to place" in commmap(*question, "--verbose").stdout
    # a program that starts another one may have any
    assert "no profile of" in commmap("plan", "--command", "/usr/bin/env", "--ntasks", 4, *PLACED).stdout


def test_where(commmap, home):
    report = {"report": "commmap launch", "decision": "apply", "reason": "r", "ranks": [
        {"rank": 0, "by_slurm": "n0", "planned": "n0", "cpu_set_index": None}, {"rank": 1, "by_slurm": "n0", "planned": "n1", "cpu_set_index": 1},
        {"rank": 2, "by_slurm": "n1", "planned": "n1", "cpu_set_index": 0}]}
    (home / "r.json").write_text(json.dumps(report))
    cpus = sorted(os.sched_getaffinity(0))

    def task(rank, node, *words, **more):
        return commmap("where", *words, SLURM_STEP_ID="0", SLURM_PROCID=str(rank), SLURMD_NODENAME=node, **more)

    assert re.fullmatch(r"rank 0 +n0 +CPUs \S+ *\n", task(0, "n0").stdout)
    right = task(0, "n0", "--report", "r.json")
    assert right.returncode == 0 and re.search(r"planned n0 +CPUs any +ok$", right.stdout)
    wrong = task(0, "n1", "--report", "r.json")
    assert wrong.returncode == 1 and wrong.stdout.endswith("DIFFERENT\n") and wrong.stderr == ""
    # the second of the places into which what Slurm gave the node's two tasks is divided
    beyond = max(cpus) + 1
    masks = {"SLURM_CPU_BIND_TYPE": "mask_cpu:", "SLURM_CPU_BIND_LIST": f"{1 << cpus[0]:#x},{1 << cpus[-1]:#x}"}
    if len(cpus) > 1:
        loose = task(1, "n1", "--report", "r.json", **masks)
        assert loose.returncode == 1 and f"CPUs {cpus[-1]} " in loose.stdout and "DIFFERENT" in loose.stdout, loose
        os.sched_setaffinity(0, {cpus[-1]})
        try:
            bound = task(1, "n1", "--report", "r.json", **masks)
        finally:
            os.sched_setaffinity(0, cpus)
        assert bound.returncode == 0 and bound.stdout.endswith(" ok\n"), bound
    assert "CPUs any" in task(1, "n1", "--report", "r.json", **{**masks, "SLURM_CPU_BIND_LIST": f"{1 << beyond:#x}"}).stdout
    one_line_error(task(3, "n1", "--report", "r.json"), "is the report of a step with 3 ranks; this task is rank 3 of another step")
    # a batch script is no task
    assert commmap("where", "--report", "r.json", SLURM_STEP_ID="4294967291", SLURM_PROCID="0").stdout.startswith("apply: r\n")
    one_line_error(commmap("where"), "not in a task")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"report": "other"}', '{"report": "commmap launch", "decision": "apply", "ranks": [{}]}',
                                  '{"report": "commmap launch", "decision": "apply", "ranks": 3}',
                                  '{"report": "commmap launch", "ranks": [{"by_slurm": 1, "planned": "n0", "cpu_set_index": 0}]}'])
def test_a_file_that_is_no_report(commmap, home, text):
    (home / "r.json").write_text(text)
    one_line_error(commmap("where", "--report", "r.json"), "is not a report")
    one_line_error(commmap("launch-report", "finish", "r.json", "--step", "1.0", "--nodelist", "n0", "--layout", "0"), "is not a report")
    assert (home / "r.json").read_text() == text
    one_line_error(commmap("where", "--report", "absent.json"), "absent.json")
