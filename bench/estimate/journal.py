"""What has been measured, a line of JSON for each configuration, so that a bench that was interrupted goes on."""

import json
from pathlib import Path


class Journal:
    def __init__(self, path):
        self._path = Path(path)
        self._measured = {}
        if self._path.exists():
            for line in self._path.read_text(encoding="utf-8").splitlines():
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
        return json.loads(line)
    except json.JSONDecodeError:
        return None
