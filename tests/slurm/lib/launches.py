# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What srun does on the login host, outside an allocation."""

import os
import subprocess

import patience

from cluster import TESTBED


class Launch:
    """A srun on the login host that is told things while it runs."""

    def __init__(self, cluster, profiles, options, command, **variables):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("COMMMAP", "SLURM"))}
        environment.update(COMMMAP_PROFILE_DIR=profiles, **variables)
        self.process = subprocess.Popen([TESTBED, "--name", cluster.name, "exec", "srun", *options.split(), *command],
                                        cwd=cluster.work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, start_new_session=True)

    def end(self, number):
        self.process.send_signal(number)
        out, err = patience.communicate(self.process, 60)
        return self.process.returncode, out, err


def queue(cluster):
    return cluster.login("squeue", "-h").out
