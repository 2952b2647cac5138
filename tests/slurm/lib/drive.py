#!/usr/bin/python3
# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Runs a command and does things to it: drive.py DIRECTORY [--pty] ACTION... -- COMMAND...

    started:N    waits until N ranks (programs/rank.c) have noted their place in DIRECTORY
    kill:NAME    a signal to the command's process, not to its group
    type:TEXT    typed on its terminal (--pty); ^C, ^Z and ^D stand for the keys, ^J for Enter
    see:TEXT     waits until it has written TEXT
    go           lets waiting ranks end
    sh:SCRIPT    runs it, with the command's process id in $pid
    ended        waits for the command's end, for actions after it
    again:ACTION does ACTION, and once more whenever srun asks for one more within a second: on a busy machine the second may
                 be over when the signal comes. Waits for the command's end.

Afterwards what the command wrote is written, and its end: "ended 3", "ended KILL".
"""

import glob
import os
import signal
import subprocess
import sys
import threading

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))

import patience

ASKS = b"one more within 1 sec"
KEYS = {"^C": "\x03", "^Z": "\x1a", "^D": "\x04", "^J": "\n"}


class Command:
    """The command, what it has written so far, and its end."""

    def __init__(self, words, with_terminal):
        self.written = {1: b"", 2: b""}
        if with_terminal:
            keys, terminal = os.openpty()
            self.keys, sources = keys, {1: keys}
            # its own session, whose terminal this becomes by opening it
            name = os.ttyname(terminal)
            self.process = subprocess.Popen(words, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True,
                                            preexec_fn=lambda: os.close(os.open(name, os.O_RDWR)))
            os.close(terminal)
        else:
            self.keys = None
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            sources = {1: self.process.stdout.fileno(), 2: self.process.stderr.fileno()}
        self.readers = [threading.Thread(target=self._read, args=source, daemon=True) for source in sources.items()]
        for reader in self.readers:
            reader.start()

    def _read(self, where, source):
        while True:
            try:
                some = os.read(source, 65536)
            except OSError:  # a terminal that everybody has closed
                return
            if not some:
                return
            self.written[where] += some

    def all_written(self):
        return self.written[1] + self.written[2]

    def finish(self):
        code = self.process.wait()
        limit = patience.Limit(5)  # something may have outlived the command
        for reader in self.readers:
            while reader.is_alive() and not limit.over():
                reader.join(patience.BETWEEN_LOOKS)
        return f"ended {code if code >= 0 else signal.Signals(-code).name.removeprefix('SIG')}"


def until(condition, what):
    patience.until(condition, 45, what)


def do(action, command, directory):
    name, _, text = action.partition(":")
    if name == "started":
        until(lambda: len(glob.glob(f"{directory}/place.*")) >= int(text), action)
    elif name == "kill":
        command.process.send_signal(getattr(signal, "SIG" + text))
    elif name == "type":
        for key, value in KEYS.items():
            text = text.replace(key, value)
        os.write(command.keys, text.encode())
    elif name == "see":
        until(lambda: text.encode() in command.all_written(), action)
    elif name == "go":
        open(f"{directory}/go", "w", encoding="utf-8").close()
    elif name == "sh":
        subprocess.run(["bash", "-c", text], check=True, env={**os.environ, "pid": str(command.process.pid)})
    elif name == "ended":
        command.finish()
    elif name == "again":
        while command.process.poll() is None:
            asked = command.all_written().count(ASKS)
            do(text, command, directory)
            until(lambda before=asked: command.process.poll() is not None or command.all_written().count(ASKS) > before, action)
    else:
        sys.exit(f"drive.py: unknown action '{action}'")


def main():
    split = sys.argv.index("--")
    directory, *actions = sys.argv[1:split]
    with_terminal = actions[:1] == ["--pty"]
    command = Command(sys.argv[split + 1:], with_terminal)
    failure = None
    try:
        for action in actions[with_terminal:]:
            do(action, command, directory)
    except (TimeoutError, OSError, subprocess.CalledProcessError) as error:
        failure = f"drive.py: {error}"
        command.process.kill()
    end = command.finish()
    os.write(1, command.written[1].replace(b"\r\n", b"\n"))
    os.write(2, command.written[2])
    print(end)
    sys.exit(failure)


main()
