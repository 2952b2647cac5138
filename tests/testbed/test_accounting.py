# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""testbed up --accounting and --set. Needs root; about 20 s."""

import importlib
import importlib.machinery
import importlib.util
import os

import patience
import pytest

import leftovers
from test_testbed import TESTBED, until

NAME = f"test{os.getpid()}acct"

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def run(*arguments):
    return patience.run([TESTBED, "--name", NAME, *arguments], seconds=300, capture_output=True, text=True)


def good(*arguments):
    done = run(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(name="traceless")
def _traceless():
    place = [os.path.join(leftovers.REGISTRY, NAME)]
    before, others = leftovers.snapshot(), leftovers.other_testbeds(place)
    yield
    good("down")
    others += leftovers.other_testbeds(place)
    assert leftovers.left_behind(before, others) == set()


def databases():
    return [line for line in patience.run(["ps", "axo", "stat=,args="], capture_output=True, text=True, check=True).stdout.splitlines()
            if f"{leftovers.REGISTRY}/{NAME}/database" in line and not line.startswith("Z")]


def test_sacct_knows_a_job(traceless):
    assert "is up: 4 nodes" in good("up", "4x4-1g", "--accounting")
    assert run("exec", "srun", "-J", "named", "-N2", "-n2", "sh", "-c", "exit 3").returncode == 3

    rows = ["sacct", "-n", "-P", "-a", "--name=named", "--format=JobID,State,ExitCode"]
    until(lambda: good("exec", *rows) == "1|FAILED|3:0\n1.0|FAILED|3:0\n", "both lines of the job in sacct")
    assert good("exec", "sacctmgr", "-n", "-P", "show", "cluster", "format=cluster,controlport") == "commmap|6817\n"

    assert "already up" in good("up", "4x4-1g", "--accounting")
    assert run("status").returncode == 0
    listening = patience.run(["ss", "-Hlt", "-N", prefix()], capture_output=True, text=True, check=True).stdout
    assert "3306" not in listening and "6819" in listening, "the database listens on its socket only"

    assert len(databases()) == 1
    good("down")
    assert databases() == []


def prefix():
    return dict((place, name) for name, place in leftovers.other_testbeds([]))[os.path.join(leftovers.REGISTRY, NAME)]


def test_without_it_is_another_cluster(traceless):
    good("up", "4x4-1g", "--accounting")
    assert "goes down first" in good("up", "4x4-1g")
    assert databases() == []
    assert "goes down first" in good("up", "4x4-1g", "--set", "InactiveLimit=77", "--set", "SelectTypeParameters=CR_Core_Memory")
    config = good("exec", "scontrol", "show", "config")
    assert "InactiveLimit           = 77 sec" in config and "SelectTypeParameters    = CR_CORE_MEMORY" in config


def test_a_bad_setting_is_one_line(traceless):
    done = run("up", "4x4-1g", "--set", "nonsense")
    assert done.returncode == 1 and done.stderr == "testbed: 'nonsense' is no setting of slurm.conf: NAME=VALUE\n"


def test_a_database_that_does_not_start_is_one_line(traceless, tmp_path, monkeypatch):
    """mariadbd ends at once: said, and everything goes down."""
    (tmp_path / "mariadbd").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "mariadbd").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    done = run("up", "4x4-1g", "--accounting")
    assert done.returncode == 1 and done.stderr.startswith("testbed: mariadbd.log: ended at once") and done.stderr.count("\n") == 1, done


def test_a_missing_tool_of_accounting_is_named():
    """Asked for only with --accounting."""
    loader = importlib.machinery.SourceFileLoader("testbed_script", TESTBED)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("testbed_script", loader))
    loader.exec_module(module)
    module.need_tools()
    with pytest.raises(module.Problem, match="'no-such-tool' is missing: install the package some-package"):
        module.need_tools({"no-such-tool": "some-package"})
    assert set(module.accounting.TOOLS.values()) >= {"mariadb-server", "slurmdbd"}
