# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""How long a launch takes with commmap, beside a plain one: bench_launch.py RELEASE PREFIX ROUNDS > rows.json

Brings up a testbed of its own. Plain means: the plugstack has no commmap at all. A row has ROUNDS pairs of a plain launch
and one with commmap, in turns. added_*_ms is the median of the differences within a pair, *_95 its 95 % interval.

A stand-in is launched.c, linked with the build id of the program that a profile of bench/profiles was recorded of. So that
profile is the stand-in's. PREFIX may have another commit's commmap.
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.append(os.path.join(ROOT, "tests", "testbed", "lib"))
import release as releases

TESTBED = os.path.join(ROOT, "tests", "testbed", "testbed")
SHAPE = os.path.join(ROOT, "tests", "testbed", "shapes", "8x2.yaml")
# each is placed, for its gain is beyond the error; and left where Slurm has it; with a kept plan and with a new one
GOALS = ("lammps-long", "irregular")
ALL_MODES = "auto-kept,auto-new,stays-kept,stays-new"


def profiles():
    names = [os.path.basename(path).removesuffix(".commmap") for path in glob.glob(f"{ROOT}/bench/profiles/*.commmap")]
    return sorted(name for name in names if not name.endswith("-256"))


def wanted_of(where, has_pmix):
    """PROGRAM=MODE,... for time_launches.py; without PMIx nothing is recorded, and nothing planned from a record"""
    if not has_pmix:
        return ["launched=off"]
    others = [f"{name}=any-new" for name in profiles() if name not in GOALS] if where == "allocation" else []
    return ["launched=off,profile", *(f"{name}={ALL_MODES}" for name in GOALS), *others]


def identity_of(release, commmap, profile):
    done = subprocess.run([TESTBED, "root", release.name, commmap, "profile", "export", profile], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["application_id"]


def build(release, target, *options):
    subprocess.run([TESTBED, "root", release.name, release.mpicc, "-O2", *options, "-o", target, f"{HERE}/launched.c"], check=True,
                   stdout=subprocess.DEVNULL)


def stand_in(release, commmap, work, name):
    """A program that has the profile `name`, the profile in a directory of its own: three are of one program."""
    profile = f"{ROOT}/bench/profiles/{name}.commmap"
    identity = identity_of(release, commmap, profile)
    build(release, f"{work}/{name}", f"-Wl,--build-id=0x{identity.removeprefix('build-id:')}")
    os.makedirs(f"{work}/profiles-{name}")
    shutil.copy(profile, f"{work}/profiles-{name}/{identity.replace(':', '-')}-np16.commmap")


def main():
    release, prefix, rounds = releases.find(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    name = f"launch{os.getpid()}"
    work = tempfile.mkdtemp(prefix="commmap-launch-", dir="/var/tmp")
    try:
        with open(f"{work}/plugstack.conf", "w", encoding="utf-8") as file:
            file.write(f"optional {prefix}/lib/commmap/commmap.so cluster={SHAPE}\n")
        build(release, f"{work}/launched")
        has_pmix = releases.PMIX not in release.lacks
        for profile in profiles() if has_pmix else []:
            stand_in(release, f"{prefix}/bin/commmap", work, profile)
        testbed = [TESTBED, "--name", name]
        subprocess.run([*testbed, "up", "8x2", "--release", release.name], check=True, stdout=subprocess.DEVNULL)
        try:
            timed = [sys.executable, f"{HERE}/time_launches.py", work, rounds, release.name]
            environment = {key: value for key, value in os.environ.items() if not key.startswith(("COMMMAP", "SLURM"))}
            for where, before in (("standalone", []), ("allocation", ["salloc", "-Q", "-N8", "-n16"])):
                subprocess.run([*testbed, "exec", *before, *timed, where, *wanted_of(where, has_pmix)], check=True, env=environment, cwd=work,
                               stdout=subprocess.DEVNULL)
        finally:
            subprocess.run([*testbed, "down"], check=False, stdout=subprocess.DEVNULL)
        rows = []
        for where in ("standalone", "allocation"):
            with open(f"{work}/{where}.json", encoding="utf-8") as file:
                rows += json.load(file)
        print(json.dumps(rows))
    finally:
        shutil.rmtree(work)


main()
