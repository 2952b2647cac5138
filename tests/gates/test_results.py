# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Results of benchmarks (bench/results) that pages quote."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = sorted((ROOT / "bench/results").iterdir())
sys.path += [str(ROOT / "bench"), str(ROOT / "scripts/lib")]

import changes
import report

MOST_BYTES = 200 << 10
# Measured before commits were renamed, or without one; docs/developer/known-limits.md says that it has to be measured again.
WITHOUT_A_COMMIT_OF_OURS = {"launch.json"}


def commit_of(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        return re.search(r"^# commit (\w+)", text, re.MULTILINE)[1]
    document = json.loads(text)
    return document.get("commit") if isinstance(document, dict) else None


def pages():
    return "".join(path.read_text(encoding="utf-8") for path in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md"])


def test_every_result_that_a_page_names_is_there():
    named = set(re.findall(r"bench/results/([\w.-]+\.(?:json|csv|svg))", pages()))
    assert named and named <= {path.name for path in RESULTS}, named - {path.name for path in RESULTS}


def test_json_is_short():
    """Of many rows there is CSV (bench/report.py)."""
    assert [path.name for path in RESULTS if path.suffix == ".json" and path.stat().st_size > MOST_BYTES] == []


@pytest.mark.skipif("COMMMAP_WHOLE_RUN" not in os.environ, reason="for the whole run: a commit may get another name while it is on its way to main")
def test_results_are_of_a_commit_in_the_history():
    git = ["git", "-C", str(ROOT)]
    if subprocess.run([*git, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True, check=False).stdout.strip() != "false":
        pytest.skip("the history is not here")
    unknown = {path.name for path in RESULTS if path.suffix in (".json", ".csv") and path.name != "checked.json"  # of several commits
               and subprocess.run([*git, "merge-base", "--is-ancestor", commit_of(path) or "none", "HEAD"], capture_output=True, check=False).returncode != 0}
    assert unknown == WITHOUT_A_COMMIT_OF_OURS


@pytest.mark.skipif("COMMMAP_WHOLE_RUN" not in os.environ, reason="for the whole run: see above")
@pytest.mark.parametrize("kind", changes.KINDS)
def test_checked_commits_are_in_the_history(kind):
    assert changes.last_checked(kind)


def test_csv_has_a_table_for_rows_of_the_same_columns(tmp_path):
    rows = [{"a": 1, "b": 0.123456}, {"a": True, "b": None}, {"c": "x,y"}]
    report.write_csv({"benchmark": "x", "commit": "y", "machine": {}, "rows": rows}, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == '# benchmark x\n# commit y\n# machine {}\n\na,b\n1,0.1235\n1,\n\nc\n"x,y"\n'
