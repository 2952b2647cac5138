"""The program `commmap` as a user meets it: the installed one, real files, exit codes and the one line of an error."""

import json
import os
import pathlib
import subprocess

import pytest

PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
BUILD = pathlib.Path(os.environ["COMMMAP_BUILD"])

CLUSTER = """\
version: 1
links: {net: {bandwidth: 100 MB/s}}
node_classes:
  small: {hwloc: {synthetic: "core:2 pu:1"}, link: net}
switches: {s: {nodes: "n[0-1]", class: small}}
"""


@pytest.fixture
def home(tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    return tmp_path


@pytest.fixture
def commmap(home):
    def run(*arguments, **environment):
        return subprocess.run(
            [PREFIX / "bin/commmap", *map(str, arguments)], capture_output=True, text=True, cwd=home, timeout=60,
            env={"PATH": "/usr/bin:/bin", "HOME": str(home), "COMMMAP_CLUSTER": str(home / "cluster.yaml"), **environment})
    return run


def make_profile(path, ranks=4, distance=2, size=100_000_000):
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([BUILD / "tests/cli/make_profile", path, str(ranks), str(distance), str(size)], check=True)
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
                    ["profile", "export"], ["profile", "rm"], ["topology", "show"], ["topology", "check"]):
        result = commmap(*command, "--help")
        assert result.returncode == 0 and "Usage" in result.stdout, command
        assert command[0] in top.stdout


def test_misspelt_words_name_the_nearest(commmap):
    one_line_error(commmap("profil"), "did you mean 'profile'", code=2)
    one_line_error(commmap("map", "--treshold", "5"), "did you mean '--threshold'", code=2)
    one_line_error(commmap("profile", "lsit"), "none called 'lsit'", "did you mean 'list'", "show, export, rm", code=2)
    one_line_error(commmap("topology"), "'topology' needs a command", "show, check", code=2)
    one_line_error(commmap("map", "--threshold", "many"), "many", code=2)
    one_line_error(commmap("map", "--format", "xml"), "hostfile", code=2)


def test_no_arguments_prints_the_help(commmap):
    result = commmap()
    assert result.returncode == 0 and "Usage" in result.stdout


def test_profile_list_show_export_rm(commmap, profile):
    listing = commmap("profile", "list")
    assert listing.returncode == 0 and "/made/by/a/test" in listing.stdout and profile.name in listing.stdout

    show = commmap("profile", "show", profile)
    assert "ranks        4 on 2 nodes" in show.stdout
    assert "90.0 % of it in MPI" in show.stdout

    document = json.loads(commmap("profile", "export", "--json", profile.name[:8]).stdout)
    assert [rank["sent"][0]["peer"] for rank in document["ranks"]] == [2, 3, 0, 1]
    assert sum(document["ranks"][0]["sent"][0]["bytes"]) == 100_000_000

    assert commmap("profile", "rm", profile.name).returncode == 0
    assert not profile.exists()
    assert "no profiles" in commmap("profile", "list").stdout


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


def test_map_with_each_mapper(commmap, profile):
    names = [line.split()[0] for line in commmap("map", "--list-mappers").stdout.splitlines()]
    assert {"linear", "round_robin", "greedy", "multilevel", "anneal"} <= set(names)
    for name in names:
        hosts = commmap("map", "--profile", profile, "--mapper", name).stdout.split()
        assert sorted(hosts) == ["n0", "n0", "n1", "n1"], name
    one_line_error(commmap("map", "--profile", profile, "--mapper", "greedi"), "did you mean 'greedy'")


def test_estimate_agrees_with_numbers_by_hand(commmap, profile, home):
    # Block: ranks 0,1 on n0, 2,3 on n1; each node port carries 2 x 100 MB one way at 100 MB/s.
    (home / "order").write_text("n0\nn1\nn0\nn1\n")
    result = commmap("estimate", "--profile", profile, "--placement", "block", "--placement", "./order", "--json")
    block, order = json.loads(result.stdout)
    assert block["port_cost_s"] == pytest.approx(2.0, rel=1e-3)
    assert "node n" in block["bottleneck"]
    assert block["predicted_s"] == pytest.approx(10.0, rel=1e-3)
    assert order["port_cost_s"] < 0.1
    assert order["predicted_s"] < 1.5


def test_plan_answers_in_the_protocol(commmap, profile, home):
    command = home / "app"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    declined = commmap("plan", "--command", command, "--ntasks", 4, "--nodelist", "n[0-1]", "--cpus-per-node", "2(x2)")
    assert declined.returncode == 0
    lines = declined.stdout.splitlines()
    assert lines[0] == "commmap-plan 1" and lines[-1] == "end" and "decision decline" in lines

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
    subprocess.run(["cc", "-shared", "-fPIC", "-o", home / "broken.so", source], check=True)
    result = commmap("map", "--profile", profile, "--mapper", "multilevel", LD_PRELOAD=str(home / "broken.so"))
    assert result.returncode == 0
    assert len(result.stdout.split()) == 4
    assert [line for line in result.stderr.splitlines() if "METIS" in line and "greedy" in line] == result.stderr.splitlines()


def test_profiles_are_found_by_name(commmap, profile, home):
    directory = home / "named"
    directory.mkdir()
    for stem in ("build-id-aa-np4", "build-id-ab-np4"):
        (directory / f"{stem}.commmap").write_bytes(profile.read_bytes())
    store = ("--profile-dir", directory)
    command = json.loads(commmap("profile", "export", "--json", profile).stdout)["command"].rsplit("/", 1)[-1]
    assert commmap("profile", "show", "build-id-aa", *store).returncode == 0
    assert commmap("map", "--profile", "build-id-aa-np4.commmap", *store).returncode == 0
    one_line_error(commmap("profile", "show", "build-id", *store), "any of 2 profiles", "build-id-aa-np4.commmap, build-id-ab-np4.commmap")
    one_line_error(commmap("map", "--profile", "nothing", *store), "called 'nothing'", "commmap profile list")
    (directory / "build-id-ab-np4.commmap").unlink()
    assert commmap("profile", "show", command, *store).returncode == 0


def test_a_job_is_its_own_allocation(commmap, profile):
    job = {"SLURM_JOB_NODELIST": "n[0-1]", "SLURM_JOB_CPUS_PER_NODE": "1(x2)"}
    one_line_error(commmap("map", "--profile", profile, **job), "4", "2")
    assert commmap("map", "--profile", profile, "--nodelist", "n[0-1]", **job).returncode == 0
    assert "2 nodes, 4 PUs" in commmap("topology", "show", **job).stdout
