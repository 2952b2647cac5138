# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What the placements of all mappers cost, for the profiles of bench/profiles: cost_of_mappers.py COMMMAP > rows.json

Costs are the same on every machine, and no time is measured. A row of a mapper that refuses a job has its reason.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from compare.demo import say

PROFILES = sorted((ROOT / "bench/profiles").glob("*.commmap"))


def cluster_of(profile):
    return ROOT / ("bench/profiles/16x16.yaml" if profile.stem.endswith("-256") else "tests/testbed/shapes/8x2.yaml")


def mappers(commmap):
    listed = subprocess.run([commmap, "map", "--list-mappers"], check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in listed.splitlines()]


def row_of(commmap, profile, mapper):
    done = subprocess.run([commmap, "map", "--profile", profile, "--cluster", cluster_of(profile), "--mapper", mapper, "--format", "json"],
                          check=False, capture_output=True, text=True)
    row = {"profile": profile.stem, "mapper": mapper}
    if done.returncode != 0:
        return row | {"port_cost_s": None, "hop_bytes": None, "refused": done.stderr.strip().removeprefix("commmap: ")}
    document = json.loads(done.stdout)
    return row | {"port_cost_s": document["port_cost_s"], "hop_bytes": document["hop_bytes"], "refused": None}


def main():
    commmap, = sys.argv[1:]
    rows = []
    for profile in PROFILES:
        say(f"costs of all mappers: {profile.stem}")
        rows += [row_of(commmap, profile, mapper) for mapper in mappers(commmap)]
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
