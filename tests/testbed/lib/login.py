# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The login host: the host itself (or the release's root), with its own network, host name and /etc/hosts, and a user's environment."""

import ctypes
import os
import pwd
import socket

import network
import roots
import shim
from problem import Problem

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWNET = 0x00020000, 0x04000000, 0x40000000
MS_BIND, MS_REC, MS_SLAVE = 0x1000, 0x4000, 0x80000
LIBC = ctypes.CDLL(None, use_errno=True)

# Waiting ranks yield; between nodes only TCP through the shaped link, in a node shared memory. UCX takes nodes of
# one kernel for one machine and would go around the network. pml=ob1 would be as good, but keeps monitoring away.
MPI = {
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_pml": "^ucx,cm",
    "OMPI_MCA_osc": "^ucx",
    "OMPI_MCA_btl": "tcp,vader,self",
    "OMPI_MCA_btl_tcp_if_include": "eth0",
    "UCX_TLS": "tcp,self",
}


def variables(state, given):
    """What is set on top of the environment `given`; the user's own settings of MPI stay."""
    preload = [word for word in given.get("LD_PRELOAD", "").replace(":", " ").split()]
    preload += [path for path in (shim.path(state, name) for name in shim.NAMES) if path not in preload]
    return {"SLURM_CONF": state.path("slurm.conf"), "LD_PRELOAD": ":".join(preload),
            **{key: value for key, value in MPI.items() if key not in given}}


def execute(state, command, user=None):
    """Becomes `command` on the login host: no process is left in between."""
    environment = {**os.environ, **variables(state, os.environ)}
    try:
        account = pwd.getpwnam(user) if user else None
    except KeyError:
        raise Problem(f"no user '{user}'")
    own_network(os.path.join(network.RUN, network.namespace(state, network.LOGIN)))
    own_mounts(state.path("etc", "hosts"))
    socket.sethostname(network.LOGIN)
    roots.enter(state.release, [state.dir])
    if account:
        os.initgroups(account.pw_name, account.pw_gid)
        os.setgid(account.pw_gid)
        os.setuid(account.pw_uid)
        environment.update(HOME=account.pw_dir, USER=account.pw_name, LOGNAME=account.pw_name)
    become(command, environment)


def become(command, environment):
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        raise Problem(f"{command[0]}: {error.strerror}")


def _call(name, *arguments):
    if getattr(LIBC, name)(*arguments) != 0:
        raise Problem(f"{name}: {os.strerror(ctypes.get_errno())}")


def own_network(path):
    """Into a network namespace, whose file is `path`."""
    try:
        with open(path, encoding="utf-8") as file:
            _call("setns", file.fileno(), CLONE_NEWNET)
    except OSError as error:
        raise Problem(f"no network of the login host ({path}: {error.strerror}): take the testbed down and up again")


def own_mounts(hosts=None):
    """A mount namespace and a host name of this process's own."""
    _call("unshare", CLONE_NEWNS | CLONE_NEWUTS)
    _call("mount", None, b"/", None, ctypes.c_ulong(MS_REC | MS_SLAVE), None)
    if hosts:
        _call("mount", os.fsencode(hosts), b"/etc/hosts", None, ctypes.c_ulong(MS_BIND), None)
