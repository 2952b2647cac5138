# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Libraries of pages are the ones that npm has, byte for byte."""

import hashlib
import json
import pathlib
import shutil

import patience
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEB = ROOT / "web"


def test_libraries_are_as_they_were_compared():
    sums = dict(reversed(line.split("  ")) for line in (WEB / "vendor/SHA256SUMS").read_text(encoding="ascii").splitlines())
    files = {str(file.relative_to(WEB / "vendor")): file for file in (WEB / "vendor").glob("*/*")}
    assert {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items()} == sums


def test_libraries_are_of_their_releases(tmp_path):
    """npm compares with the digest in package-lock.json. Only a change of web/vendor needs this test."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not there")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(WEB / name, tmp_path)
    done = patience.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"], cwd=tmp_path, capture_output=True, text=True)
    if done.returncode != 0 and "EINTEGRITY" not in done.stderr:
        pytest.skip(f"npm's registry does not answer: {done.stderr}")
    assert done.returncode == 0, done
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
