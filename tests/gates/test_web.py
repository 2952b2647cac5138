# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Libraries of pages are the ones that npm has, byte for byte."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEB = ROOT / "web"


def test_libraries_are_of_their_releases(tmp_path):
    """npm compares with the digest in package-lock.json."""
    if shutil.which("npm") is None:
        assert os.environ.get("COMMMAP_CI_STRICT") != "1", "npm is not there"
        pytest.skip("npm is not there, and only a change of web/vendor needs it")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(WEB / name, tmp_path)
    subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=tmp_path, check=True)
    libraries = [folder for folder in (WEB / "vendor").iterdir() if folder.is_dir()]
    assert {folder.name for folder in libraries} == set(json.loads((WEB / "package.json").read_text(encoding="utf-8"))["dependencies"])
    for folder in libraries:
        files = sorted(folder.iterdir())
        assert folder / "LICENSE" in files
        for file in files:
            (original,) = (tmp_path / "node_modules" / folder.name).rglob(file.name)
            assert file.read_bytes() == original.read_bytes(), file


def test_libraries_come_from_no_named_host():
    assert "resolved" not in (WEB / "package-lock.json").read_text(encoding="utf-8")
