# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What has been measured, a line of JSON for each configuration, so that a bench that was interrupted goes on.

Beside it each configuration has a directory with its profile. An archive has both, for another machine or another day.
"""

import json
import lzma
import re
import tarfile
from pathlib import Path

_NAME = "measured.jsonl"
_IS_OURS = re.compile(r"measured\.jsonl|[\w-]+/profile\.commmap")


class JournalError(Exception):
    """In one line."""


def kept_profile(directory, configuration):
    """The profile that predictions are made of."""
    return Path(directory) / configuration / "profile.commmap"


def pack(directory, archive):
    """Replaces the archive in one step."""
    directory, beside = Path(directory), Path(f"{archive}.new")
    try:
        with tarfile.open(beside, "w:xz") as tar:
            for path in [directory / _NAME, *sorted(directory.glob("*/profile.commmap"))]:
                tar.add(path, path.relative_to(directory))
        beside.replace(archive)
    except OSError as error:
        raise JournalError(f"'{archive}' is not written: {error}") from error


def unpack(archive, directory):
    """Into a directory that is not there yet, or is empty."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(archive, "r:xz") as tar:
            for member in tar:
                if _IS_OURS.fullmatch(member.name) and member.isreg():
                    path = directory / member.name
                    path.parent.mkdir(exist_ok=True)
                    path.write_bytes(tar.extractfile(member).read())
    except (OSError, tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise JournalError(f"'{archive}' is no archive of measurements: {error}") from error
    if not (directory / _NAME).exists():
        raise JournalError(f"'{archive}' is no archive of measurements: it has no {_NAME}")


class Journal:
    def __init__(self, directory):
        self._path = Path(directory) / _NAME
        self._measured = {}
        if self._path.exists():
            for line in self._path.read_text(encoding="utf-8", errors="replace").splitlines():
                # The last line of a bench that was killed may be half a line.
                if (measured := _read(line)) is not None:
                    self._measured[measured["configuration"]] = measured

    def find(self, configuration, digest):
        """What was measured, or None; also when the configuration was another one then."""
        measured = self._measured.get(configuration)
        return measured if measured and measured["digest"] == digest else None

    def add(self, measured):
        self._measured[measured["configuration"]] = measured
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a+b") as file:
            file.seek(0, 2)
            if file.tell():
                file.seek(-1, 2)
                if file.read(1) != b"\n":
                    file.write(b"\n")
            file.write((json.dumps(measured) + "\n").encode())


def _read(line):
    try:
        found = json.loads(line)
    except json.JSONDecodeError:
        return None
    return found if isinstance(found, dict) and {"configuration", "digest"} <= found.keys() else None
