# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Several runs of a program, tags, the site's profiles, comparing and cleaning up."""

import json
import os
import pathlib
import re
import shutil
import time

import patience
import pytest
from own_name import own_name
from two_nodes import CLUSTER

PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
BUILD = pathlib.Path(os.environ["COMMMAP_BUILD"])


@pytest.fixture
def home(tmp_path):
    (tmp_path / ".cache/commmap").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def store(home):
    return home / ".cache/commmap"


@pytest.fixture
def commmap(home):
    def run(*arguments, **environment):
        env = {"PATH": "/usr/bin:/bin", "HOME": str(home), **environment}
        return patience.run([PREFIX / "bin/commmap", *map(str, arguments)], env=env, cwd=home, capture_output=True, text=True)
    return run


def make_profile(path, ranks=4, distance=2, amount=1000, *label):
    path.parent.mkdir(parents=True, exist_ok=True)
    patience.run([BUILD / "tests/cli/make_profile", path, *map(str, (ranks, distance, amount, *label))], check=True)
    return path


def run_of(store, second, name="build-id-00-np4"):
    return store / f"{name}.2026010{second}T000000Z-{second}.0-0000000{second}.commmap"


def sent(commmap, *name):
    result = commmap("profile", "export", "--json", *name)
    assert result.returncode == 0, result.stderr
    return sum(sum(peer["bytes"]) for rank in json.loads(result.stdout)["ranks"] for peer in rank["sent"])


def test_the_mean_of_all_runs_is_shown_and_one_can_be_dropped(commmap, store):
    for second, amount in ((1, 1000), (2, 2000), (3, 6000)):
        make_profile(run_of(store, second), amount=amount)
    assert sent(commmap, "test") == 4 * 3000  # by the program's name
    assert sent(commmap, run_of(store, 3).name) == 4 * 6000
    assert re.search(r"^4 +3 .*/made/by/a/test +build-id-00-np4$", commmap("profile", "list").stdout, re.M)
    assert "runs         3, this is their mean\n" in commmap("profile", "show", "test").stdout

    assert commmap("profile", "rm", "").returncode == 1
    assert commmap("profile", "rm", run_of(store, 3).name).stdout == f"removed {run_of(store, 3)}\n"
    assert sent(commmap, "test") == 4 * 1500
    runs = commmap("profile", "list", "--runs").stdout
    assert [line.split()[-1] for line in runs.splitlines()[2:]] == [run_of(store, second).name for second in (1, 2)], runs
    assert "no file and no profile" in commmap("profile", "rm", "test", "nothing").stderr
    assert "no file and no profile" in commmap("profile", "rm", "build-id-00-np4.2026").stderr  # a beginning is not enough
    assert len(list(store.iterdir())) == 2
    assert commmap("profile", "rm", "test").stdout.count("removed") == 2
    assert not list(store.iterdir())
    assert commmap("profile", "verify").stdout == "no profiles to verify\n"


def test_a_tag_selects_by_the_programs_name(commmap, store):
    make_profile(run_of(store, 1))
    make_profile(run_of(store, 2, "build-id-00+big-np4"), amount=7000)
    assert sent(commmap, "test") == 4 * 1000
    assert sent(commmap, "test", "--tag", "big") == 4 * 7000
    assert "no file and no profile" in commmap("profile", "rm", "test", "--tag", "other").stderr
    assert commmap("profile", "rm", "test").stdout == f"removed {run_of(store, 1)}\n"


def test_a_damaged_run_is_left_out_with_a_line(commmap, store):
    make_profile(run_of(store, 1))
    bad = make_profile(run_of(store, 2), amount=9000)
    bad.write_bytes(bad.read_bytes()[:-1])
    shown = commmap("profile", "show", "build-id")
    assert shown.returncode == 0 and len(shown.stderr.splitlines()) == 1, shown
    assert str(bad) in shown.stderr and "the other runs are used without it" in shown.stderr
    assert "4.00 kB" in shown.stdout
    assert "the other runs are used without it" in commmap("profile", "show", "test").stderr
    assert re.search(r"^4 +2 .*/made/by/a/test \(1 cannot be read\)", commmap("profile", "list").stdout, re.M)
    assert commmap("profile", "rm", "test").stdout.count("removed") == 2


def test_runs_of_a_job_array_do_not_pile_up(commmap, store):
    for second in range(1, 10):
        make_profile(run_of(store, second))
    assert sent(commmap, "build-id") == 4 * 1000
    told = commmap("profile", "gc", "--dry-run")
    assert told.stdout == f"would remove {run_of(store, 1)}: newer runs are there\n" and run_of(store, 1).exists()
    assert commmap("profile", "gc", "--keep", 2).stdout.count("removed") == 7
    assert sorted(path.name for path in store.iterdir()) == [run_of(store, 8).name, run_of(store, 9).name]


def test_gc_removes_what_killed_writers_left(commmap, store):
    make_profile(run_of(store, 1))
    partial = make_profile(store / "build-id-00-np4.commmap.partial")
    lonely = make_profile(store / "build-id-11-np4.commmap.partial")
    temporary = [store / f"{run_of(store, 2).name}.new-{letters}" for letters in ("a1b2c3", "d4e5f6")]
    unfinished = [store / own_name(".unfinished") / step for step in ("7.0", "8.0")]
    other = store / "notes.txt"
    backup = store / "build-id-00-np4.commmap.backup"
    for path in (*temporary, other, backup, *(step / "0.part" for step in unfinished)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    two_days_ago = time.time() - 2 * 86400
    for path in (temporary[0], unfinished[0], other, backup):
        os.utime(path, (two_days_ago, two_days_ago))

    removed = commmap("profile", "gc").stdout
    assert backup.exists()
    assert {path for path in (partial, lonely, *temporary, *unfinished, other) if not path.exists()} == {partial, temporary[0], unfinished[0]}, removed
    assert len(removed.splitlines()) == 3
    os.utime(lonely, (two_days_ago, two_days_ago))
    assert commmap("profile", "gc", "--older-than", 1).stdout == f"removed {lonely}: too old\n"
    assert commmap("profile", "gc").stdout == "nothing to remove\n"


def test_the_site_publishes_for_everybody(commmap, store, home):
    site = home / "site"
    for second, amount in ((1, 1000), (2, 3000)):
        make_profile(run_of(store, second), amount=amount)
    assert "--site-profiles" in commmap("profile", "publish", "test").stderr
    published = commmap("profile", "publish", "test", "--site-profiles", site)
    assert published.stdout == f"published {site}/build-id-00-np4.commmap\n", published
    assert (site / "build-id-00-np4.commmap").stat().st_mode & 0o777 == 0o644
    shutil.rmtree(store)

    assert sent(commmap, "test", "--site-profiles", site) == 4 * 2000
    listing = commmap("profile", "list", COMMMAP_SITE_PROFILES=str(site)).stdout.splitlines()
    assert listing[0] == f"in {site}" and re.match(r"4 +2 ", listing[2]), listing
    assert "no file and no profile" in commmap("profile", "rm", "test", "--site-profiles", site).stderr
    assert len(os.listdir(site)) == 1
    make_profile(run_of(store, 3), amount=5000)  # the user's own counts
    assert sent(commmap, "test", "--site-profiles", site) == 4 * 5000


def test_merge_writes_the_mean(commmap, store, home):
    for second, amount in ((1, 1000), (2, 3000)):
        make_profile(run_of(store, second), amount=amount)
    other = make_profile(home / "other.commmap", amount=8000)
    assert commmap("profile", "merge", "test", other, "-o", home / "all.commmap").returncode == 0
    assert sent(commmap, home / "all.commmap") == 4 * 4000
    small = make_profile(home / "small.commmap", ranks=2)
    refused = commmap("profile", "merge", other, small, "-o", home / "none.commmap")
    assert refused.returncode == 1 and len(refused.stderr.splitlines()) == 1
    assert "they cannot be merged" in refused.stderr and "on 2 ranks, not of 'build-id:00' on 4" in refused.stderr and not (home / "none.commmap").exists()


def test_diff(commmap, home):
    before = make_profile(home / "before.commmap")
    after = make_profile(home / "after.commmap", 4, 2, 1200, "solve")
    same = commmap("profile", "diff", before, before, "--fail-if", "bytes>+0%")
    assert same.returncode == 0 and "every pair of ranks sends as much as before" in same.stdout
    changed = commmap("profile", "diff", before, after)
    assert changed.returncode == 0
    assert re.search(r"^bytes +4.00 kB +9.60 kB +\+140.0 %$", changed.stdout, re.M), changed.stdout
    assert re.search(r"^messages +4 +8 +\+100.0 %$", changed.stdout, re.M)
    assert re.search(r"^phase solve, bytes +0.00 B +4.80 kB +new$", changed.stdout, re.M)
    assert re.search(r"^0 +2 +1.00 kB +2.40 kB$", changed.stdout, re.M)

    failed = commmap("profile", "diff", before, after, "--fail-if", "bytes>+10%", "--fail-if", "messages>200%", "--fail-if", "pairs<-5%")
    assert failed.returncode == 1 and failed.stderr == "commmap: bytes>+10%: +140.0 % (4.00 kB before, 9.60 kB after)\n", failed
    fewer = commmap("profile", "diff", after, before, "--fail-if", "messages<-10%")
    assert fewer.returncode == 1 and "messages<-10%: -50.0 %" in fewer.stderr
    for wrong, told in (("bytes", "is no limit"), ("byts>1%", "did you mean 'bytes'"), ("bytes>1", "has no %"), ("bytes>x%", "no number"), ("bytes>nan%", "no number")):
        refused = commmap("profile", "diff", before, after, "--fail-if", wrong)
        assert refused.returncode == 2 and told in refused.stderr and len(refused.stderr.splitlines()) == 1, refused
    assert commmap("profile", "diff", before).returncode == 2
    sizes = commmap("profile", "diff", before, make_profile(home / "large.commmap", ranks=8))
    assert "ranks: 4 before, 8 after" in sizes.stdout and "from" not in sizes.stdout


def identity(program):
    return re.search("Build ID: ([0-9a-f]+)", patience.run(["readelf", "-n", program], check=True, capture_output=True, text=True).stdout)[1]


def xxh128(path):
    return patience.run(["xxhsum", "-H128", path], check=True, capture_output=True, text=True).stdout.split()[0]


def test_scripts_tags_and_starters_find_their_profile(commmap, store, home):
    (home / "cluster.yaml").write_text(CLUSTER)
    program = home / "app"
    shutil.copy(BUILD / "tests/cli/make_profile", program)
    (home / "train.py").write_text("print(1)\n")
    other = make_profile(home / "other.commmap")
    python = os.path.realpath("/usr/bin/python3")
    script = f"build-id-{identity(python)}.script-{xxh128(home / 'train.py')[:16]}"

    def planned(*words, tag=()):
        return commmap("map", "--cluster", home / "cluster.yaml", "--ntasks", 4, *tag, "--command", *words)

    def identify(*words, tag=()):
        return commmap("profile", "identify", "--ntasks", 4, *tag, "--command", *words)

    for name, words, tag in ((f"build-id-{identity(program)}", ("./app",), ()),
                             (f"build-id-{identity(program)}", ("nice", "--", "-n", "5", "./app"), ()),
                             (f"build-id-{identity(program)}", ("env", "--", "A=1", "./app", "train.py"), ()),
                             (f"build-id-{identity(program)}+large", ("./app",), ("--tag", "large")),
                             (script, ("python3", "--", "train.py"), ()),
                             (script, ("/usr/bin/python3", "--", "-u", "./train.py", "4"), ())):
        missing = planned(*words, tag=tag)
        assert missing.returncode == 1 and "no profile of" in missing.stderr, (words, missing)
        unknown = identify(*words, tag=tag)
        assert unknown.returncode == 1 and "no profile of" in unknown.stderr, (words, unknown)
        path = store / f"{name}-np4.commmap"
        make_profile(path)
        assert planned(*words, tag=tag).returncode == 0, words
        assert identify(*words, tag=tag).stdout == name.replace("build-id-", "build-id:", 1) + "\n"
        shutil.copy(other, path)
        mismatch = planned(*words, tag=tag)
        assert mismatch.returncode == 1 and f"{path}' is of 'build-id:00' on 4 ranks, which is not what its name says" in mismatch.stderr, (words, mismatch)
        path.unlink()


def test_a_file_under_the_name_of_another_program_is_not_taken_for_it(commmap, store, home):
    """The name was changed by hand."""
    other = make_profile(home / "other.commmap", amount=9000)  # of build-id:00
    alone = store / "build-id-ff-np4.commmap"
    shutil.copy(other, alone)
    for words in (("show",), ("export",), ("publish", "--site-profiles", home / "site")):
        refused = commmap("profile", words[0], "build-id-ff", *words[1:])
        assert refused.returncode == 1 and "which is not what its name says" in refused.stderr, (words, refused)
    assert not (home / "site").exists()
    assert "which is not what its name says" in commmap("profile", "verify").stdout
    assert commmap("profile", "verify", alone).returncode == 1 and commmap("profile", "verify", other).returncode == 0
    assert "no file and no profile" in commmap("profile", "show", "test").stderr  # nor by the name of the other
    assert sent(commmap, f"./.cache/commmap/{alone.name}") == 4 * 9000  # as a path it is what it is
    shutil.move(alone, run_of(store, 2, "build-id-ff-np4"))
    make_profile(run_of(store, 1, "build-id-ff-np4"), amount=1000)
    shown = commmap("profile", "show", "build-id-ff")
    assert "4.00 kB" in shown.stdout and "the other runs are used without it" in shown.stderr, shown
    run_of(store, 1, "build-id-ff-np4").write_bytes(b"damaged")  # which leaves nothing but the other's
    assert commmap("profile", "show", "build-id-ff").returncode == 1
    assert commmap("profile", "rm", "build-id-ff-np4").stdout.count("removed") == 2


def test_names_that_nobody_writes_are_no_profiles(commmap, store):
    """They would reach somebody's terminal."""
    make_profile(store / "build-id-\033[31m-np4.commmap")
    make_profile(store / "build-id-00\n-np4.commmap")
    assert commmap("profile", "list").stdout.startswith("no profiles in ")
    assert commmap("profile", "gc").stdout == "nothing to remove\n"


def test_gc_and_collect_follow_no_link(commmap, store, home):
    """Who may write into the directory of profiles may not say what is removed elsewhere."""
    elsewhere = home / "software"
    for name in ("1.2/0.part", "2024.1/README"):
        (elsewhere / name).parent.mkdir(parents=True)
        (elsewhere / name).write_text("x")
    two_days_ago = time.time() - 2 * 86400
    for step in elsewhere.iterdir():
        os.utime(step, (two_days_ago, two_days_ago))
    (store / own_name(".unfinished")).symlink_to(elsewhere)
    assert commmap("profile", "gc").stdout == "nothing to remove\n"
    assert "is a link, or somebody else's" in commmap("profile", "collect", "1.2").stderr
    assert len(list(elsewhere.rglob("*"))) == 4
    (store / own_name(".unfinished")).unlink()
    elsewhere.rename(store / own_name(".unfinished"))
    assert commmap("profile", "gc").stdout == f"removed {store}/{own_name('.unfinished')}/1.2: nobody collected it\n"
    assert (store / own_name(".unfinished") / "2024.1/README").exists()


def test_list_and_gc_of_a_tag(commmap, store):
    for second in (1, 2):
        make_profile(run_of(store, second))
        make_profile(run_of(store, second, "build-id-00+big-np4"))
    listed = commmap("profile", "list", "--tag", "big").stdout
    assert "build-id-00+big-np4" in listed and "build-id-00-np4" not in listed
    assert "with the tag 'none-such'" in commmap("profile", "list", "--tag", "none-such").stdout
    assert "build-id-00+big-np4" not in commmap("profile", "list", "--tag", "").stdout
    assert "build-id-00-np4" in commmap("profile", "list", COMMMAP_TAG="big").stdout
    refused = commmap("profile", "rm", "--tag", "big", "build-id-00-np4")
    assert refused.returncode == 1 and "does not have the tag 'big': nothing is removed" in refused.stderr and len(list(store.iterdir())) == 4
    assert commmap("profile", "gc", "--keep", 1, "--tag", "big").stdout.count("removed") == 1
    assert sorted(path.name for path in store.iterdir()) == sorted(
        [run_of(store, 1).name, run_of(store, 2).name, run_of(store, 2, "build-id-00+big-np4").name])


def test_a_name_that_begins_another_one(commmap, store):
    make_profile(run_of(store, 1), ranks=4)
    make_profile(run_of(store, 1, "build-id-00-np48"), ranks=48)
    assert "ranks        4 on" in commmap("profile", "show", "build-id-00-np4").stdout
    assert "ranks        48 on" in commmap("profile", "show", "build-id-00-np48").stdout
    assert "any of several profiles" in commmap("profile", "show", "build-id-00").stderr


def test_labels_do_not_reach_the_terminal_as_they_are(commmap, home):
    profile = make_profile(home / "x.commmap", 4, 2, 1000, "red\x1b[31m")
    for words in (("show", profile), ("diff", profile, profile)):
        shown = commmap("profile", *words)
        assert "red [31m" in shown.stdout and "\x1b" not in shown.stdout, shown
