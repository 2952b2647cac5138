# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Accounting: slurmdbd beside slurmctld, and a MariaDB of its own that listens on a socket only.

Both run in the testbed's network namespace, so `down` finds them as it finds all daemons.
"""

import os
import subprocess

import network
import patience
from problem import Problem
from processes import environment, inside, start, until
from slurm import UNSHARE

TOOLS = {"mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server", "slurmdbd": "slurmdbd", "sacctmgr": "slurm-client"}
DAEMONS = ("mariadbd", "slurmdbd")
SECONDS_TO_START = 60

SLURM_CONF = """\
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost={controller}
AccountingStoragePort=6819
AccountingStoragePass={dir}/munge/sock
"""

DBD_CONF = """\
DbdHost=ctl
DbdAddr={controller}
DbdPort=6819
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={dir}/munge/sock
PidFile={dir}/slurmdbd.pid
LogFile={dir}/log/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm_acct_db
MessageTimeout=60
"""

DBD = """\
set -e
hostname ctl
mount --bind "$1/etc/hosts" /etc/hosts
exec slurmdbd -D
"""

# small, and without waiting for the disk: nothing of it is meant to outlive the testbed
MARIADB = ["--no-defaults", "--user=root", "--innodb-buffer-pool-size=32M", "--innodb-log-file-size=8M",
           "--innodb-flush-log-at-trx-commit=0", "--innodb-flush-method=nosync", "--skip-log-bin", "--performance-schema=OFF"]


def configure(state, shape):
    """After slurm.configure."""
    _, controller, _ = network.addresses(shape, state.number)
    with open(state.path("slurm.conf"), encoding="utf-8") as file:
        text = file.read()
    state.write("slurm.conf", text + SLURM_CONF.format(dir=state.dir, controller=controller))
    state.write("slurmdbd.conf", DBD_CONF.format(dir=state.dir, controller=controller), mode=0o600)


def start_all(state):
    """Before slurmctld, which without its state does not start when slurmdbd is not there. Returns the processes."""
    data, sock = state.path("database"), state.path("database.sock")
    os.makedirs(data, mode=0o700)
    os.makedirs(state.path("log"), exist_ok=True)
    log = state.path("log", "mariadbd.log")
    try:
        made = patience.run(["mariadb-install-db", *MARIADB, f"--datadir={data}", "--auth-root-authentication-method=socket",
                             "--auth-root-socket-user=root", "--skip-test-db"], seconds=SECONDS_TO_START, capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        raise Problem("mariadb-install-db does not end")
    if made.returncode:
        raise Problem(f"mariadb-install-db: {(made.stdout + made.stderr).strip().splitlines()[-1]}")
    database = start(state, inside(state) + ["mariadbd", *MARIADB, f"--datadir={data}", "--skip-networking", f"--socket={sock}",
                                             f"--pid-file={state.path('database.pid')}"], log)
    until(lambda: os.path.exists(sock) or _ended(database, log), SECONDS_TO_START, f"mariadbd does not start: see {log}")
    # Slurm gives the client library no socket; this variable does
    dbd = start(state, inside(state) + UNSHARE + ["sh", "-c", DBD, "dbd", state.dir], state.path("log", "slurmdbd.out"),
                {"MYSQL_UNIX_PORT": sock})
    log = state.path("log", "slurmdbd.log")
    until(lambda: _sacctmgr(state, "add", "cluster", "commmap") or _ended(dbd, log), SECONDS_TO_START,
          f"slurmdbd does not answer: see {log}", interval=0.1)
    return [database, dbd]


def wait_registered(state):
    """Until slurmdbd knows where slurmctld is: what happens before would be missing in sacct for a while."""
    until(lambda: _sacctmgr(state, "show", "cluster", "format=controlhost,controlport"), SECONDS_TO_START,
          "slurmctld does not register with slurmdbd", interval=0.1)


def _ended(process, log):
    if process.poll() is not None:
        raise Problem(f"{os.path.basename(log)}: ended at once: see {log}")
    return False


def _sacctmgr(state, *words):
    """What it says without the separators; empty when it fails"""
    try:
        done = patience.run(inside(state) + ["sacctmgr", "-i", "-n", "-P", *words], seconds=20, capture_output=True, text=True,
                            env=environment(state))
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout.strip().strip("|0") if done.returncode == 0 else ""
