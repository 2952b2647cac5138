# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""COMMMAP_TABLE=FILE: how each row of the table of launches ended, as JSON for scripts/launch-table.

With several workers (pytest -n) each writes its own FILE.gwN."""

import json
import os

import pytest


class LaunchRows:
    def __init__(self, path):
        self.path, self.rows = path, {}
        self.slurm = "unknown"

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item):
        report = (yield).get_result()
        marker = item.get_closest_marker("row")
        if marker is None or (report.passed and report.when != "call"):
            return
        row = self.rows.setdefault(item.nodeid, {"row": marker.args[0], "test": _without_where(item),
                                                 "where": _parameters(item).get("where", ""), "outcome": "passed", "reason": ""})
        if report.failed:
            row["outcome"] = "failed"
        elif report.skipped:
            row["outcome"] = "known to differ" if hasattr(report, "wasxfail") else "skipped"
            row["reason"] = getattr(report, "wasxfail", "").removeprefix("reason: ") or str(report.longrepr[2] if isinstance(report.longrepr, tuple) else "").removeprefix("Skipped: ")

    def pytest_sessionfinish(self):
        if not self.rows:  # the controller of several workers
            return
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump({"slurm": self.slurm, "rows": list(self.rows.values())}, file, indent=1)
            file.write("\n")


def _parameters(item):
    return item.callspec.params if hasattr(item, "callspec") else {}


def _without_where(item):
    where = _parameters(item).get("where")
    return item.nodeid.replace(f"[{where}-", "[").replace(f"[{where}]", "") if where else item.nodeid


def register(config):
    if "COMMMAP_TABLE" in os.environ:
        path = os.path.abspath(os.environ["COMMMAP_TABLE"].replace("%r", os.environ.get("COMMMAP_RELEASE", "22.05")))
        worker = os.environ.get("PYTEST_XDIST_WORKER")
        config.pluginmanager.register(LaunchRows(f"{path}.{worker}" if worker else path), "launch-rows")


def tell_release(config, version):
    rows = config.pluginmanager.get_plugin("launch-rows")
    if rows:
        rows.slurm = version
