"""How long a launch takes with commmap, beside a plain one: bench_launch.py RELEASE PREFIX ROUNDS > rows.json

Brings up a testbed of its own. Plain means: the plugstack has no commmap at all. The launches of a row are interleaved
with plain ones; added_ms is the median of the differences of neighbours.
"""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.append(os.path.join(ROOT, "tests", "testbed", "lib"))
import release as releases  # noqa: E402

TESTBED = os.path.join(ROOT, "tests", "testbed", "testbed")
SHAPE = os.path.join(ROOT, "tests", "testbed", "shapes", "8x2.yaml")


def main():
    release, prefix, rounds = releases.find(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    # without PMIx nothing is recorded, and nothing planned from a record
    modes = ["off"] if releases.PMIX in release.lacks else ["off", "auto-cached", "auto-new", "profile"]
    name = f"launch{os.getpid()}"
    work = tempfile.mkdtemp(prefix="commmap-launch-", dir="/var/tmp")
    try:
        line = f"optional {prefix}/lib/commmap/commmap.so cluster={SHAPE} threshold=0\n"
        with open(f"{work}/plugstack.conf", "w", encoding="utf-8") as file:
            file.write(line)
        subprocess.run([TESTBED, "root", release.name, release.mpicc, "-O2", "-o", f"{work}/launched", f"{HERE}/launched.c"], check=True,
                       stdout=subprocess.DEVNULL)
        testbed = [TESTBED, "--name", name]
        subprocess.run([*testbed, "up", "8x2", "--release", release.name], check=True, stdout=subprocess.DEVNULL)
        try:
            timed = [sys.executable, f"{HERE}/time_launches.py", work, rounds, release.name]
            environment = {key: value for key, value in os.environ.items() if not key.startswith(("COMMMAP", "SLURM"))}
            for where, before in (("standalone", []), ("allocation", ["salloc", "-Q", "-N8", "-n16"])):
                subprocess.run([*testbed, "exec", *before, *timed, where, *modes], check=True, env=environment, cwd=work,
                               stdout=subprocess.DEVNULL)
        finally:
            subprocess.run([*testbed, "down"], check=False, stdout=subprocess.DEVNULL)
        with open(f"{work}/standalone.json", encoding="utf-8") as one, open(f"{work}/allocation.json", encoding="utf-8") as other:
            print(one.read().rstrip().removesuffix("]").rstrip() + "," + other.read().lstrip().removeprefix("["))
    finally:
        shutil.rmtree(work)


main()
