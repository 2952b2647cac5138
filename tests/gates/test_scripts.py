# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""scripts/lib: what a signal to a script leaves behind, what runs beside it, parts of a test run; messages and lists that scripts name."""

import os
import pathlib
import re
import shutil
import signal
import subprocess

import patience
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
    patience.until((tmp_path / "started").exists, 60, "the child has started")

    os.kill(process.pid, number)

    assert patience.wait(process, 60) == code
    assert (tmp_path / "cleaned").exists()
    assert (tmp_path / "down").read_text() == "--name t down\n"
    assert gone(int((tmp_path / "grandchild").read_text()))


def test_the_childs_exit_code_is_the_scripts(tmp_path):
    script = f". {ROOT}/scripts/lib/common.sh; run_child sh -c 'exit 7' || exit $?"
    assert patience.run(["bash", "-c", script]).returncode == 7


def test_a_file_in_place_of_the_null_device_is_replaced(tmp_path):
    place = tmp_path / "null"
    place.write_text("somebody's output")
    script = f"restore_null_device {place}"
    assert common(script).stderr == f"scripts/bash: {place} was a file, and is a device again\n"
    assert place.is_char_device() and place.stat().st_rdev == os.makedev(1, 3)
    assert common(script).stderr == ""


def common(script, **environment):
    return patience.run(["bash", "-c", f". {ROOT}/scripts/lib/common.sh; {script}"], capture_output=True, text=True,
                          env={**os.environ, **environment})


def test_what_runs_aside_is_printed_when_it_has_ended():
    done = common("work() { echo found $1; return 3; }; begin name work it; echo meanwhile; aside_has_ended name; echo code $?")
    assert done.stdout == "meanwhile\ncode 3\n" and done.stderr == "found it\n", done


@pytest.mark.parametrize("starts", ["", "timeout --foreground 1000"])
@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_what_runs_aside(tmp_path, number, code, starts):
    script = (f". {ROOT}/scripts/lib/common.sh; work() {{ {starts} sleep 1000 & echo $! >{tmp_path}/new; mv {tmp_path}/new {tmp_path}/sleeper; wait; }}; "
              "begin name work; aside_has_ended name")
    process = subprocess.Popen(["bash", "-c", script], start_new_session=True)
    patience.until((tmp_path / "sleeper").exists, 60, "what runs aside has started")

    os.kill(process.pid, number)

    assert patience.wait(process, 60) == code
    patience.until(lambda: gone(int((tmp_path / "sleeper").read_text())), 60, "the end of what ran aside")


def test_what_a_killed_command_has_left_ends_when_it_is_waited_for(tmp_path):
    done = common(f"work() {{ sleep 1000 & echo $! >{tmp_path}/sleeper; kill -KILL $BASHPID; }}; begin name work; aside_has_ended name; echo code $?")
    assert done.stdout == "code 137\n", done
    patience.until(lambda: gone(int((tmp_path / "sleeper").read_text())), 60, "the end of what was left")


# parts of a run, and lanes of them

def parts(script, tmp_path):
    """The lines of RESULTS/parts (status and name) and of RESULTS/not_run, after what the script printed."""
    return common(f". {ROOT}/scripts/lib/parts.sh; {script}; cut -f2- $RESULTS/parts; cat $RESULTS/not_run 2>/dev/null; rm -r $RESULTS", TMPDIR=str(tmp_path))


def test_a_part_that_fails_is_noted(tmp_path):
    done = parts("part good true; part bad sh -c 'exit 7' || echo code $?; not_run too early", tmp_path)
    assert done.stdout == "code 7\n0\tgood\n7\tbad\ntoo early\n", done


def test_parts_of_a_lane_are_noted_like_the_others(tmp_path):
    done = parts("mine() { part in-lane sh -c 'echo said; exit 2'; part next true; }; begin_lane name mine; part meanwhile true; lane_has_ended name", tmp_path)
    assert sorted(done.stdout.splitlines()) == ["0\tmeanwhile", "0\tnext", "2\tin-lane"], done
    assert "said\n" in done.stderr


def test_a_lane_that_is_waited_for_has_its_priority_back(tmp_path):
    own = os.getpriority(os.PRIO_PROCESS, 0)
    waits = f"nice >{tmp_path}/before; until [ $(nice) = {own} ]; do sleep 0.02; done"
    done = parts(f"mine() {{ part first behind_tests sh -c '{waits}'; part next behind_tests sh -c 'nice >{tmp_path}/after'; }}; "
                 f"begin_lane name mine; until [ -s {tmp_path}/before ]; do sleep 0.02; done; lane_has_ended name", tmp_path)
    assert done.stdout == "0\tfirst\n0\tnext\n", done
    assert [int((tmp_path / name).read_text()) for name in ("before", "after")] == [10, own]


# the progress of a build

def test_the_progress_of_a_build_is_shown_every_ten_seconds(tmp_path):
    """Where no terminal is: the last line that tells how far it is. The log has all of it."""
    work = "work() { echo '[1/3] Building a'; echo noise; echo '[2/3] Building b'; return 5; }; "
    done = common(work + f"with_progress {tmp_path}/log work; echo code $?; cat {tmp_path}/log")
    assert (done.stdout, done.stderr) == ("code 5\n[1/3] Building a\nnoise\n[2/3] Building b\n", ""), done

    later = common(work + "work | { SECONDS=0; show_last_line 0; }")
    assert later.stderr == "  [1/3] Building a\n  [2/3] Building b\n", later


# topologies of other machines

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
    done = patience.run([ROOT / "scripts/lib/hwloc-machines", cache / "machines"], capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{stubs}:{os.environ['PATH']}"})
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("cannot be had from http://m/: is there a network?"), done
    assert list(cache.iterdir()) == []


def test_machines_are_not_put_over_something_else(tmp_path):
    (tmp_path / "precious").mkdir()
    done = patience.run([ROOT / "scripts/lib/hwloc-machines", tmp_path / "precious"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "has something else" in done.stderr
    assert (tmp_path / "precious").is_dir()


def literals(source):
    """The string literals of a source in C++. Neighbours are one."""
    joined = re.sub(r'"\s*\n\s*"', "", source.replace("'\"'", ""))
    return [text.replace('\\"', '"') for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', joined)]


def unsaid(messages, sources):
    """Parts of messages that no literal of the sources says. A message of fmt::format also says what has a number or a name for its {}."""
    texts = [text for source in sources for text in literals(source)]
    said = "\n".join(texts)
    formats = []
    for text in texts:
        fixed = [part.replace("{{", "{").replace("}}", "}") for part in re.split(r"(?<!\{)\{[^{}]*\}(?!\})", text.strip(" :'"))]
        if len(fixed) > 1 and len(re.findall("[A-Za-z]", "".join(fixed))) > 6:  # "{} of {}" would say anything
            formats.append(re.compile(".+".join(map(re.escape, fixed))))
    pieces = [piece.strip(" :'") for message in messages
              for piece in re.split("…|^not recorded: | is not recorded: |^no profile of this run: |^partial profile, ", message)]
    return [piece for piece in pieces
            if len(piece) > 6 and piece not in said and not any(format.fullmatch(piece) for format in formats)]


def test_messages_that_troubleshooting_names_are_the_programs():
    """A message that was reworded is reworded there too."""
    rows = re.findall(r"^\| `(.+?)` \|", (ROOT / "docs/user/troubleshooting.md").read_text(), re.MULTILINE)
    assert len(rows) > 15
    assert unsaid(rows, [path.read_text() for path in sorted((ROOT / "src").rglob("*.cpp"))]) == []


@pytest.mark.parametrize("message, missing", [
    ("the job has … PUs; at most … can be mapped", []),
    ("the job has 70000 PUs; at most 65536 can be mapped", []),  # as a user sees it
    ("node 'n1' needs {a: b} or a \"name\"", []),
    ("not recorded: PMIx does not answer", []),
    ("the job has 70000 CPUs; at most 65536 can be mapped", ["the job has 70000 CPUs; at most 65536 can be mapped"]),
    ("the job has … CPUs; at most … can be mapped", ["CPUs; at most"]),
    ("a comment is no message", ["a comment is no message"]),
    ("anything of anyone", ["anything of anyone"]),
])
def test_a_message_that_no_source_says_is_found(message, missing):
    source = """
// a comment is no message
const char quote = '"';
fmt::format("the job has {} PUs; at most "
            "{:>5} can be mapped", 1, 2);
fmt::format("node '{}' needs {{a: b}} or a \\"name\\"", name) + fmt::format("{} of {}", 1, 2);
say("PMIx does not answer");
"""
    assert unsaid([message], [source]) == missing


def test_every_large_count_form_of_a_wrapped_call_is_wrapped(tmp_path):
    made = tmp_path / "calls.cpp"
    patience.run(["python3", "make_mpi_calls.py", "c", made], cwd=ROOT / "src/pmix_hooks/wrappers", check=True)
    wrapped = set(re.findall(r'__asm__\("(MPI_\w+)"\)', made.read_text()))
    place = patience.run(["pkg-config", "--variable=includedir", "mpich"], capture_output=True, check=True, text=True).stdout.strip()
    declared = set(re.findall(r"^int (MPI_\w+_c)\(", (pathlib.Path(place) / "mpi_proto.h").read_text(), re.MULTILINE))
    assert len(declared) > 100
    assert {name for name in declared if name.removesuffix("_c") in wrapped} <= wrapped


def test_scripts_fuzz_knows_every_target():
    """Its list is of the folders; CMake refuses a target without one."""
    fuzz = ROOT / "scripts/fuzz"
    done = patience.run([fuzz, "1", "nothing"], capture_output=True, text=True)
    assert done.returncode == 1
    folders = sorted(path.name for path in (ROOT / "tests/fuzz/corpus").iterdir())
    assert done.stderr == f"scripts/fuzz: unknown target 'nothing': {' '.join(folders)}\n"
    for words in (["soon"], ["--each"], ["--each", "soon"]):
        assert patience.run([fuzz, *words], capture_output=True, text=True).stderr == "scripts/fuzz: usage: scripts/fuzz [--each] SECONDS [TARGET...]\n"
    assert "scripts/fuzz SECONDS TARGET..." in patience.run([fuzz, "--help"], capture_output=True, text=True, check=True).stdout


NO_BUILD = """
require_root_on_debian_12() { :; }
install_packages() { :; }
build() { :; }
"""


@pytest.mark.parametrize("arguments, seconds", [
    (["--each", "60"], {"a": 60, "b": 60, "c": 60}),
    (["--each", "7", "b"], {"b": 7}),
    (["60"], dict.fromkeys("abc", 60 * min(os.cpu_count(), 3) // 3)),
])
def test_how_long_scripts_fuzz_runs_a_target(tmp_path, arguments, seconds):
    """With stand-ins for the targets, which note for how long they are to run."""
    shutil.copytree(ROOT / "scripts/lib", tmp_path / "scripts/lib")
    shutil.copy(ROOT / "scripts/fuzz", tmp_path / "scripts/fuzz")
    with open(tmp_path / "scripts/lib/common.sh", "a", encoding="utf-8") as file:
        file.write(NO_BUILD)
    programs = tmp_path / "build/fuzz/tests/fuzz"
    programs.mkdir(parents=True)
    (tmp_path / "tests/fuzz").mkdir(parents=True)
    for name in "abc":
        (tmp_path / f"tests/fuzz/{name}_fuzz.cpp").touch()
        (programs / f"fuzz_{name}.corpus").touch()
        program = programs / f"fuzz_{name}"
        program.write_text('#!/bin/sh\necho "$*" >"$0.words"\necho stat::number_of_executed_units: 1\n')
        program.chmod(0o755)

    done = patience.run(["bash", tmp_path / "scripts/fuzz", *arguments], capture_output=True, text=True)

    assert done.returncode == 0, done
    ran = {path.name.removeprefix("fuzz_").removesuffix(".words"): path.read_text() for path in programs.glob("*.words")}
    assert {name: int(re.search(r"-max_total_time=(\d+) ", words)[1]) for name, words in ran.items()} == seconds


@pytest.mark.parametrize("more, fresh", [("build", True), ("build_more", False)])
def test_only_the_first_build_configures(tmp_path, more, fresh):
    """Gates read the cache of the first build while the second one runs."""
    said = common(f"cmake() {{ echo \"$*\" >>{tmp_path}/said; }}; {more} test installed")

    assert said.returncode == 0, said
    assert (tmp_path / "said").read_text() == "--fresh --preset test\n" * fresh + "--build --preset test --target installed\n"
