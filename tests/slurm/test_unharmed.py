"""A launch with commmap is a launch: exit codes, output, input and signals as without it."""

import pytest

MODES = ["off", "profile", "auto"]
COMMANDS = [
    ("-n16 true", None),
    ("-n16 -l hostname", None),
    ("-n16 bash -c 'exit $((SLURM_PROCID == 3 ? 3 : 0))'", None),
    ("-n16 bash -c '[ $SLURM_PROCID = 2 ] && kill -9 $$; true'", None),
    ("-n16 bash -c '[ $SLURM_PROCID = 2 ] && kill -SEGV $$; true'", None),
    ("-n16 --kill-on-bad-exit=0 false", None),
    ("-n4 cat", "to every task\n"),
    ("-n4 --input=0 cat", "to one task\n"),
    ("-n4 --input=none cat", "to none\n"),
    ("-n4 bash -c 'echo out; echo error >&2'", None),
    ("-n4 -o out-%t bash -c 'echo $SLURM_PROCID'; cat out-[0-3]; rm out-[0-3]", None),
    ("-n4 --multi-prog programs.conf", None),
    ("-n2 /nonexistent/program", None),
    ("-n2 .", None),
    ("-n4 --export=NONE,A=1 /bin/bash -c 'echo $A $SLURM_NTASKS'", None),
    ("-n17 true", None),
    ("-n4 --no-such-option true", None),
    ("-n2 -N1 hostname", None),
    ("-n2 -w m3 hostname", None),
    ("-n4 -m cyclic hostname", None),
    ("-n1 echo a : -n1 echo b", None),
]


def comparable(text):
    """Without our lines, the order of the tasks' lines, and which node a task was on."""
    kept = [line for line in text.splitlines() if not line.startswith("commmap:")]
    for node in range(8):
        kept = [line.replace(f"m{node}", "NODE") for line in kept]
    return sorted(kept)


@pytest.fixture(scope="module", name="runs")
def _runs(cluster, work):
    """mode -> what each command did; one allocation for each mode"""
    with open(f"{work}/programs.conf", "w", encoding="utf-8") as file:
        file.write("0-1 echo low\n2-3 echo high\n")

    def run(option):
        script = ""
        for number, (command, stdin) in enumerate(COMMANDS):
            feed = f"printf {stdin!r} | " if stdin else ""
            script += f"({feed}srun {option} {command}) > {work}/{number}.out 2> {work}/{number}.err; echo $?\n"
        done = cluster.job(script, seconds=120)
        assert done.code == 0, done
        results = []
        for number, code in enumerate(done.lines):
            with open(f"{work}/{number}.out", encoding="utf-8") as out, open(f"{work}/{number}.err", encoding="utf-8") as err:
                results.append((int(code), comparable(out.read()), err.read()))
        return results

    cluster.use_fake()
    return {mode: run(f"--commmap={mode}" if mode else "") for mode in ["", *MODES]}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("number", range(len(COMMANDS)), ids=[command for command, _ in COMMANDS])
def test_same_as_plain(runs, mode, number):
    plain, other = runs[""][number], runs[mode][number]
    assert other[:2] == plain[:2], other[2]
    said = [line for line in other[2].splitlines() if line.startswith("commmap:")]
    assert len(said) <= 1
    # without HOME there is no place for a profile, and that is said
    assert mode == "auto" or said == [] or (mode == "profile" and "NONE" in COMMANDS[number][0])


def signalled(cluster, option, signals, delay, command="sleep 4", **variables):
    """Exit code of an srun that gets signals, and how long it took."""
    kills = "; sleep 0.2; ".join(f"kill -{name} $pid" for name in signals)
    # The step before must be gone: an srun that waits for CPUs meets signals in another way.
    script = ("while squeue -h -s -o %i | grep -qE '\\.[0-9]+$'; do sleep 0.1; done; "
              f"srun -n16 {option} {command} & pid=$!; sleep {delay}; begin=$(date +%s%N); {kills}; wait $pid; "
              "echo $? $(( ($(date +%s%N) - begin) / 1000000 ))")
    done = cluster.job(script, **variables)
    code, milliseconds = done.lines[-1].split()
    return int(code), int(milliseconds), done


@pytest.mark.parametrize("signals", [["TERM"], ["HUP"], ["INT", "INT"], ["INT"], ["USR1"], ["KILL"]], ids="+".join)
def test_signals_while_running(cluster, signals):
    cluster.use_fake()
    command = "bash -c 'trap \"exit 5\" USR1; sleep 2.5 & wait'"
    plain = signalled(cluster, "", signals, 0.9, command)
    auto = signalled(cluster, "--commmap=auto", signals, 0.9, command)
    assert auto[0] == plain[0], auto[2]
    assert abs(auto[1] - plain[1]) < 1500


@pytest.mark.parametrize("signals", [["TERM"], ["HUP"], ["INT"]], ids="+".join)
def test_signals_while_planning(cluster, signals):
    """The planner (which ignores signals) is ended at once. No step exists yet: TERM and HUP end srun by themselves."""
    cluster.use_fake("plan-seconds=30")
    plain = signalled(cluster, "", signals, 0.9, "sleep 2")
    auto = signalled(cluster, "--commmap=auto", signals, 0.9, "sleep 2", FAKE_PLAN="hang")
    assert auto[0] == {"TERM": 143, "HUP": 129, "INT": plain[0]}[signals[0]], auto[2]
    assert auto[1] < plain[1] + 3000
    assert auto[2].said == []


def test_killed_while_planning(cluster):
    cluster.use_fake("plan-seconds=30")
    done = cluster.job("srun -n16 --commmap=auto true & pid=$!; sleep 0.8; kill -9 $pid; wait $pid; echo $?; sleep 0.3; "
                       "pgrep -f 'fake_planner.py plan' || echo none", FAKE_PLAN="hang")
    assert done.lines[-2:] == ["137", "none"], done
