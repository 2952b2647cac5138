# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The same command with and without commmap: exit codes, messages, input, output, options. test_signals.py and
test_limits.py have what happens to a running launch."""

import dataclasses
from typing import Optional

import pytest

from beside import same


@dataclasses.dataclass
class Row:
    name: str
    script: str  # see beside.Beside
    code: int = 0
    shows: Optional[str] = None  # a line that the plain run writes, so that the row is about what it says it is
    user: Optional[str] = None
    own_job: bool = False  # leaves a step behind that lasts as long as the job


def parameters(rows):
    return pytest.mark.parametrize("row", [pytest.param(row, id=row.name.replace(" ", "-"), marks=pytest.mark.row(row.name))
                                            for row in rows])


def check(row, run):
    assert run.code == row.code, run
    if row.shows is not None:
        assert run.shows(row.shows), run


EXIT_CODES = [
    Row("exit code 0", "SRUN RANK true"),
    Row("exit code 3", "SRUN RANK sh -c 'exit 3'", 3, "Exited with exit code 3"),
    Row("exit code of one rank", "SRUN RANK bash -c 'exit $((SLURM_PROCID == 3 ? 3 : 0))'", 3, "task 3: Exited with"),
    Row("exit code: the highest of several", "SRUN RANK bash -c 'exit $SLURM_PROCID'", 15),
    Row("a rank killed by SIGKILL", "SRUN RANK bash -c '[ $SLURM_PROCID = 2 ] && kill -9 $$; true'", 137, "task 2: Killed"),
    Row("a rank killed by SIGSEGV", "SRUN RANK bash -c '[ $SLURM_PROCID = 2 ] && kill -SEGV $$; true'", 139, "task 2: Segmentation"),
    Row("a rank killed by SIGTERM", "SRUN RANK bash -c '[ $SLURM_PROCID = 2 ] && kill -TERM $$; true'", 143, "task 2: Terminated"),
    Row("--kill-on-bad-exit",
        "SRUN --kill-on-bad-exit RANK bash -c 'if [ $SLURM_PROCID = 3 ]; then until [ $(ls HERE | wc -l) = 16 ]; do sleep 0.1; done; "
        "exit 3; fi; exec sleep 1000'", 143, "task 3: Exited with exit code 3"),
    Row("--kill-on-bad-exit=0",
        "SRUN --kill-on-bad-exit=0 RANK bash -c 'if [ $SLURM_PROCID = 3 ]; then touch HERE/bad; exit 3; fi; until [ -e HERE/bad ]; do sleep 0.1; "
        "done; echo went on'", 3, "went on"),
    # the second begins when all have noted their places: a rank that starts late would not be there
    Row("--wait", "SRUN --wait=1 RANK bash -c '[ $SLURM_PROCID = 0 ] || exec sleep 1000; until [ $(ls HERE/place.* | wc -l) = 16 ]; do sleep 0.1; done'",
        137, "First task exited 1s ago"),
    # which ranks are still there to be killed is a matter of time: all have noted their places by then
    Row("in a pipe that closes", "SRUN RANK bash -c 'until [ $(ls HERE/place.* | wc -l) = 16 ]; do sleep 0.02; done; seq 10000' 2> /dev/null | head -n 1 | wc -l", 0, "1"),
]

INPUT = [
    Row("standard input to all ranks", "echo text | SRUN RANK cat", shows="text"),
    Row("standard input to one rank", "echo text | SRUN --input=5 RANK bash -c 'sed s/^/$SLURM_PROCID:/'", shows="5:text"),
    Row("standard input to none", "echo text | SRUN --input=none RANK cat"),
    Row("standard input of 2 MB to all ranks", "seq 300000 | SRUN RANK md5sum"),
    Row("standard input of 20 MB to one rank", "seq 2600000 | SRUN --input=3 RANK md5sum"),
    Row("standard input that nobody reads", "seq 300000 | SRUN RANK true"),
    Row("standard input closed", "SRUN --input=none RANK wc -c <&-", shows="0"),
    Row("standard input from a file", "echo file > in; SRUN --input=in RANK cat", shows="file"),
    # no pattern (-i in-%t): the plain srun 22.05 now and then does not end when the nodes' daemons read the input
]

OUTPUT = [
    Row("standard error apart", "SRUN RANK bash -c 'echo out $SLURM_PROCID; echo error $SLURM_PROCID >&2'", shows="error 15"),
    Row("--output and --error with %t", "SRUN -o out-%t -e err-%t RANK bash -c 'echo $SLURM_PROCID; echo error >&2'; grep -H . out-* err-*",
        shows="out-15:15"),
    Row("--output with %3t and %u", "SRUN -o out-%u-%3t RANK bash -c 'echo $SLURM_PROCID'; grep -H . out-*", shows="out-root-015:15"),
    Row("--output with %n and %N", "SRUN -o out-%t-%n-%N RANK bash -c 'echo $SLURM_PROCID-$SLURM_NODEID-$SLURMD_NODENAME'; "
        "for f in out-*; do [ $f = out-$(cat $f) ] && echo right || echo $f has $(cat $f); done", shows="right"),
    Row("--output with %j, %J and %s", "SRUN -o out-%t-%j-%J-%s RANK bash -c 'echo $SLURM_PROCID-$SLURM_JOB_ID-$SLURM_JOB_ID.$SLURM_STEP_ID-$SLURM_STEP_ID'; "
        "for f in out-*; do [ $f = out-$(cat $f) ] && echo right || echo $f has $(cat $f); done", shows="right"),
    Row("--output of one rank", "SRUN -o 3 RANK bash -c 'echo $SLURM_PROCID'", shows="3"),
    Row("--output=none", "SRUN -o none RANK echo text"),
    Row("--output into one file", "SRUN -o out RANK bash -c 'echo $SLURM_PROCID'; sort out", shows="15"),
    Row("--open-mode=append", "echo before > out; SRUN --open-mode=append -o out RANK echo text; sort out", shows="before"),
    Row("--open-mode=truncate", "echo before > out; SRUN --open-mode=truncate -o out RANK echo text; sort out", shows="text"),
    Row("--label", "SRUN -l RANK bash -c 'echo $SLURM_PROCID; echo error >&2'", shows="15: 15"),
    Row("--unbuffered", "SRUN -u RANK bash -c 'printf \"part of a line, end\\n\"'", shows="part of a line, "),
    Row("output of 100 kB from each rank", "SRUN RANK seq 20000 | wc", shows="320000"),
]

OPTIONS = [
    Row("--chdir", "mkdir there; SRUN --chdir=HERE/there RANK pwd", shows="/there"),
    Row("--chdir to a relative directory", "mkdir there; SRUN -D there RANK pwd", shows="/there"),
    # how many of the lines come, and whole, is a matter of time
    Row("--chdir to nowhere", "SRUN --chdir=/nowhere RANK pwd 2> err; grep -q \"couldn't chdir\" err && echo complained", shows="complained"),
    Row("--export=NONE", "export A=1; SRUN --export=NONE RANK /bin/bash -c 'echo $A/$SLURM_NTASKS/$SLURM_PROCID'", shows="/16/15"),
    Row("--export=NONE and a list", "export A=1 B=2; SRUN --export=A,C=3 RANK /bin/bash -c 'echo $A/$B/$C'", shows="1//3"),
    Row("--export=ALL and a list", "export A=1 B=2; SRUN --export=ALL,A=5,C=3 RANK bash -c 'echo $A/$B/$C'", shows="1/2/3"),
    Row("--nodelist", "SRUN -w m[0-7] RANK echo a", shows="a"),
    Row("--immediate", "SRUN --immediate RANK true"),
    Row("--task-prolog and --task-epilog", """
        printf '#!/bin/bash\\necho "export A=$SLURM_PROCID"; echo "print from the prolog"; env > HERE/prolog.$SLURM_PROCID' > pro
        printf '#!/bin/bash\\nenv > HERE/epilog.$SLURM_PROCID' > epi; chmod +x pro epi
        SRUN --task-prolog=HERE/pro --task-epilog=HERE/epi RANK bash -c 'echo $A'
        ls | grep -F log. | sort"""),
    Row("--prolog and --epilog", """
        for name in pro epi; do printf '#!/bin/bash\\necho once >> HERE/'$name'.log' > $name; chmod +x $name; done
        SRUN --prolog=HERE/pro --epilog=HERE/epi RANK true
        cat pro.log epi.log""",
        shows="once"),
    # sort -u: a placed launch of its own has two steps and two processes of srun's that wait
    Row("--job-name and the command in squeue",
        "DRIVE started:16 'sh:squeue -h -s -o \"%j %u\" | grep -v batch | sort -u; [ -n \"$SLURM_JOB_ID\" ] || squeue -h -o \"%j %o %D %C %u\"' go -- "
        "SRUN --job-name=mine RANK", shows="mine root"),
    Row("the command's name in squeue",
        "DRIVE started:16 'sh:squeue -h -s -o \"%j %u\" | grep -v batch | sort -u; [ -n \"$SLURM_JOB_ID\" ] || squeue -h -o \"%j %o %D %C %u\"' go -- "
        "SRUN RANK", shows="rank root"),
    Row("--time in squeue", "DRIVE started:16 'sh:[ -n \"$SLURM_JOB_ID\" ] && squeue -h -s -o %l | grep -v UNL || squeue -h -o %l' go -- SRUN -t 7 RANK", shows="7:00"),
    Row("the processes of srun", "DRIVE started:16 'sh:ps -o comm= -p $pid; ps -o comm= --ppid $pid | sort -u' go -- SRUN RANK", shows="srun"),
    Row("a user other than root", "SRUN RANK id -un; echo $?", shows="nobody", user="nobody"),
    Row("a user other than root, exit code", "SRUN RANK sh -c 'exit 3'", 3, user="nobody"),
    Row("two after each other", "SRUN RANK echo first && SRUN RANK echo second", shows="second"),
    Row("--cpu-bind=verbose", "SRUN --cpu-bind=verbose RANK true 2> err; grep -v cpu-bind err >&2; grep -c cpu-bind err", shows="16"),
]

# Nothing is started, so nothing can be placed.
MESSAGES = [
    Row("a program that does not exist", "SRUN /nowhere/program", 2, "No such file or directory"),
    Row("a program that is a directory", "SRUN HERE", 13, "Permission denied"),
    Row("a program without execute permission", "echo > file; SRUN ./file", 13, "Permission denied"),
    Row("an unknown option", "SRUN --no-such-option true", 255, "unrecognized option"),
    Row("a bad value", "SRUN --mem=lots true", 255, "Invalid --mem"),
    Row("no command", "SRUN", 1, "No command given"),
    Row("more tasks than CPUs", "SRUN --immediate -n17 true", 1, "srun: error: Unable to"),
    Row("standard input that does not exist", "SRUN -i nowhere RANK cat", 1, "Could not open stdin", own_job=True),
    Row("--test-only", "SRUN --test-only true 2>&1 | sed 's/Job [0-9]*/Job N/'"),
    Row("--version", "SRUN --version", shows="slurm"),
]

DECLINED = [
    (Row("--multi-prog", "printf '0-7 RANK echo low\\n8-15 RANK echo high\\n' > conf; SRUN --multi-prog conf", shows="high"),
     "--multi-prog launches several programs"),
    (Row("--distribution", "SRUN -m cyclic RANK echo a", shows="a"), "--distribution chooses the placement"),
    (Row("SLURM_HOSTFILE", "printf 'm%s\\n' 7 6 5 4 3 2 1 0 7 6 5 4 3 2 1 0 > hosts; export SLURM_HOSTFILE=HERE/hosts; srun OPTION -n16 RANK "
         "bash -c 'echo $SLURM_HOSTFILE'", shows="hosts"), "SLURM_HOSTFILE chooses the placement"),
]


@parameters(EXIT_CODES + INPUT + OUTPUT + OPTIONS)
def test_same_as_plain(beside, row):
    plain, _ = beside.compare(row.script, user=row.user)
    check(row, plain)


@parameters(MESSAGES)
def test_srun_says_the_same(beside, row):
    plain, _ = beside.compare_unplaced(row.script, job_options=["-J", "own"] if row.own_job else ())
    check(row, plain)


@pytest.mark.parametrize("row, reason", [pytest.param(row, reason, id=row.name.replace(" ", "-"), marks=pytest.mark.row(row.name))
                                         for row, reason in DECLINED])
def test_declined_and_run_as_before(beside, row, reason):
    plain, _ = beside.compare_unplaced(row.script, reason)
    check(row, plain)


@pytest.mark.row("--bcast")
def test_bcast(beside):
    """In a job of its own a second srun would copy the program again."""
    script = "SRUN --bcast=/tmp/commmap-bcast RANK ls /tmp/commmap-bcast; srun -N8 -n8 rm -f /tmp/commmap-bcast"
    if beside.where == "standalone":
        plain, _ = beside.compare_unplaced(script, "--bcast would copy the program twice")
    else:
        plain, _ = beside.compare(script)
    assert plain.shows("/tmp/commmap-bcast")


@pytest.mark.row("--output in a directory that does not exist")
def test_output_nowhere(beside):
    """22.05 starts no task then, 24.11 starts them all and complains, 26.05 does not complain."""
    script = "SRUN -o nowhere/out RANK true"
    plain, auto = beside.plain(script, job_options=["-J", "own"]), beside.auto(script, job_options=["-J", "own"])
    assert auto.places.keys() == plain.places.keys()
    same(plain, auto)
