# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""scripts/commit-msg, as git runs it."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BODY = "\n\nIt was wrong. It is right now. Tested by hand.\n"


@pytest.mark.parametrize("message, complaint", [
    ("a subject" + BODY, None),
    ("x" * 72 + BODY, None),
    ("a subject\n# a comment of git's\n" + BODY, None),
    ("fixup! a subject\n", None),
    ("x" * 73 + BODY, "the subject has 73 characters: at most 72 are shown everywhere"),
    ("a subject." + BODY, "the subject ends with a full stop: leave that out"),
    ("a subject\nand more of it\n", "the second line is not empty: git takes it for more of the subject"),
    ("a subject\n", "there is no body: say what was wrong, what the code does now, how it was tested"),
    ("\n", "the first line is empty: it is the subject"),
])
def test_what_is_said_of_a_message(tmp_path, message, complaint):
    file = tmp_path / "message"
    file.write_text(message, encoding="utf-8")
    done = subprocess.run([ROOT / "scripts/commit-msg", file], capture_output=True, text=True, check=False)
    said = done.stderr.splitlines()
    if complaint is None:
        assert (done.returncode, said) == (0, [])
    else:
        assert done.returncode == 1 and f"scripts/commit-msg: {complaint}" in said, done


def test_without_a_file():
    done = subprocess.run([ROOT / "scripts/commit-msg"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "scripts/commit-msg: needs the file of the message\n")
