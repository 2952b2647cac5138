# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""A running launch that is interrupted, ended, signalled, cancelled: as without commmap, and nothing stays behind."""

import subprocess

import patience
import pytest

from beside import same

WAITS = "started:16"
RUNNING = "SRUN RANK"  # 16 ranks until there is HERE/go
WITH_PTY = "--pty"
# only the first rank of --pty has the terminal; it goes on when all others have noted their place
FIRST_RANK = "RANK true; [ $SLURM_PROCID = 0 ] || exit 0; until [ $(ls HERE/place.* | wc -l) = 16 ]; do sleep 0.1; done; echo ready"
# of the steps there are, the one that runs the tasks
STEP = '$(squeue -h -s -o %i | grep -E "[.][0-9]+$" | sort -t. -k2n | tail -n 1)'

# name, actions of drive.py, command, how it ends, what it writes (a part)
ROWS = [
    ("SIGINT once", [WAITS, "kill:INT", "see:one more within", "go"], RUNNING, "ended 0", "interrupt (one more within 1 sec to abort)"),
    ("SIGINT twice", [WAITS, "kill:INT", "see:one more within", "again:kill:INT"], RUNNING, "ended 130", "sending Ctrl-C"),
    ("SIGTERM", [WAITS, "kill:TERM"], RUNNING, "ended 137", "forcing job termination"),
    ("SIGHUP", [WAITS, "kill:HUP"], RUNNING, "ended 137", "forcing job termination"),
    ("SIGQUIT", [WAITS, "kill:QUIT"], RUNNING, None, None),
    ("SIGUSR1", [WAITS, "kill:USR1"], RUNNING, "ended 5", "Exited with exit code 5"),
    ("SIGKILL of srun", [WAITS, "kill:KILL"], RUNNING, "ended KILL", None),
    ("SIGSTOP and SIGCONT of srun", [WAITS, "kill:STOP", "kill:CONT", "see:got SIGCONT", "go"], RUNNING, "ended 0", None),
    ("Ctrl-C once", [WITH_PTY, WAITS, "type:^C", "see:one more within", "go"], RUNNING, "ended 0", "interrupt (one more within 1 sec to abort)"),
    ("Ctrl-C twice", [WITH_PTY, WAITS, "type:^C", "see:one more within", "again:type:^C"], RUNNING, "ended 130", "sending Ctrl-C"),
    ("Ctrl-C once with --quit-on-interrupt", [WITH_PTY, WAITS, "type:^C"], "SRUN --quit-on-interrupt RANK", "ended 130", "sending Ctrl-C"),
    ("Ctrl-C once with --disable-status", [WITH_PTY, WAITS, "type:^C"], "SRUN --disable-status RANK", "ended 130", "sending Ctrl-C"),
    ("--quit-on-interrupt", [WAITS, "kill:INT"], "SRUN --quit-on-interrupt RANK", "ended 130", "sending Ctrl-C"),
    ("Ctrl-D is the end of input", [WITH_PTY, "see:all", "type:text^J", "type:^D"],
     "SRUN bash -c 'echo all; RANK cat > /dev/null'", "ended 0", None),
    ("--pty", [WITH_PTY, "see:ready", "type:a line^J"],
     f"SRUN --pty bash -c '{FIRST_RANK}; read word; tty > /dev/null && echo terminal: $word; exit 7'", "ended 7", "terminal: a line"),
    ("--pty and Ctrl-C", [WITH_PTY, "see:ready", "type:^C"],
     f"SRUN --pty bash -c 'trap \"echo trapped; exit 6\" INT; {FIRST_RANK}; while :; do sleep 0.1; done'", "ended 6", "trapped"),
    ("scancel of a step", [WAITS, f"sh:scancel {STEP}"], RUNNING, None, "CANCELLED"),
    ("scancel -s USR1 of a step", [WAITS, f"sh:scancel -s USR1 {STEP}"], RUNNING, "ended 5", None),
    ("scancel -s KILL of a step", [WAITS, f"sh:scancel -s KILL {STEP}"], RUNNING, "ended 137", None),
    ("scancel -s USR1 of the job", [WAITS, "sh:scancel -s USR1 $(squeue -h -o %i)"], RUNNING, "ended 5", None),
]


def script(actions, command):
    return "DRIVE " + " ".join(f"'{action}'" for action in actions) + f" -- {command}"


def nothing_left(beside):
    """No step, no task; and of a launch of its own no job."""
    done = beside.cluster.login if beside.where == "standalone" else beside.cluster.job
    state = "squeue -h" if beside.where == "standalone" else "squeue -h -s -o %i -j $SLURM_JOB_ID | grep -E '[.][0-9]+$'"
    wait = f"while {state} | grep -q .; do sleep 0.05; done"
    ended = done("bash", "-c", wait) if beside.where == "standalone" else done(wait)
    assert ended.code == 0, ended
    pgrep = ["pgrep", "-f", f"{beside.rank} {beside.directory}$"]
    patience.until(lambda: patience.run(pgrep, stdout=subprocess.DEVNULL).returncode != 0, 60, "the end of all ranks")


@pytest.mark.parametrize("name, actions, command, end, shows", [pytest.param(*row, id=row[0].replace(" ", "-"), marks=pytest.mark.row(row[0]))
                                                                for row in ROWS])
def test_as_plain(beside, name, actions, command, end, shows):
    plain = beside.plain(script(actions, command))
    nothing_left(beside)
    auto = beside.auto(script(actions, command))
    nothing_left(beside)

    beside.check_places(plain, auto)
    same(plain, auto)
    if end is not None:
        assert end in plain.out, plain
    if shows is not None:
        assert plain.shows(shows), plain


@pytest.mark.row("SIGKILL of srun gives the nodes back")
def test_killed_srun_gives_the_nodes_back(beside):
    """The next launch, of all CPUs, runs."""
    plain = beside.plain(script([WAITS, "kill:KILL"], RUNNING) + "; SRUN echo next")
    auto = beside.auto(script([WAITS, "kill:KILL"], RUNNING) + "; SRUN echo next")
    assert plain.out.count("next") == 16, plain
    same(plain, auto)


BATCH = """#!/bin/bash
cd HERE
SRUN RANK 2>&1
"""


@pytest.mark.row("scancel of the job")
def test_scancel_of_the_job(beside):
    """In an allocation: of a batch job, whose script ends with it."""
    if beside.where == "standalone":
        text = script([WAITS, "sh:scancel $(squeue -h -o %i)"], RUNNING)
    else:
        text = ("while squeue -h | grep -q .; do sleep 0.05; done\n" + f"cat > b.sh <<'END'\n{BATCH}END\n"
                "id=$(sbatch --parsable -N8 -n16 -o out b.sh); until [ $(ls place.* 2> /dev/null | wc -l) = 16 ]; do sleep 0.05; done; "
                "scancel $id; while squeue -h | grep -q .; do sleep 0.05; done; cat out")
    runs = []
    for option in ("", "--commmap=auto"):
        if beside.where == "allocation":
            beside.cluster.end_shell()
            beside.where = "standalone"  # the script submits its own job
            runs.append(beside.run(text, option))
            beside.where = "allocation"
        else:
            runs.append(beside.run(text, option))
    plain, auto = runs
    beside.check_places(plain, auto)
    assert plain.shows("CANCELLED"), plain
    same(plain, auto)
