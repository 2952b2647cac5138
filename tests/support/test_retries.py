# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""tests/support/retries.py: notes of retries, and who writes them."""

import subprocess
import sys

import patience
import pytest
import retries


@pytest.fixture(name="notes")
def _notes(tmp_path, monkeypatch):
    monkeypatch.setenv(retries.VARIABLE, str(tmp_path / "retries"))
    return tmp_path / "retries"


def test_notes_are_read_back_in_their_order(notes):
    retries.note("output was lost")
    retries.note("ended too soon", what="another\ntest")

    assert retries.read(notes) == [
        {"what": "tests/support/test_retries.py::test_notes_are_read_back_in_their_order", "why": "output was lost"},
        {"what": "another\ntest", "why": "ended too soon"}]
    assert len(notes.read_text().splitlines()) == 2


@pytest.mark.parametrize("current, name", [
    ("a/test_b.py::test_c[x (y)] (call)", "a/test_b.py::test_c[x (y)]"), ("test_b.py::test_c (teardown)", "test_b.py::test_c"), (None, "no test")])
def test_the_running_test_is_named_without_its_stage(monkeypatch, current, name):
    if current is None:
        monkeypatch.delenv("PYTEST_CURRENT_TEST")
    else:
        monkeypatch.setenv("PYTEST_CURRENT_TEST", current)
    assert retries.running_test() == name


@pytest.mark.parametrize("value", [None, ""])
def test_nothing_is_written_when_nobody_counts(tmp_path, monkeypatch, value):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(retries.VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(retries.VARIABLE, value)

    retries.note("output was lost")

    assert list(tmp_path.iterdir()) == []


def test_without_a_file_there_were_no_retries(tmp_path):
    assert retries.read(tmp_path / "none") == []


def test_notes_of_processes_beside_each_other_are_whole_lines(notes):
    script = "import sys; sys.path.append(sys.argv[1]); import retries\nfor i in range(200): retries.note('x' * 500, what=sys.argv[2])"
    writers = [subprocess.Popen([sys.executable, "-c", script, folder_of(retries), name]) for name in "abcd"]
    assert [patience.wait(writer, 60) for writer in writers] == [0] * 4

    found = retries.read(notes)
    assert sorted(note["what"] for note in found) == sorted("abcd" * 200)
    assert {note["why"] for note in found} == {"x" * 500}


def folder_of(module):
    return module.__file__.rpartition("/")[0]
