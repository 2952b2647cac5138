"""scripts/lib/common.sh: what a signal to a script leaves behind."""

import os
import pathlib
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
