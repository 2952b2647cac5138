"""scripts/lib/common.sh: what a signal to a script leaves behind, and how it waits for a root; arguments of scripts/test."""

import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

CHILD = """
import pathlib, subprocess, sys
place = pathlib.Path(sys.argv[1])
grandchild = subprocess.Popen(["sleep", "1000"])
(place / "grandchild").write_text(str(grandchild.pid))
(place / "started").touch()
try:
    grandchild.wait()
except KeyboardInterrupt:
    (place / "cleaned").touch()
"""


def wait_for(condition):
    while not condition():
        time.sleep(0.02)  # the test runner's time limit is the limit


def gone(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_child_and_takes_the_testbed_down(tmp_path, number, code):
    (tmp_path / "child.py").write_text(CHILD)
    down = tmp_path / "testbed"
    down.write_text(f"#!/bin/sh\necho \"$@\" >{tmp_path}/down\n")
    down.chmod(0o755)
    script = f". {ROOT}/scripts/lib/common.sh; TESTBED={down}; bring_down_at_exit t; run_child /usr/bin/python3 {tmp_path}/child.py {tmp_path}"
    process = subprocess.Popen(["bash", "-c", script], start_new_session=True)
    wait_for((tmp_path / "started").exists)

    os.kill(process.pid, number)

    assert process.wait(timeout=30) == code
    assert (tmp_path / "cleaned").exists()
    assert (tmp_path / "down").read_text() == "--name t down\n"
    assert gone(int((tmp_path / "grandchild").read_text()))


def test_the_childs_exit_code_is_the_scripts(tmp_path):
    script = f". {ROOT}/scripts/lib/common.sh; run_child sh -c 'exit 7' || exit $?"
    assert subprocess.run(["bash", "-c", script], check=False).returncode == 7


def common(script, **environment):
    return subprocess.run(["bash", "-c", f". {ROOT}/scripts/lib/common.sh; {script}"], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


def test_what_runs_aside_is_printed_when_it_has_ended():
    done = common("work() { echo found; return 3; }; begin_aside work; echo meanwhile; aside_has_ended; echo code $?")
    assert done.stdout == "meanwhile\ncode 3\n" and done.stderr == "found\n", done


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_what_runs_aside(tmp_path, number, code):
    script = (f". {ROOT}/scripts/lib/common.sh; work() {{ sleep 1000 & echo $! >{tmp_path}/new; mv {tmp_path}/new {tmp_path}/sleeper; wait; }}; "
              "begin_aside work; aside_has_ended")
    process = subprocess.Popen(["bash", "-c", script], start_new_session=True)
    wait_for((tmp_path / "sleeper").exists)

    os.kill(process.pid, number)

    assert process.wait(timeout=30) == code
    wait_for(lambda: gone(int((tmp_path / "sleeper").read_text())))


# roots of other releases of Slurm

@pytest.fixture(name="maker")
def _maker(tmp_path):
    """A testbed whose `root` does what the script says; the shell line that uses it, and the wait for so many seconds."""
    def make(script, seconds=100):
        path = tmp_path / "testbed"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return f"TESTBED={path}; make_root 24.11; if root_is_made {seconds}; then echo made; else echo \"$REASON\"; fi"
    return make


def test_a_root_is_waited_for(maker, tmp_path):
    done = common(maker(f"sleep 0.5; echo $@ >{tmp_path}/said"))

    assert done.stdout == "made\n", done
    assert (tmp_path / "said").read_text() == "root 24.11\n"


def test_a_root_that_cannot_be_made_says_why(maker):
    assert common(maker("echo no network >&2; exit 1")).stdout == "its root cannot be made: no network\n"


def test_a_root_that_takes_too_long_is_given_up(maker, tmp_path):
    done = common(maker(f"sleep 1000 & echo $! >{tmp_path}/sleeper; wait", 1))

    assert done.stdout == "its root is not made in 1 s\n", done
    wait_for(lambda: gone(int((tmp_path / "sleeper").read_text())))


@pytest.mark.parametrize("arguments, message", [
    (["all", "unit"], "takes one part at most: all, unit or slurm"),
    (["--release"], "--release needs a name: 22.05 24.11 26.05"),
    (["--release", "23.02"], "unknown release '23.02' of Slurm: 22.05 24.11 26.05"),
    (["unit", "--release", "24.11"], "--release is for the part slurm, not for unit"),
    (["--relase", "24.11"], "unknown argument '--relase': all, unit, slurm or --release NAME"),
])
def test_wrong_arguments_of_scripts_test(arguments, message):
    done = subprocess.run([ROOT / "scripts/test", *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"scripts/test: {message}\n")


def test_scripts_and_testbed_know_the_same_releases():
    testbed = subprocess.run([ROOT / "tests/testbed/testbed", "root"], capture_output=True, text=True, check=True)
    assert common("printf '%s\\n' \"${RELEASES[@]}\"").stdout.split() == [line.split()[0] for line in testbed.stdout.splitlines()]
    help_text = subprocess.run([ROOT / "scripts/test", "--help"], capture_output=True, text=True, check=True).stdout
    assert "22.05, 24.11 or 26.05" in help_text


STUBS = """
require_root_on_debian_12() { :; }
install_packages() { :; }
build() { :; }
install_tree() { echo /prefix; }
build_in_root() { echo "build $1"; }
run_child() { case "$*" in *tests/slurm* | *tests/testbed*) echo "$*" | grep -oE 'COMMMAP_RELEASE=[0-9.]+|tests/(slurm|testbed).*' | xargs ;; esac; }
"""


@pytest.mark.parametrize("finds, finds_nothing", [("check-tidy", "fuzz"), ("fuzz", "check-tidy")])
def test_findings_of_clang_tidy_and_of_fuzzing_fail_scripts_test(tmp_path, finds, finds_nothing):
    (tmp_path / "scripts/lib").mkdir(parents=True)
    (tmp_path / "scripts/test").write_text((ROOT / "scripts/test").read_text())
    (tmp_path / "scripts/lib/common.sh").write_text((ROOT / "scripts/lib/common.sh").read_text() + STUBS)
    (tmp_path / "scripts/lib/build-packages").touch()
    for name, script in ((finds, "echo a finding; exit 1"), (finds_nothing, "")):
        (tmp_path / "scripts" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "scripts" / name).chmod(0o755)

    done = subprocess.run(["bash", tmp_path / "scripts/test", "unit"], capture_output=True, text=True, check=False)

    assert done.returncode == 1 and "a finding\n" in done.stderr, done
    assert done.stderr.splitlines()[-1].startswith("scripts/test: FAILED: gate: clang-tidy"), done


@pytest.mark.parametrize("root, arguments, lines, last", [
    ("exit 0", [], ["22.05", "build 24.11", "24.11"], "all tests passed"),
    ("echo no network; exit 1", [], ["22.05"], "all tests passed, but for those that were not run"),
    ("exit 0", ["slurm"], ["22.05"], "all tests passed"),
    ("exit 0", ["--release", "26.05"], ["root 26.05", "build 26.05", "26.05"], "all tests passed"),
    ("exit 0", ["unit"], [], "all tests passed"),
])
def test_what_scripts_test_runs(tmp_path, root, arguments, lines, last):
    (tmp_path / "scripts/lib").mkdir(parents=True)
    (tmp_path / "tests/testbed").mkdir(parents=True)
    (tmp_path / "scripts/test").write_text((ROOT / "scripts/test").read_text())
    (tmp_path / "scripts/lib/common.sh").write_text((ROOT / "scripts/lib/common.sh").read_text() + STUBS)
    (tmp_path / "scripts/lib/build-packages").touch()
    for path, text in (("tests/testbed/testbed", root), ("scripts/check-tidy", "echo nothing found"), ("scripts/lib/hwloc-machines", ""), ("scripts/fuzz", "")):
        (tmp_path / path).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / path).chmod(0o755)

    done = subprocess.run(["bash", tmp_path / "scripts/test", *arguments], capture_output=True, text=True, check=False)

    expected = []
    for line in lines:
        only = "not 24.11 and not 26.05" if line == "22.05" else line
        expected += {"build": [line], "root ": [f"tests/testbed/testbed {line}"]}.get(line[:5], [f"tests/testbed -k {only}", f"COMMMAP_RELEASE={line} tests/slurm"])
    assert (done.returncode, done.stdout.splitlines()) == (0, expected), done
    assert done.stderr.splitlines()[-1] == f"scripts/test: {last}"
    assert ("scripts/test: NOT RUN: Slurm 24.11 was not run: its root cannot be made: no network" in done.stderr) == ("but for" in last)


# topologies of other machines

def test_scripts_test_says_that_there_are_no_machines(tmp_path):
    (tmp_path / "scripts/lib").mkdir(parents=True)
    (tmp_path / "scripts/test").write_text((ROOT / "scripts/test").read_text())
    (tmp_path / "scripts/lib/common.sh").write_text((ROOT / "scripts/lib/common.sh").read_text() + STUBS)
    (tmp_path / "scripts/lib/build-packages").touch()
    for path, text in (("scripts/lib/hwloc-machines", "echo no network; exit 1"), ("scripts/check-tidy", "echo nothing found"), ("scripts/fuzz", "")):
        (tmp_path / path).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / path).chmod(0o755)

    done = subprocess.run(["bash", tmp_path / "scripts/test", "unit"], capture_output=True, text=True, check=False)

    assert done.returncode == 0
    assert "NOT RUN: CPU binding on the topologies of other machines was not tested: no network" in done.stderr


def fetched(tmp_path, script, then):
    path = tmp_path / "fetcher"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return common(f"fetch_machines; {then}", MACHINES_SCRIPT=str(path))


@pytest.mark.parametrize("script, said", [("exit 0", "here\n"), ("echo a; echo 'no network' >&2; exit 1", "no network\n")])
def test_machines_are_waited_for(tmp_path, script, said):
    assert fetched(tmp_path, script, 'if machines_are_here; then echo here; else echo "$REASON"; fi').stdout == said


def test_fetching_machines_ends_with_the_script(tmp_path):
    done = fetched(tmp_path, f"sleep 1000 & echo $! >{tmp_path}/pid; mv {tmp_path}/pid {tmp_path}/sleeper; wait",
                   f"until [ -e {tmp_path}/sleeper ]; do sleep 0.02; done; stop_background")
    assert done.returncode == 0
    assert gone(int((tmp_path / "sleeper").read_text()))


def test_machines_without_a_network(tmp_path):
    """One clear line, and nothing left behind."""
    stubs = tmp_path / "bin"
    stubs.mkdir()
    (stubs / "apt-get").write_text("#!/bin/sh\ncase $* in *indextargets*) . /etc/os-release; echo http://m/ $VERSION_CODENAME main ;;\n"
                                   "*) echo 'E: Failed to fetch'; exit 100 ;; esac\n")
    (stubs / "apt-get").chmod(0o755)
    cache = tmp_path / "cache"
    cache.mkdir()
    done = subprocess.run([ROOT / "scripts/lib/hwloc-machines", cache / "machines"], capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": f"{stubs}:{os.environ['PATH']}"})
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("cannot be had from http://m/: is there a network?"), done
    assert list(cache.iterdir()) == []


def test_machines_are_not_put_over_something_else(tmp_path):
    (tmp_path / "precious").mkdir()
    done = subprocess.run([ROOT / "scripts/lib/hwloc-machines", tmp_path / "precious"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "has something else" in done.stderr
    assert (tmp_path / "precious").is_dir()


def test_messages_that_troubleshooting_names_are_the_programs():
    """A message that was reworded is reworded there too."""
    sources = "".join(path.read_text() for path in sorted((ROOT / "src").rglob("*.cpp")))
    literals = re.sub(r'"\s*\n\s*"', "", sources).replace('\\"', '"')
    rows = re.findall(r"^\| `(.+?)` \|", (ROOT / "docs/troubleshooting.md").read_text(), re.MULTILINE)
    assert len(rows) > 15
    pieces = [piece.strip(" :'") for row in rows for piece in re.split("…|^not recorded: |^no profile of this run: |^partial profile, ", row)]
    assert [piece for piece in pieces if len(piece) > 6 and piece not in literals] == []


def test_every_large_count_form_of_a_wrapped_call_is_wrapped(tmp_path):
    made = tmp_path / "calls.cpp"
    subprocess.run(["python3", "make_mpi_calls.py", "c", made], cwd=ROOT / "src/pmix_hooks", check=True)
    wrapped = set(re.findall(r'__asm__\("(MPI_\w+)"\)', made.read_text()))
    place = subprocess.run(["pkg-config", "--variable=includedir", "mpich"], capture_output=True, check=True, text=True).stdout.strip()
    declared = set(re.findall(r"^int (MPI_\w+_c)\(", (pathlib.Path(place) / "mpi_proto.h").read_text(), re.MULTILINE))
    assert len(declared) > 100
    assert {name for name in declared if name.removesuffix("_c") in wrapped} <= wrapped


def test_scripts_fuzz_knows_every_target():
    """Its list is of the folders; CMake refuses a target without one."""
    fuzz = ROOT / "scripts/fuzz"
    done = subprocess.run([fuzz, "1", "nothing"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    folders = sorted(path.name for path in (ROOT / "tests/fuzz/corpus").iterdir())
    assert done.stderr == f"scripts/fuzz: unknown target 'nothing': {' '.join(folders)}\n"
    assert subprocess.run([fuzz, "soon"], capture_output=True, text=True, check=False).stderr == "scripts/fuzz: usage: scripts/fuzz SECONDS [TARGET...]\n"
    assert "scripts/fuzz SECONDS TARGET..." in subprocess.run([fuzz, "--help"], capture_output=True, text=True, check=True).stdout
