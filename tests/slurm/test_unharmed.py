# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""A launch with commmap is a launch: exit codes, output, input and signals as without it."""

import tempfile

import pytest

import retries
from cluster import NO_STEP, RELEASE

MODES = ["off", "profile", "auto"]
COMMANDS = [
    ("-n16 true", None),
    ("-n16 -l hostname", None),
    ("-n16 bash -c 'exit $((SLURM_PROCID == 3 ? 3 : 0))'", None),
    ("-n16 bash -c '[ $SLURM_PROCID = 2 ] && kill -9 $$; true'", None),
    ("-n16 bash -c '[ $SLURM_PROCID = 2 ] && kill -SEGV $$; true'", None),
    ("-n16 --kill-on-bad-exit=0 false", None),
    ("-n4 cat", "to every task\n"),
    ("-n4 --input=0 cat", "to one task\n"),
    ("-n4 --input=none cat", "to none\n"),
    ("-n4 bash -c 'echo out; echo error >&2'", None),
    ("-n4 -o out-%t bash -c 'echo $SLURM_PROCID'; cat out-[0-3]; rm out-[0-3]", None),
    ("-n4 --multi-prog programs.conf", None),
    ("-n2 /nonexistent/program", None),
    ("-n2 .", None),
    ("-n4 --export=NONE,A=1 /bin/bash -c 'echo $A $SLURM_NTASKS'", None),
    ("-n17 true", None),
    ("-n4 --no-such-option true", None),
    ("-n2 -N1 hostname", None),
    ("-n2 -w m3 hostname", None),
    ("-n4 -m cyclic hostname", None),
    # without PMIx: now and then Slurm 22.05's srun waits for ever in mpi_pmix.so (pmixp_abort_agent_stop) for its own thread
    # when a step has two components
    ("-n1 --mpi=none echo a : -n1 --mpi=none echo b", None),
]


def comparable(text):
    """Without our lines, the order of the tasks' lines, and which node a task was on."""
    kept = [line for line in text.splitlines() if not line.startswith("commmap:")]
    for node in range(8):
        kept = [line.replace(f"m{node}", "NODE") for line in kept]
    return sorted(kept)


@pytest.fixture(scope="module", name="runs")
def _runs(cluster, work):
    """mode -> what each command did; one allocation for each mode"""
    with open(f"{work}/programs.conf", "w", encoding="utf-8") as file:
        file.write("0-1 echo low\n2-3 echo high\n")

    def run(option):
        script = ""
        for number, (command, stdin) in enumerate(COMMANDS):
            feed = f"printf {stdin!r} | " if stdin else ""
            script += f"({feed}srun {option} {command}) > {work}/{number}.out 2> {work}/{number}.err; echo $?\n"
        done = cluster.job(script, seconds=120)
        assert done.code == 0, done
        results = []
        for number, code in enumerate(done.lines):
            with open(f"{work}/{number}.out", encoding="utf-8") as out, open(f"{work}/{number}.err", encoding="utf-8") as err:
                results.append((int(code), comparable(out.read()), err.read()))
        return results

    cluster.use_fake()
    return {mode: run(f"--commmap={mode}" if mode else "") for mode in ["", *MODES]}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("number", range(len(COMMANDS)), ids=[command for command, _ in COMMANDS])
def test_same_as_plain(runs, mode, number):
    plain, other = runs[""][number], runs[mode][number]
    assert other[:2] == plain[:2], other[2]
    said = [line for line in other[2].splitlines() if line.startswith("commmap:")]
    assert len(said) <= 1
    # without HOME there is no place for a profile, and that is said
    assert mode == "auto" or said == [] or (mode == "profile" and "NONE" in COMMANDS[number][0])


def signalled(cluster, work, option, signals, started=16, **variables):
    """Exit code of an srun that gets signals as soon as so many have said that they started: the tasks, or the planner.

    Tasks go on until there is a file `go`. After one interrupt, which ends no srun, the file is made at once. After other
    signals it is made when srun is gone, or after ten seconds: a second interrupt that comes late counts as a first one.
    """
    marks = tempfile.mkdtemp(dir=work, prefix="started-")
    kills = "; sleep 0.2; ".join(f"kill -{name} $pid" for name in signals)
    command = (f"bash -c 'trap \"exit 5\" USR1; touch {marks}/$SLURM_PROCID; "
               f"{{ until [ -e {marks}/go ]; do sleep 0.5; done; }} < /dev/null > /dev/null 2>&1 & wait'")
    go = f"touch {marks}/go" if signals == ["INT"] else f"{{ sleep 10; touch {marks}/go; }} > /dev/null 2>&1 & late=$!"
    # srun 26.05 counts a second interrupt only in the same second of the clock (timespec_after_deadline, slurm_time.c)
    aligned = "sleep $(date +%N | awk '{ print 1 - $1 / 1e9 }'); " if len(signals) > 1 else ""
    # an srun that waits for CPUs meets signals in another way
    script = (f"{NO_STEP}; srun -n16 {option} {command} & pid=$!; until [ $(ls {marks} | wc -l) -ge {started} ]; do sleep 0.02; done; "
              f"{aligned}{kills}; {go}; wait $pid; echo $?; touch {marks}/go; [ -z \"$late\" ] || kill $late 2> /dev/null")
    done = cluster.job(script, FAKE_STARTED=f"{marks}/planner", **variables)
    return int(done.lines[-1]), done


@pytest.mark.parametrize("signals", [["TERM"], ["HUP"], ["INT", "INT"], ["INT"], ["USR1"], ["KILL"]], ids="+".join)
def test_signals_while_running(cluster, work, signals):
    """After a second interrupt srun sends SIGINT and soon SIGKILL, plain as well: on a busy machine bash may not get to the first in time.

    What is commmap's doing is there every time.
    """
    cluster.use_fake()
    for tries_left in (2, 1, 0):
        plain, _ = signalled(cluster, work, "", signals)
        auto, done = signalled(cluster, work, "--commmap=auto", signals)
        if auto == plain:
            break
        if tries_left:
            retries.note(f"exit code {auto} after {'+'.join(signals)}, plain {plain}")
    assert auto == plain, done


@pytest.mark.parametrize("signals", [["TERM"], ["HUP"], ["INT"]], ids="+".join)
def test_signals_while_planning(cluster, work, signals):
    """The planner (which ignores signals) is ended, not waited for: that would be said. No step exists yet: TERM and HUP
    end srun by themselves."""
    cluster.use_fake()
    plain, _ = signalled(cluster, work, "", signals)
    auto, done = signalled(cluster, work, "--commmap=auto", signals, started=1, FAKE_PLAN="hang")
    assert auto == {"TERM": 143, "HUP": 129, "INT": RELEASE.early_signal or plain}[signals[0]], done
    assert done.said == []


def test_killed_while_planning(cluster, work):
    cluster.use_fake()
    mark = f"{work}/planning"
    done = cluster.job(f"rm -f {mark}; srun -n16 --commmap=auto true & pid=$!; until [ -e {mark} ]; do sleep 0.02; done; "
                       "kill -9 $pid; wait $pid; echo $?; while pgrep -f 'fake_planner.py plan'; do sleep 0.05; done; echo none",
                       FAKE_PLAN="hang", FAKE_STARTED=mark)
    assert done.lines[-1] == "none" and "137" in done.lines, done
