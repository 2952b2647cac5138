# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""A time limit here grows with the load: `Limit(60)` is 60 seconds of a machine that has nothing else to do.

No test may fail because other programs had the CPUs. The clock of a limit slows down when more threads want to run than
there are CPUs: with twice as many it has half the speed. So no limit needs a margin for a busy machine.

    run(words, seconds=60, ...)      is subprocess.run(words, timeout=60, ...)
    communicate(process, seconds)    is process.communicate(timeout=seconds)
    wait(process, seconds)           is process.wait(timeout=seconds)
    until(condition, seconds, what)  waits for a condition, and names it when it does not come

    with Stopwatch() as watch: ...   watch.seconds is how long that took, by the same clock

Limits end what hangs; no test may measure with them. A stopwatch is for the few promises that are a time, compared with a
plain launch in the same test. The testbed uses this module too.
"""

import contextlib
import os
import re
import signal
import subprocess
import threading
import time

LONGEST = 20  # a limit ends after so many times its seconds, whatever the load is
BETWEEN_LOOKS = 0.2  # seconds, where the kernel tells the end of a process at once
BETWEEN_POLLS = 0.02
CLEANING_UP = 15  # seconds
MEMORY = 1.0  # seconds after which what was seen of the load counts little


def runnable():
    """Counts the threads of the whole machine that run or wait for a CPU right now, this one among them."""
    with open("/proc/loadavg", encoding="ascii") as file:
        return int(file.read().split()[3].partition("/")[0])


def usable_cpus():
    """Counts the CPUs that this process can have. An emulated node may claim more CPUs than /proc/stat lists."""
    with open("/proc/stat", encoding="ascii") as file:
        online = len(re.findall(r"^cpu\d+ ", file.read(), re.MULTILINE))
    return max(1, min(online, len(os.sched_getaffinity(0))))


class Limit:
    """A clock whose seconds take longer on a busy machine.

    Each look advances the clock by the real time since the last look, times CPUs / runnable threads, and times one at most.
    It takes the mean of the runnable threads over about a second.
    """

    def __init__(self, seconds, clock=time.monotonic, load=runnable, cpus=None):
        self.seconds = seconds
        self._clock, self._load = clock, load
        self._cpus = usable_cpus() if cpus is None else cpus
        self._begin = self._last = clock()
        self._used, self._mean = 0.0, float(load())

    def over(self):
        """Looks at the clock. Gives whether the seconds are used up."""
        now = self._clock()
        passed, self._last = now - self._last, now
        self._mean += (self._load() - self._mean) * passed / (passed + MEMORY)
        self._used += passed * min(1.0, self._cpus / max(1.0, self._mean))
        return self._used >= self.seconds or now - self._begin >= LONGEST * self.seconds

    @property
    def used(self):
        """The seconds that have passed until the last look."""
        return self._used


class Stopwatch:
    """`with Stopwatch() as watch: ...`: watch.seconds is how long that took, by the clock of a limit."""

    def __init__(self, limit=None):
        self.seconds = None
        self._limit = Limit(float("inf")) if limit is None else limit
        self._end = threading.Event()
        self._looking = threading.Thread(target=self._look, daemon=True)

    def __enter__(self):
        self._looking.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._looking.join()
        self._limit.over()
        self.seconds = self._limit.used

    def _look(self):
        while not self._end.wait(BETWEEN_LOOKS):
            self._limit.over()


def until(condition, seconds, what, between=None):
    """Gives what the condition gives once that is true; else raises TimeoutError, which names `what` (or what that returns)."""
    limit = Limit(seconds)
    while True:
        result = condition()
        if result:
            return result
        if limit.over():
            raise TimeoutError(f"{what() if callable(what) else what}: not within {seconds} s (more on a busy machine)")
        time.sleep(BETWEEN_POLLS if between is None else between)


def communicate(process, seconds, input=None):
    """As Popen.communicate: raises subprocess.TimeoutExpired, and leaves the process alone then."""
    limit = Limit(seconds)
    if input:
        # Popen.communicate forgets the rest of its input when it is called again after a time-out (seen in Python 3.11).
        pipe, process.stdin = process.stdin, None
        threading.Thread(target=_feed, args=(pipe, input), daemon=True).start()
    while True:
        try:
            return process.communicate(timeout=BETWEEN_LOOKS)
        except subprocess.TimeoutExpired as error:
            if limit.over():
                raise subprocess.TimeoutExpired(process.args, seconds, error.output, error.stderr) from None


def _feed(pipe, text):
    with contextlib.suppress(BrokenPipeError):  # the process may end without having read all
        with pipe:
            pipe.write(text)


def wait(process, seconds):
    """As Popen.wait: gives the exit code, or raises subprocess.TimeoutExpired."""
    limit = Limit(seconds)
    while True:
        try:
            return process.wait(timeout=BETWEEN_LOOKS)
        except subprocess.TimeoutExpired:
            if limit.over():
                raise subprocess.TimeoutExpired(process.args, seconds) from None


def run(words, *, seconds=60, input=None, capture_output=False, check=False, whole_group=False, **how):
    """As subprocess.run: kills the command at the limit, then raises subprocess.TimeoutExpired.

    A Ctrl-C reaches the command too. It gets CLEANING_UP seconds to end before it is killed.
    whole_group: what the command has started is killed with it. The command has a session of its own.
    """
    def send(number):
        if not whole_group:
            process.send_signal(number)  # to nobody once it has ended: its number may be another's by then
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)

    how.setdefault("start_new_session", whole_group)
    if input is not None:
        how["stdin"] = subprocess.PIPE
    if capture_output:
        how.update(stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with subprocess.Popen(words, **how) as process:
        try:
            out, err = communicate(process, seconds, input)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                if whole_group:
                    send(signal.SIGINT)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    communicate(process, CLEANING_UP)
            send(signal.SIGKILL)
            raise
    done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
    if check:
        done.check_returncode()
    return done
