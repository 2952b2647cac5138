# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Other settings in slurm.conf than slurm.py writes: `up --set NAME=VALUE`."""

import re

from problem import Problem


def change(state, settings):
    """After everything else has written to slurm.conf. Slurm takes the last of two lines, with a complaint: so one is left."""
    if not settings:
        return
    names = []
    for setting in settings:
        match = re.fullmatch(r"([A-Z][A-Za-z]+)=(\S.*)", setting)
        if not match:
            raise Problem(f"'{setting}' is no setting of slurm.conf: NAME=VALUE")
        names.append(match[1].lower())
    with open(state.path("slurm.conf"), encoding="utf-8") as file:
        kept = [line for line in file.read().splitlines() if line.split("=")[0].lower() not in names]
    state.write("slurm.conf", "\n".join(list(settings) + kept) + "\n")
