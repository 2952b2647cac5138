# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Recorded steps that somebody ends, and the partial profile that is left.

WAITING starts programs/leaver.c and waits until all ranks are there; STEP is the step's id. Both are shell, with words to replace.
"""

import json

from cluster import RELEASE, SMALL_STEPS, profiles_in, sums

# Slurm gives the others a second where one rank leaves: four are done by then on a busy machine, too.
FEW_RANKS = 4
FEW = f"-N2 -n{FEW_RANKS}"
STEP = "$(squeue -h -s -j $SLURM_JOB_ID -o %i | grep -E '[.][0-9]+$')"
WAITING = "rm -f OUT; srun -n16 OPTION LEAVER wait 0 >OUT & until grep -q 'all are there' OUT; do sleep 0.05; done"


def job_of_few(cluster, script, **variables):
    """A script with steps of FEW in an allocation of all nodes; in one of its own size where such steps may hang."""
    return cluster.job(script, *(FEW.split() if SMALL_STEPS in RELEASE.lacks else ()), **variables)


def sent_in(profile):
    return sums(rank["sent"] for rank in profile["ranks"])


def read(cluster, place):
    (name,) = profiles_in(place)
    return json.loads(cluster.login(f"{cluster.prefix}/bin/commmap", "profile", "export", "--json", f"{place}/{name}").out)


def exported(cluster, place, ranks=16):
    files = profiles_in(place)
    assert len(files) == 1 and files[0].endswith(f"-np{ranks}.commmap.partial"), files
    profile = read(cluster, place)
    assert not profile["complete"]
    return f"{place}/{files[0]}", profile, sent_in(profile)
