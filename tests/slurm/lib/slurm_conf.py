# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Other settings in the testbed's slurm.conf for a while."""

import contextlib
import re

PLACE = "/run/commmap-testbed/{}/slurm.conf"


@contextlib.contextmanager
def changed(cluster, **settings):
    """As if slurm.conf had said so; ends the allocation that stays. What slurmctld reads at its start only: `testbed up --set`."""
    path = PLACE.format(cluster.name)
    with open(path, encoding="utf-8") as file:
        before = file.read()
    lines = [line for line in before.splitlines() if line.split("=")[0] not in settings]
    try:
        _use(cluster, path, "\n".join([f"{name}={value}" for name, value in settings.items()] + lines) + "\n", settings)
        yield
    finally:
        _use(cluster, path, before, {})


def _use(cluster, path, text, expected):
    cluster.end_shell()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = cluster.login("bash", "-c", "while squeue -h | grep -q .; do sleep 0.05; done; scontrol reconfigure && scontrol show config")
    assert done.code == 0, done
    for name, value in expected.items():
        assert re.search(rf"(?m)^{name}\s*= {value}", done.out), f"{name}={value} is not in use: {done}"
