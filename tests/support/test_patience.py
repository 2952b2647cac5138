# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""tests/support/patience.py: how the clock of a limit runs, and what ends at one. No test here waits for a time to pass."""

import os
import pathlib
import signal
import subprocess
import sys

import patience
import pytest


class Machine:
    """A clock and a load that the test sets."""

    def __init__(self, load=1):
        self.now, self.load = 100.0, load

    def limit(self, seconds, cpus=2):
        return patience.Limit(seconds, clock=lambda: self.now, load=lambda: self.load, cpus=cpus)

    def seconds_until_over(self, limit, step=0.1):
        """Looks at the limit every `step` seconds."""
        begin = self.now
        while not limit.over():
            self.now += step
        return self.now - begin


@pytest.mark.parametrize("load", [0, 1, 2])
def test_with_a_cpu_for_everybody_seconds_are_seconds(load):
    machine = Machine(load)
    assert machine.seconds_until_over(machine.limit(60)) == pytest.approx(60, abs=0.2)


@pytest.mark.parametrize("load, factor", [(4, 2), (10, 5), (40, 20), (400, 20)])
def test_seconds_take_longer_when_threads_share_cpus_up_to_twenty_times(load, factor):
    machine = Machine(load)
    assert machine.seconds_until_over(machine.limit(60)) == pytest.approx(60 * factor, rel=0.01)


def test_the_load_counts_while_it_is_there():
    machine = Machine(8)
    limit = machine.limit(60)
    for _ in range(1000):  # 100 s with a quarter of a CPU for each: 25 of the 60
        machine.now += 0.1
        assert not limit.over()

    machine.load = 1

    assert machine.seconds_until_over(limit) == pytest.approx(35, abs=2)


def test_one_look_at_an_idle_moment_does_not_end_the_patience():
    machine = Machine(20)
    limit = machine.limit(10)
    for number in range(500):  # 50 s; every tenth look meets an idle machine
        machine.now += 0.1
        machine.load = 1 if number % 10 == 0 else 20
        assert not limit.over()


@pytest.mark.parametrize("load, seconds", [(1, 10), (4, 5)])
def test_a_stopwatch_has_the_clock_of_a_limit(load, seconds):
    machine = Machine(load)
    with patience.Stopwatch(machine.limit(float("inf"))) as watch:
        machine.now += 10
    assert watch.seconds == pytest.approx(seconds)


def test_a_limit_of_no_seconds_is_over_at_once():
    assert Machine().limit(0).over()


def test_the_load_and_the_cpus_of_this_machine_are_read():
    assert patience.runnable() >= 0
    assert patience.usable_cpus() >= 1


@pytest.fixture(name="impatient")
def _impatient(monkeypatch):
    """Every limit is over at its third look."""
    class Third:
        def __init__(self, seconds):
            self.looks = 0

        def over(self):
            self.looks += 1
            return self.looks >= 3

    monkeypatch.setattr(patience, "Limit", Third)
    monkeypatch.setattr(patience, "BETWEEN_LOOKS", 0.001)
    monkeypatch.setattr(patience, "BETWEEN_POLLS", 0)


def test_a_condition_that_comes_true_gives_its_value(impatient):
    values = iter(["", 0, "there"])
    assert patience.until(lambda: next(values), 60, "a value") == "there"


@pytest.mark.parametrize("what", ["the planner's mark", lambda: "the planner's mark"])
def test_a_condition_that_does_not_come_true_is_named(impatient, what):
    with pytest.raises(TimeoutError, match="the planner's mark: not within 7 s"):
        patience.until(lambda: False, 7, what)


CAT = [sys.executable, "-c", "import sys; text = sys.stdin.read(); sys.stdout.write(text); sys.stderr.write(text.upper()); sys.exit(3)"]
HANG = ["sleep", "1000"]


def test_run_gives_what_subprocess_gives():
    text = "line\n" * 100000  # more than a pipe holds
    for how in ({"text": True}, {"encoding": "utf-8", "stdout": subprocess.PIPE, "capture_output": False}):
        how = {"input": text, "capture_output": True, **how}
        ours, theirs = patience.run(CAT, **how), subprocess.run(CAT, check=False, **how)
        assert (ours.args, ours.returncode, ours.stdout, ours.stderr) == (theirs.args, theirs.returncode, theirs.stdout, theirs.stderr)


def test_run_without_pipes_gives_the_exit_code():
    done = patience.run(CAT, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout, done.stderr) == (3, None, None)


def test_run_checks_the_exit_code_when_asked():
    with pytest.raises(subprocess.CalledProcessError) as raised:
        patience.run(CAT, input=b"a", capture_output=True, check=True)
    assert (raised.value.returncode, raised.value.output, raised.value.stderr) == (3, b"a", b"A")


def test_run_kills_a_command_that_hangs(impatient, monkeypatch):
    started = []
    real = subprocess.Popen

    def noting(*words, **how):
        started.append(real(*words, **how))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", noting)

    with pytest.raises(subprocess.TimeoutExpired, match="timed out after 9 seconds"):
        patience.run(HANG, seconds=9, stdout=subprocess.PIPE)

    assert started[0].returncode == -9
    assert started[0].stdout.closed


def test_what_a_command_started_is_killed_with_it(impatient):
    read, write = os.pipe()
    with pytest.raises(subprocess.TimeoutExpired):
        patience.run(["sh", "-c", "sleep 1000 & wait"], seconds=9, whole_group=True, stdout=write)
    os.close(write)
    assert os.read(read, 1) == b""  # nobody has the other end any more
    os.close(read)


@pytest.mark.parametrize("whole_group", [False, True])
def test_an_interrupted_command_may_clean_up(tmp_path, whole_group):
    cleans_up = f"trap 'echo clean >{tmp_path}/done; exit' INT; touch {tmp_path}/ready; while :; do sleep 0.05; done"
    runs = f"import patience; patience.run(['sh', '-c', {cleans_up!r}], whole_group={whole_group})"
    with subprocess.Popen([sys.executable, "-c", runs], start_new_session=True, stderr=subprocess.DEVNULL, cwd=pathlib.Path(patience.__file__).parent) as process:
        patience.until((tmp_path / "ready").exists, 60, "the command has started")
        os.killpg(process.pid, signal.SIGINT)
        patience.wait(process, 60)
    assert (tmp_path / "done").read_text() == "clean\n"


def test_a_process_over_its_limit_is_left_alone(impatient):
    with subprocess.Popen(HANG, stdout=subprocess.PIPE) as process:
        for waiting in (patience.wait, patience.communicate):
            with pytest.raises(subprocess.TimeoutExpired):
                waiting(process, 60)
            assert process.poll() is None
        process.kill()
        assert process.wait() == -9


def test_wait_gives_the_exit_code():
    with subprocess.Popen(["sh", "-c", "exit 7"]) as process:
        assert patience.wait(process, 60) == 7


def test_communicate_hands_the_input_over_once(monkeypatch):
    monkeypatch.setattr(patience, "BETWEEN_LOOKS", 0.0001)  # more than one look
    with subprocess.Popen(CAT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert patience.communicate(process, 60, b"text" * 100000) == (b"text" * 100000, b"TEXT" * 100000)
