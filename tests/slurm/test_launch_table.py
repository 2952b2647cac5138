# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The table of launches: what a run leaves for it, and what scripts/launch-table makes of several."""

import json
import os
import subprocess
import sys

import cluster as clusters
import patience

SCRIPT = os.path.join(clusters.ROOT, "scripts", "launch-table")
RUN = """
import pytest
pytest_plugins = []
@pytest.fixture(scope="module", params=["allocation", "standalone"])
def where(request):
    return request.param
@pytest.mark.row("good | row")
def test_good(where):
    pass
@pytest.mark.row("bad row")
def test_bad(where):
    assert where == "standalone"
@pytest.mark.row("known row")
def test_known():
    pytest.xfail("why it differs")
def test_no_row():
    pass
"""


def table(*paths):
    return patience.run([sys.executable, SCRIPT, *map(str, paths)], capture_output=True, text=True)


def test_from_a_run_to_the_table(tmp_path):
    (tmp_path / "test_rows.py").write_text(RUN)
    (tmp_path / "conftest.py").write_text(f"import sys\nsys.path.insert(0, {clusters.LIBRARY!r})\nimport launch_rows\n"
                                          "def pytest_configure(config):\n    launch_rows.register(config)\n"
                                          "    launch_rows.tell_release(config, '22.05.8')\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    patience.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)], cwd=tmp_path, stdout=subprocess.DEVNULL,
                 env={**environment, "COMMMAP_TABLE": str(tmp_path / "old.json")})
    newer = json.loads((tmp_path / "old.json").read_text())
    newer["slurm"] = "24.11.5"
    newer["rows"] = [row for row in newer["rows"] if row["row"] == "good | row"]
    (tmp_path / "new.json").write_text(json.dumps(newer))

    done = table(tmp_path / "new.json", tmp_path / "old.json")

    assert done.stdout == """\
| launch | test | 22.05.8, allocation | 22.05.8, standalone | 24.11.5, allocation | 24.11.5, standalone |
|---|---|---|---|---|---|
| good \\| row | `test_rows.py::test_good` | passed | passed | passed | passed |
| bad row | `test_rows.py::test_bad` | failed | passed |  |  |
| known row | `test_rows.py::test_known` | known to differ | known to differ |  |  |

- known row: why it differs
"""
    assert done.returncode == 1 and done.stderr == ""
    assert table(tmp_path / "new.json").returncode == 0


def test_an_error_is_one_line(tmp_path):
    (tmp_path / "other.json").write_text("[]")
    done = table(tmp_path / "other.json")
    assert done.returncode == 1 and done.stderr == f"launch-table: {tmp_path}/other.json: not a file of COMMMAP_TABLE\n"
    done = table(tmp_path / "nowhere.json")
    assert done.returncode == 1 and done.stderr == f"launch-table: {tmp_path}/nowhere.json: No such file or directory\n"
