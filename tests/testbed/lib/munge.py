# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Authentication: an own key and one munged per node, as on real machines.

One munged for all would do for Slurm 22.05; in newer releases each node decodes the same credential, and a munged
calls the second time a replay. Slurm finds the socket by AuthInfo, one path for all: each node's mount namespace
has its own directory there.
"""

import os
import secrets
import socket

from processes import inside, start, until


def directory(state, node=None):
    return state.path("nodes", node, "munge") if node else state.path("munge")


def start_all(state, nodes):
    os.makedirs(state.path("etc"), exist_ok=True)
    with open(os.open(state.path("etc", "munge.key"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(secrets.token_bytes(128))
    for node in [None] + nodes:
        where = directory(state, node)
        os.makedirs(where)
        start(state, inside(state, node) + [
            "munged", "--foreground", "--force", "--num-threads=2", f"--key-file={state.path('etc', 'munge.key')}",
            f"--socket={where}/sock", f"--pid-file={where}/pid", f"--log-file={where}/log",
            f"--seed-file={where}/seed"], os.path.join(where, "log"))
    for node in [None] + nodes:
        until(lambda: _answers(os.path.join(directory(state, node), "sock")), 10,
              f"munged does not start: see {directory(state, node)}/log")


def _answers(path):
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(path)
            return True
        except OSError:
            return False
