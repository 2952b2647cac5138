# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""One run of a command: time limit, output, the time that the program reports, noise."""

import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

from compare.timing import reported_time_s

_POLL_S = 0.02


@dataclass(frozen=True)
class Outcome:
    """time_s is None unless the program ended well and reported its time."""

    time_s: float | None
    exit_code: int | None  # None: killed at the time limit
    other_cpus: float
    output: str
    errors: str

    @property
    def hung(self):
        return self.exit_code is None

    @property
    def died(self):
        return not self.hung and self.time_s is None

    def describe(self):
        if self.hung:
            return "over the time limit"
        if self.exit_code == 0 and self.time_s is None:
            return "no time in its output"
        # srun names the task that failed first; what follows is the end of the others.
        lines = self.errors.strip().splitlines() or [""]
        reason = next((line for line in lines if line.startswith("srun: error:")), lines[-1])
        return f"exit code {self.exit_code}: {reason}"


class Runner:
    """Runs commands in a process group of their own."""

    def __init__(self, meter, limit_s=60.0, grace_s=3.0, sample_every_s=0.25, after_kill=lambda: None):
        """`after_kill` is called after a run was killed or died, to clear what it left in Slurm."""
        self._meter = meter
        self._limit_s = limit_s
        self._grace_s = grace_s
        self._sample_every_s = sample_every_s
        self._after_kill = after_kill

    def run(self, command, environment=None):
        # Files, not pipes: a task that survives srun would keep a pipe open for ever.
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                                       start_new_session=True, env={**os.environ, **(environment or {})})
            self._meter.start()
            try:
                exit_code = self._wait(process)
            except BaseException as error:
                self._kill(process)
                if not isinstance(error, KeyboardInterrupt):  # the allocation goes too
                    self._after_kill()
                raise
            other_cpus = self._meter.mean_cpus()
            texts = []
            for file in (output, errors):
                file.seek(0)
                texts.append(file.read().decode(errors="replace"))
        time_s = reported_time_s(texts[0]) if exit_code == 0 else None
        if time_s is None:
            self._after_kill()
        return Outcome(time_s, exit_code, other_cpus, *texts)

    def _wait(self, process):
        deadline = time.monotonic() + self._limit_s
        next_sample = time.monotonic() + self._sample_every_s
        while process.poll() is None:
            now = time.monotonic()
            if now >= deadline:
                self._kill(process)
                return None
            if now >= next_sample:
                self._meter.sample()
                next_sample = time.monotonic() + self._sample_every_s
            time.sleep(_POLL_S)
        self._meter.sample()
        return process.returncode

    def _kill(self, process):
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, number)
            except ProcessLookupError:
                pass
            try:
                process.wait(timeout=self._grace_s)
            except subprocess.TimeoutExpired:
                continue
            if number == signal.SIGTERM:
                self._end_group(process.pid)
            return

    @staticmethod
    def _end_group(group):
        """The leader is gone; members that ignored SIGTERM must not stay."""
        try:
            os.killpg(group, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
