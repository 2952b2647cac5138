# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""scripts/lib/changes.py: what clang-tidy and the sanitizers look at after a change."""

import json
import os
import importlib
import pathlib
import re
import shutil
import subprocess

import patience
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = ("tidy", "units", "release")
FILES = {
    "src/core/base/units.hpp": "", "src/core/base/units.cpp": '#include "core/base/units.hpp"\n',
    "src/core/base/wire.fbs": "", "src/core/base/wire.cpp": '#include "core/base/wire_generated.h"\n',
    "src/core/base/small.hpp": "", "src/cli/main.hpp": '#include "core/base/small.hpp"\n', "src/cli/main.cpp": '#include "cli/main.hpp"\n',
    "src/core/base/alone.hpp": "", "tests/core/base/units_test.cpp": "", "tests/cli/main_test.cpp": "", "tests/core/plan/plan_test.cpp": "",
    "tests/fuzz/part_fuzz.cpp": "", "README.md": "", "src/spank_commmap/plugin.cpp": '#include "core/base/strict.hpp"\n',
    "src/core/base/strict.hpp": "", "src/cli/other.cpp": '#include "core/base/strict.hpp"\n',
    "tests/core/cpus/machines_test.cpp": 'TEST_DATA "/machines/"\n', "tests/slurm/programs/a.c": "",
}


@pytest.fixture(name="checkout")
def _checkout(tmp_path):
    """A repository with one commit on main."""
    checkout = Checkout(tmp_path / "checkout")
    checkout.write(FILES)
    checkout.commit()
    return checkout


class Checkout:
    def __init__(self, place):
        self.place = place
        place.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *words):
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        return patience.run(["git", "-C", self.place, *who, *words], check=True, capture_output=True, text=True).stdout.strip()

    def write(self, files):
        for name, text in files.items():
            path = self.place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a")
        return self.git("rev-parse", "HEAD")

    def checked(self, *kinds, commit=None):
        """Notes that everything of these kinds was looked at up to here."""
        commit = commit or self.git("rev-parse", "HEAD")
        tree = self.git("rev-parse", "HEAD^{tree}")
        self.write({"bench/results/checked.json": json.dumps({kind: {"commit": commit, "tree": tree} for kind in kinds or KINDS})})
        self.commit()
        return commit

    def bases(self):
        return [self.ask("base", kind) for kind in KINDS]

    def ask(self, *what, **variables):
        environment = {**{key: value for key, value in os.environ.items() if key != "COMMMAP_BASE"}, "COMMMAP_ROOT": str(self.place), **variables}
        return patience.run([ROOT / "scripts/lib/changes.py", *what], check=True, capture_output=True, text=True, env=environment).stdout.split()


def test_on_a_branch_the_base_is_where_it_left_main(checkout):
    left = checkout.git("rev-parse", "HEAD")
    checkout.git("checkout", "-q", "-b", "topic")
    checkout.write({"README.md": "more"})
    checkout.commit()

    assert checkout.bases() == [[left]] * 3
    assert checkout.ask("base", "tidy", COMMMAP_BASE="HEAD") == [checkout.git("rev-parse", "HEAD")]


def test_on_main_the_base_is_the_last_commit_that_was_checked(checkout):
    assert checkout.bases() == [["all"]] * 3
    assert checkout.ask("tidy") == checkout.ask("units") == checkout.ask("release") == ["all"]

    commit = checkout.checked()

    assert checkout.bases() == [[commit]] * 3
    assert checkout.ask("tidy") == checkout.ask("units") == []


def test_each_kind_of_check_has_a_base_of_its_own(checkout):
    commit = checkout.checked("tidy")

    assert checkout.bases() == [[commit], ["all"], ["all"]]


def test_a_base_that_there_is_not_ends_it(checkout):
    with pytest.raises(subprocess.CalledProcessError) as raised:
        checkout.ask("tidy", COMMMAP_BASE="nothing")
    assert raised.value.stderr == "scripts/lib/changes.py: COMMMAP_BASE: no commit 'nothing'\n"


def test_without_a_repository_everything_counts_as_changed(checkout):
    shutil.rmtree(checkout.place / ".git")
    assert checkout.bases() == [["all"]] * 3
    assert checkout.ask("tidy") == checkout.ask("units") == ["all"]


def test_commits_on_main_that_nobody_has_yet_are_measured_from_the_last_check(checkout):
    whole = checkout.checked()
    checkout.git("update-ref", "refs/remotes/origin/main", "HEAD")
    checkout.write({"README.md": "more"})
    checkout.commit()

    assert checkout.bases() == [[whole]] * 3


def test_a_commit_with_another_name_is_found_by_its_tree(checkout):
    commit = checkout.git("rev-parse", "HEAD")
    checkout.checked(commit="0" * 40)
    assert checkout.bases() == [[commit]] * 3


@pytest.mark.parametrize("text", ["", "<<<<<<<", "[]", '{"tidy": 7}'])
def test_a_damaged_list_of_checks_is_no_base(checkout, text):
    checkout.write({"bench/results/checked.json": text})
    assert checkout.ask("base", "tidy") == ["all"]


def test_a_check_of_another_history_is_no_base(checkout):
    checkout.write({"bench/results/checked.json": json.dumps({"tidy": {"commit": "0" * 40, "tree": "1" * 40}})})
    checkout.commit()
    assert checkout.ask("base", "tidy") == ["all"]


@pytest.mark.parametrize("file, tidy, units", [
    ("src/core/base/units.cpp", ["src/core/base/units.cpp"], ["core_base", "fuzz"]),
    ("src/core/base/units.hpp", ["src/core/base/units.cpp"], ["core_base", "fuzz"]),
    ("src/core/base/small.hpp", ["src/cli/main.cpp"], ["cli", "core_base", "fuzz"]),  # by way of another header
    ("src/core/base/alone.hpp", ["all"], ["core_base", "fuzz"]),  # nobody includes it
    ("src/core/base/strict.hpp", ["src/spank_commmap/plugin.cpp"], ["cli", "core_base", "fuzz"]),  # where clang-tidy asks for most
    ("src/core/base/deep/new.cpp", ["src/core/base/deep/new.cpp"], ["core_base", "fuzz"]),  # a folder below has the module's tests
    ("src/core/base/new.cpp", ["src/core/base/new.cpp"], ["core_base", "fuzz"]),  # git does not know it yet
    ("src/core/base/wire.fbs", ["src/core/base/wire.cpp"], ["core_base", "fuzz"]),  # by the header that is made of it
    ("src/core/plan/CMakeLists.txt", [], ["core_plan", "fuzz"]),
    ("tests/core/base/units_test.cpp", [], ["core_base"]),
    ("tests/fuzz/part_fuzz.cpp", [], ["fuzz"]),
    ("tests/fuzz/corpus/part/new", [], ["fuzz"]),
    ("tests/data/machines/new", [], ["core_cpus", "fuzz"]),
    ("tests/core/plan/data.txt", [], ["core_plan"]),
    ("tests/slurm/programs/a.c", [], []),
    ("tests/gates/test_a.py", [], []),
    ("tests/new/a_program.c", [], ["all"]),
    ("docs/examples/a.cpp", [], ["docs"]),
    ("README.md", [], []),
    ("cmake/commmap_targets.cmake", ["all"], ["all"]),
    ("src/CMakeLists.txt", ["all"], ["all"]),
    ("src/pmix_hooks/wrappers/mpi_calls.py", ["all"], ["all"]),
    ("scripts/check-tidy", ["all"], []),
    (".clang-tidy", ["all"], []),
    ("src/.clang-tidy", ["all"], ["fuzz"]),
])
def test_what_a_changed_file_asks_for(checkout, file, tidy, units):
    checkout.checked()
    checkout.write({file: FILES.get(file, "") + "int changed;\n"})

    assert (checkout.ask("tidy"), checkout.ask("units")) == (tidy, [name if name == "all" else "unit_tests_" + name for name in units])


@pytest.mark.parametrize("file, is_one", [
    ("src/spank_commmap/slurm_rules.hpp", True), ("src/core/base/units.hpp", True), ("tests/slurm/test_a.py", True), ("CMakePresets.json", True),
    ("scripts/lib/build-packages", True), ("src/core/mapping/a.cpp", False), ("docs/a.md", False), ("bench/a.py", False),
])
def test_what_runs_inside_slurm_asks_for_another_release(checkout, file, is_one):
    checkout.checked()
    checkout.write({file: "int changed;\n"})
    assert checkout.ask("release") == ([file] if is_one else [])


def test_a_file_that_is_gone_asks_for_the_tests_of_its_folder(checkout):
    checkout.checked()
    (checkout.place / "src/core/base/units.cpp").unlink()
    assert checkout.ask("tidy") == []
    assert checkout.ask("units") == ["unit_tests_core_base", "unit_tests_fuzz"]


def test_many_changed_sources_are_read_together(checkout):
    checkout.checked()
    checkout.write({f"src/core/base/f{number}.cpp": "" for number in range(61)})
    assert checkout.ask("tidy") == ["all"]


def test_every_target_that_it_names_is_one_of_the_build(monkeypatch):
    """Of any file of src and tests, as the build has its targets."""
    build = os.environ.get("COMMMAP_BUILD")
    if build is None:
        pytest.skip("COMMMAP_BUILD is not set")
    monkeypatch.syspath_prepend(str(ROOT / "scripts/lib"))
    changes = importlib.import_module("changes")
    named = {target for path in changes.files() for target in changes.units([path]) or []}
    assert {"unit_tests_core_mapping", "unit_tests_spank_commmap", "unit_tests_pmix_hooks", "unit_tests_fuzz"} <= named
    targets = set(re.findall(r"^build (unit_tests_\w+): phony", (pathlib.Path(build) / "build.ninja").read_text(), re.MULTILINE))
    assert named - targets == set()
