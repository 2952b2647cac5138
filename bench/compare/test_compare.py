# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""pytest bench/compare: no Slurm, no MPI."""

import json
import os
import re
import sys
import time
import types

import patience
import pytest

from compare import commmap_cmds, demo, report, stats
from compare.cases import Program, demo_programs
from compare.comparison import Case, Measurement, Settings, compare
from compare.cpu_meter import OtherCpuMeter, ProcessTimes, read_processes
from compare.runner import Outcome, Runner
from compare.timing import reported_time_s

BENCH_LINE = "commmap-bench program=ring ranks=4 iterations=10 message_bytes=8 time_s=1.250000 check=ok"


class FakeMeter:
    """Gives the numbers of `cpus` one after the other, then 0."""

    def __init__(self, *cpus):
        self.cpus = list(cpus)
        self.samples = 0

    def start(self):
        pass

    def sample(self):
        self.samples += 1

    def mean_cpus(self):
        return self.cpus.pop(0) if self.cpus else 0.0


class ScriptedRunner:
    """Returns prepared outcomes and remembers what was run."""

    def __init__(self, outcomes=()):
        self.outcomes = list(outcomes)
        self.commands = []

    def run(self, command, environment):
        self.commands.append(command[0])
        return self.outcomes.pop(0) if self.outcomes else good(1.0)


def good(time_s, other_cpus=0.0):
    return Outcome(time_s, 0, other_cpus, "", "")


HUNG = Outcome(None, None, 0.0, "", "")
DEAD = Outcome(None, 139, 0.0, "", "Segmentation fault")


def cases(*names):
    return [Case(name, [name]) for name in names]


def python(code):
    return [sys.executable, "-c", code]


# --- order of the runs


def test_each_round_runs_every_placement_once():
    runner = ScriptedRunner()

    compare(cases("block", "cyclic", "auto"), runner, Settings(rounds=20))

    rounds = [tuple(runner.commands[i:i + 3]) for i in range(0, 60, 3)]
    assert all(sorted(one) == ["auto", "block", "cyclic"] for one in rounds)
    assert len(set(rounds)) > 1


def test_the_seed_fixes_the_order():
    def order(seed):
        runner = ScriptedRunner()
        compare(cases("a", "b", "c", "d"), runner, Settings(rounds=5, seed=seed))
        return runner.commands

    assert order(1) == order(1)
    assert order(1) != order(2)


def test_a_placement_named_twice_is_refused():
    with pytest.raises(ValueError, match="twice"):
        compare(cases("block", "block"), ScriptedRunner(), Settings())


# --- runs that fail or are disturbed


def test_a_hang_is_counted_and_run_again():
    result = compare(cases("block"), ScriptedRunner([HUNG, good(2.0)]), Settings(rounds=1))["block"]

    assert (result.times_s, result.hangs, result.deaths) == ([2.0], 1, 0)


def test_a_death_is_counted_and_run_again():
    result = compare(cases("block"), ScriptedRunner([DEAD, DEAD, good(2.0)]), Settings(rounds=1))["block"]

    assert (result.times_s, result.hangs, result.deaths) == ([2.0], 0, 2)


def test_a_run_that_always_fails_is_missing():
    runner = ScriptedRunner([DEAD] * 3)

    result = compare(cases("block"), runner, Settings(rounds=1, max_retries=2))["block"]

    assert (result.times_s, result.deaths, result.median_s) == ([], 3, None)


def test_a_noisy_run_is_repeated():
    runner = ScriptedRunner([good(9.0, 0.31), good(2.0, 0.3)])

    result = compare(cases("block"), runner, Settings(rounds=1))["block"]

    assert (result.times_s, result.repeats, result.noisy) == ([2.0], 1, 0)


def test_the_quietest_run_is_kept_and_flagged_when_all_are_noisy():
    runner = ScriptedRunner([good(9.0, 1.5), good(4.0, 0.5), good(3.0, 1.0)])

    result = compare(cases("block"), runner, Settings(rounds=1, max_repeats=2))["block"]

    assert (result.times_s, result.repeats, result.noisy) == ([4.0], 2, 1)


def test_no_run_is_repeated_after_the_budget():
    runner = ScriptedRunner([good(9.0, 1.5), good(4.0, 0.1)])

    result = compare(cases("block"), runner, Settings(rounds=2), may_repeat=lambda progress: False)["block"]

    assert (result.times_s, result.repeats, result.noisy) == ([9.0, 4.0], 0, 1)


def test_after_the_budget_a_lost_run_is_tried_again_only_where_there_is_no_time_yet():
    runner = ScriptedRunner([HUNG, good(2.0), HUNG, good(4.0)])

    result = compare(cases("block"), runner, Settings(rounds=3), may_repeat=lambda progress: False)["block"]

    assert (result.times_s, result.hangs) == ([2.0, 4.0], 2)


def test_the_budget_is_asked_with_the_part_of_the_runs_that_have_begun():
    asked = []
    runner = ScriptedRunner([good(2.0), good(9.0, 1.5), good(9.0, 1.5), good(2.0), good(9.0, 1.5)])

    compare(cases("block", "auto"), runner, Settings(rounds=2, max_repeats=1),
            may_repeat=lambda progress: asked.append(progress) or True)

    assert asked == [0.5, 1.0]


# --- one run


def test_runner_reads_the_time_of_the_program():
    outcome = Runner(FakeMeter(0.2)).run(python(f"print('{BENCH_LINE}')"))

    assert (outcome.time_s, outcome.exit_code, outcome.other_cpus) == (1.25, 0, 0.2)


def test_runner_passes_the_environment_on():
    code = "import os; print('Loop time of', os.environ['T'], 'on 2 procs')"

    assert Runner(FakeMeter()).run(python(code), {"T": "0.5"}).time_s == 0.5


def let_time_run_out(monkeypatch, condition):
    """A run is over its limit as soon as the condition holds, and not before: how busy the machine is does not matter."""
    monkeypatch.setattr("compare.runner.time", types.SimpleNamespace(
        sleep=time.sleep, monotonic=lambda: time.monotonic() + (1e6 if condition() else 0)))


def text_of(path):
    return path.read_text() if path.exists() else ""


@pytest.mark.parametrize("ignore_term", [False, True])
def test_runner_kills_a_hanging_command_with_its_children(tmp_path, monkeypatch, ignore_term):
    child = ("import os, signal, sys, time\n"
             f"if {ignore_term}: signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
             "open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(1000)")
    parent = ("import signal, subprocess, sys\n"
              f"if {ignore_term}: signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
              f"subprocess.run([sys.executable, '-c', {child!r}, sys.argv[1]])")
    pid_file = tmp_path / "pid"
    cleared = []
    let_time_run_out(monkeypatch, lambda: text_of(pid_file) != "")
    runner = Runner(FakeMeter(), limit_s=1000.0, grace_s=0.3, after_kill=lambda: cleared.append(True))

    outcome = runner.run([*python(parent), str(pid_file)])

    assert outcome.hung and not outcome.died
    assert cleared == [True]
    patience.until(lambda: not is_running(pid_file.read_text()), 60, "the end of the child")


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize("code, text", [
    ("import sys; print('boom', file=sys.stderr); sys.exit(3)", "exit code 3: boom"),
    ("import sys; sys.exit('srun: error: m5: tasks 6,14: Segmentation fault\\nsrun: Terminated')",
     "exit code 1: srun: error: m5: tasks 6,14: Segmentation fault"),
    ("print('hello')", "no time in its output"),
    ("import os; os.abort()", "exit code -6: "),
])
def test_runner_reports_a_death(code, text):
    outcome = Runner(FakeMeter()).run(python(code))

    assert outcome.died and not outcome.hung
    assert outcome.describe() == text


def test_a_time_printed_before_a_failure_does_not_count():
    outcome = Runner(FakeMeter()).run(python(f"print('{BENCH_LINE}'); raise SystemExit(1)"))

    assert outcome.died


def test_hang_and_noise_together_with_real_processes(tmp_path, monkeypatch):
    # First attempt hangs, second is noisy, third is good.
    counter = tmp_path / "count"
    code = (f"import pathlib, time; p = pathlib.Path({str(counter)!r})\n"
            "n = int(p.read_text()) if p.exists() else 0; p.write_text(str(n + 1))\n"
            f"time.sleep(1000 if n == 0 else 0); print('{BENCH_LINE}')")
    let_time_run_out(monkeypatch, lambda: text_of(counter) == "1")  # the first one sleeps
    runner = Runner(FakeMeter(0.0, 0.9, 0.1), limit_s=1000.0, grace_s=0.3)

    result = compare([Case("auto", python(code))], runner, Settings(rounds=1))["auto"]

    assert (result.times_s, result.hangs, result.repeats, result.noisy) == ([1.25], 1, 1, 0)


# --- time line


def test_time_of_a_bench_program():
    assert reported_time_s(f"noise\n{BENCH_LINE}\n") == 1.25


def test_the_last_loop_time_of_lammps_counts():
    text = "Loop time of 9.5 on 16 procs for 5 steps\nLoop time of 2.5e-1 on 16 procs for 60 steps\n"
    assert reported_time_s(text) == 0.25


@pytest.mark.parametrize("text", ["", "time_s=1.0", BENCH_LINE.replace("check=ok", "check=failed")])
def test_no_time(text):
    assert reported_time_s(text) is None


# --- statistics


@pytest.mark.parametrize("times_s, median, spread", [
    ([3.0, 1.0, 2.0], 2.0, 1.0),
    ([1.0, 2.0, 4.0, 10.0], 3.0, 4.5),
    ([7.0], 7.0, 0.0),
    ([], None, None),
])
def test_statistics_by_hand(times_s, median, spread):
    assert stats.median(times_s) == median
    assert stats.spread(times_s) == spread


# --- noise


def process(pid, own, reaped=0, parent=1, flags=0):
    return ProcessTimes(pid=pid, start=pid, parent=parent, flags=flags, own=own, reaped=reaped)


def meter_over(samples, namespaces=None, seconds=1.0):
    """A meter that sees the samples one after the other; the comparison itself is process 10."""
    samples = iter(samples)
    clock = iter(seconds * i for i in range(100))
    return OtherCpuMeter({"job"}, read=lambda: next(samples), clock=lambda: next(clock), own_pid=10,
                         namespace_of=lambda pid: (namespaces or {}).get(pid, "host"))


def ticks(share):
    return round(share * os.sysconf("SC_CLK_TCK"))


def test_meter_counts_only_others():
    before = [process(10, 0), process(11, 0, parent=10), process(20, 5), process(21, 7), process(2, 0, flags=0x200000)]
    used = ticks(0.5)
    after = [process(10, used), process(11, used, parent=10), process(20, 5 + used), process(21, 7 + used),
             process(2, used, flags=0x200000)]
    meter = meter_over([before, after], namespaces={21: "job"})

    meter.sample()

    assert meter.mean_cpus() == pytest.approx(0.5)  # process 20 alone


def test_meter_counts_short_lived_children_once():
    # Process 30 was sampled with 10 ticks and ended with 25; 31 lived between two samples (40 ticks).
    before = [process(20, 0), process(30, 10, parent=20)]
    after = [process(20, 0, reaped=25 + 40)]
    meter = meter_over([before, after])

    meter.sample()

    assert meter.mean_cpus() == pytest.approx((25 - 10 + 40) / os.sysconf("SC_CLK_TCK"))


def test_meter_counts_once_when_parent_and_child_end_together():
    # make (20) > driver (30) > compiler (31, sampled with 1000 ticks); both end, the compiler after 3 more.
    before = [process(20, 0), process(30, 1, parent=20), process(31, 1000, parent=30)]
    after = [process(20, 0, reaped=1 + 1003)]
    meter = meter_over([before, after])

    meter.sample()

    assert meter.mean_cpus() == pytest.approx(3 / os.sysconf("SC_CLK_TCK"))


def test_meter_ignores_what_init_reaps():
    meter = meter_over([[process(1, 0)], [process(1, 0, reaped=500)]])

    meter.sample()

    assert meter.mean_cpus() == 0


def test_meter_starts_again_from_zero():
    used = ticks(1)
    meter = meter_over([[process(20, 0)], [process(20, used)], [process(20, used)], [process(20, used)]])
    meter.sample()

    meter.start()
    meter.sample()

    assert meter.mean_cpus() == 0


def test_processes_of_this_machine_are_read():
    own = [one for one in read_processes() if one.pid == os.getpid()]
    assert len(own) == 1 and own[0].parent == os.getppid()


# --- report


def test_rows_and_table():
    results = {"block": Measurement([2.0, 3.0, 4.0], repeats=1), "auto": Measurement(hangs=4)}

    rows = report.rows("cg", "8x2", 16, results, {"block": {"predicted_s": 2.5}})
    lines = report.table_rows(report.beside_best(rows)).splitlines()

    assert rows[0] | {"median_s": 3.0, "spread_s": 1.0, "runs": 3, "predicted_s": 2.5, "ranks": 16} == rows[0]
    assert rows[1]["median_s"] is None and rows[1]["predicted_s"] is None
    assert lines[0].split() == ["cg", "allocation", "block", "3.000", "1.000", "1.00x", "-", "2.500", "1.00x", "-", "3", "1", "0", "0", "0"]
    assert lines[1].split() == ["cg", "allocation", "auto", "-", "-", "-", "-", "-", "-", "-", "0", "0", "0", "4", "0"]
    assert len(lines) == 2


def test_rows_that_are_printed_one_program_after_the_other_line_up():
    programs = demo_programs("/bin-dir")
    kinds = {"allocation": ("block", "cyclic", "auto", "best"), "standalone": ("block", "auto")}

    heading, titles, *lines = (report.table_head("8x2", programs) + "".join(
        report.table_rows(report.beside_best(report.rows(
            program.name, "8x2", 16, {name: Measurement([seconds, 3 * seconds]) for name in names}, where=where)))
        for where, names in kinds.items()
        for program, seconds in zip(programs, (0.2, 1.0, 3.4, 9.9, 10.0, 30.0)))).splitlines()

    assert heading == "8x2, 16 ranks"
    assert len(lines) == 36 and {len(line) for line in lines} == {len(titles)}
    seconds_end = titles.index("median s") + len("median s")
    assert all(line[:seconds_end].split()[3].endswith("00") and line[seconds_end] == " " for line in lines)


def test_ratios_are_to_block_of_the_same_program_and_kind_of_launch():
    rows = report.rows("cg", "8x2", 16, {"block": Measurement([4.0]), "auto": Measurement([2.0])},
                       {"block": {"predicted_s": 6.0}, "auto": {"predicted_s": 4.0}})
    others = (report.rows("ring", "8x2", 16, {"block": Measurement([9.0])})
              + report.rows("cg", "8x2", 16, {"block": Measurement([7.0])}, where="standalone"))

    auto = report.with_ratios(rows + others)[1]

    assert (auto["speedup"], auto["predicted_speedup"]) == ("2.00x", "1.50x")


def auto_and_best(program, auto_s, best_s, auto_cost=1.0, best_cost=1.0, **decided):
    """Rows of a program half of whose time is communication, of which the best placement has `best_cost`."""
    return report.beside_best(report.rows(
        program, "8x2", 16, {"auto": Measurement(auto_s), "best": Measurement(best_s)},
        {"auto": {"predicted_s": 1.0 + auto_cost, "port_cost_s": auto_cost, "decision": "apply", "reason": "gain"} | decided,
         "best": {"predicted_s": 1.0 + best_cost, "port_cost_s": best_cost}}))


def test_each_placement_stands_beside_the_best_of_the_same_program_and_kind_of_launch():
    rows = auto_and_best("cg", [3.0], [2.0], auto_cost=1.5) + auto_and_best("ring", [9.0], [9.0])
    rows += report.rows("cg", "8x2", 16, {"auto": Measurement([7.0])}, where="standalone")

    auto, best, _, _, alone = report.beside_best(rows)

    assert [auto[key] for key in ("time_over_best", "predicted_over_best", "cost_over_best")] == [1.5, 1.25, 1.5]
    assert [best[key] for key in ("time_over_best", "predicted_over_best", "cost_over_best")] == [1.0, 1.0, 1.0]
    assert alone["time_over_best"] is None and alone["cost_over_best"] is None
    assert report.table_rows(rows).splitlines()[0].split()[3:10] == ["3.000", "0.000", "-", "1.500", "2.500", "-", "1.500"]


def test_lost_runs_and_free_placements_have_no_ratio():
    rows = auto_and_best("cg", [], [2.0], auto_cost=0.0, best_cost=0.0) + auto_and_best("ring", [2.0], [])

    assert [row["time_over_best"] for row in rows] == [None, 1.0, None, None]
    assert [row["cost_over_best"] for row in rows] == [None, None, 1.0, 1.0]


def test_programs_within_three_percent_of_the_best_are_counted():
    rows = auto_and_best("cg", [1.03], [1.0], auto_cost=1.03) + auto_and_best("ring", [1.0], [1.1])

    assert report.distance_to_best(rows).splitlines() == [
        "auto at most 3 % above best, predicted communication cost: 2 of 2 programs",
        "auto at most 3 % above best, measured time: 2 of 2 programs"]


def test_programs_further_from_the_best_are_named_with_the_reason():
    rows = (auto_and_best("kept", [1.0], [1.0], auto_cost=1.08, decision="keep", reason="below the threshold")
            + auto_and_best("missed", [1.0], [1.0], auto_cost=1.04, reason="gain with greedy")
            + auto_and_best("short", [1.0], [1.0], best_cost=1.25)
            + auto_and_best("slow", [2.2], [2.0]) + auto_and_best("unclear", [1.5, 2.2, 2.3], [2.0]))

    assert report.distance_to_best(rows).splitlines() == [
        "auto at most 3 % above best, predicted communication cost: 3 of 5 programs",
        "  kept 1.080 (job time 1.040): below the threshold",
        "  missed 1.040 (job time 1.020): auto's search found nothing better (gain with greedy)",
        "  short 0.800: the annealing did not find what auto found",
        "auto at most 3 % above best, measured time: 3 of 5 programs",
        "  slow 1.100: 2.20 +-0.00 s and 2.00 +-0.00 s, every run of auto slower than every run of best",
        "  unclear 1.100: 2.20 +-0.40 s and 2.00 +-0.00 s, the runs overlap"]


def test_disturbed_runs_are_counted():
    rows = report.rows("cg", "8x2", 16, {"block": Measurement([2.0, 3.0], noisy=1), "auto": Measurement([2.0])})

    assert report.disturbed(rows).startswith("1 of 3 runs are noisy: ")
    assert report.disturbed(rows[1:]) == ""


def test_runs_that_were_made_again_are_counted():
    rows = report.rows("cg", "8x2", 16, {"block": Measurement([2.0], repeats=2, hangs=1),
                                         "auto": Measurement([2.0], repeats=1, deaths=3)})

    assert report.run_again(rows, lost_profiles=2) == (
        "repeated because of noise: 3 runs; retried: 6 runs (1 hung, 3 died, 2 profile runs lost)\n")


def test_without_best_nothing_is_said_of_it():
    rows = report.rows("cg", "8x2", 16, {"block": Measurement([2.0]), "auto": Measurement([2.0])})

    assert report.distance_to_best(report.beside_best(rows)) == ""


def test_json_has_the_agreed_keys(tmp_path):
    path = tmp_path / "rows.json"

    report.write_json(path, report.beside_best(report.rows("cg", "8x2", 16, {"block": Measurement([2.0])})))

    document = json.loads(path.read_text())
    assert document["benchmark"] == "demo" and re.fullmatch(r"[0-9a-f]{40}(\+changes)?|unknown.*", document["commit"]), document
    (row,) = document["rows"]
    assert {"program", "shape", "placement", "ranks", "median_s", "spread_s", "runs", "predicted_s", "port_cost_s",
            "decision", "reason", "time_over_best", "predicted_over_best", "cost_over_best"} <= row.keys()


# --- profile run of the demonstration


def test_a_profile_run_that_dies_is_made_again(tmp_path, monkeypatch):
    flag = tmp_path / "flag"
    code = f"import os, sys; os.path.exists({str(flag)!r}) or (open({str(flag)!r}, 'w'), sys.exit(1))"
    cleared = []
    monkeypatch.setattr(commmap_cmds, "profile", lambda ranks, command: command)
    monkeypatch.setattr(demo, "clear_steps", cleared.append)

    assert demo.record_profile(Program("p", 1, python(code)), {}, "7") == 1

    assert cleared == ["7"]


def test_a_profile_run_that_always_dies_is_an_error(monkeypatch):
    code = "import sys; sys.exit('srun: unrecognized option\\nTry \"srun --help\"')"
    monkeypatch.setattr(commmap_cmds, "profile", lambda ranks, command: command)
    monkeypatch.setattr(demo, "clear_steps", lambda job: None)

    with pytest.raises(demo.DemoError, match="exit code 1: srun: unrecognized option$"):
        demo.record_profile(Program("p", 1, python(code)), {}, "7")


# --- all programs of the demonstration


def demo_arguments(*added):
    return demo.parse_arguments(["--program", "cg", "--program", "irregular", "--placement", "block",
                                 "--placement", "auto", "--rounds", "1", *added])


def measure(where, args, budget, prepare=lambda program: (cases("block", "auto"), {})):
    return demo.measure(where, args.placements, args, budget, FakeMeter(), prepare, lambda: None)


def test_the_rows_of_a_program_are_out_before_the_next_one_is_prepared(tmp_path, monkeypatch):
    args = demo_arguments()
    output = tmp_path / "output"
    seen = []

    def prepare(program):
        seen.append([line.split()[:4] for line in output.read_text().splitlines()])
        return cases("block", "auto"), {}

    monkeypatch.setattr(demo, "Runner", lambda *args, **options: ScriptedRunner())
    with open(output, "w", encoding="utf-8") as file:  # has a buffer
        monkeypatch.setattr(sys, "stdout", file)
        demo.print_head(args)
        measure("allocation", args, demo.budget_of_both(args), prepare)

    first, second = seen
    assert [line[0] for line in first] == ["8x2,", "program"]
    assert second[2:] == [["cg", "allocation", "block", "1.000"], ["cg", "allocation", "auto", "1.000"]]


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class NoisyRunner:
    """Every run takes ten seconds, and is noisy."""

    def __init__(self, clock):
        self.clock = clock

    def run(self, command, environment):
        self.clock.now += 10
        return good(10.0, 1.5)


def repeats_of_both_parts(budget_s, monkeypatch):
    """Two programs, one round of two placements: eight runs in both parts together.

    @return number of repeats by kind of launch, and the seconds that it took
    """
    clock = Clock()
    args = demo_arguments()
    budget = demo.Budget(budget_s, 8, clock)
    monkeypatch.setattr(demo, "Runner", lambda *args, **options: NoisyRunner(clock))
    repeats = {where: sum(row["repeats"] for row in measure(where, args, budget))
               for where in ("allocation", "standalone")}
    return repeats, clock.now


def test_both_parts_share_the_budget(monkeypatch):
    repeats, seconds = repeats_of_both_parts(160, monkeypatch)

    assert repeats == {"allocation": 4, "standalone": 4}
    assert seconds == 160


def test_every_placement_is_run_although_the_budget_is_used_up(monkeypatch):
    assert repeats_of_both_parts(40, monkeypatch) == ({"allocation": 0, "standalone": 0}, 80)


def test_repeats_leave_time_for_the_runs_that_follow():
    clock = Clock()
    budget = demo.Budget(100, 2, clock)

    result = compare(cases("block"), NoisyRunner(clock), Settings(rounds=4), may_repeat=budget.share(1))["block"]

    assert (len(result.times_s), clock.now) == (4, 50)


def test_seconds_left_are_estimated_from_what_is_done():
    clock = Clock()
    budget = demo.Budget(780, 36, clock)

    clock.now = 72.0
    budget.measured(4)

    assert budget.progress() == "72 s since the start, about 576 s left"


@pytest.mark.parametrize("words, message", [
    (["--jsn", "x"], "unrecognized arguments: --jsn x"),
    (["--rounds", "0"], "argument --rounds: '0' is no number above 0"),
    (["--json", "/no/such/directory/x"], "argument --json: cannot write '/no/such/directory/x'"),
    (["--json", "/"], "argument --json: cannot write '/'"),
])
def test_wrong_arguments_are_one_line(capsys, words, message):
    with pytest.raises(SystemExit) as end:
        demo.main(["--check", *words])
    assert (end.value.code, capsys.readouterr().err) == (2, f"scripts/demo: {message} (see scripts/demo --help)\n")


def test_an_unknown_program_is_one_line(capsys):
    assert demo.main(["--check", "--program", "ring"]) == 1
    assert capsys.readouterr().err.startswith("scripts/demo: no program 'ring'; there are: halo2d-scrambled, ")


# --- commands and cases


def test_command_of_each_placement():
    def placed(name):
        return commmap_cmds.placed(name, 4, ["prog", "-x"], "/w/best.hosts")

    start = ["srun", "--ntasks=4", "--kill-on-bad-exit=1"]
    assert placed("block") == ([*start, "--distribution=block", "prog", "-x"], {})
    assert placed("cyclic") == ([*start, "--distribution=cyclic", "prog", "-x"], {})
    assert placed("auto") == ([*start, "--commmap=auto", "prog", "-x"], {})
    assert placed("best") == ([*start, "prog", "-x"], {"SLURM_HOSTFILE": "/w/best.hosts"})


def test_predictions_are_read():
    text = ('[{"placement": "block", "predicted_s": 2.5, "port_cost_s": 2, "hop_bytes": 7},'
            ' {"placement": "/w/best.hosts", "predicted_s": 1, "port_cost_s": 0.5}]')
    assert commmap_cmds.predictions(text) == {"block": {"predicted_s": 2.5, "port_cost_s": 2},
                                              "/w/best.hosts": {"predicted_s": 1, "port_cost_s": 0.5}}


def test_estimates_of_a_program(tmp_path, monkeypatch):
    def answer(command, environment=None):
        if command[:2] == ["commmap", "plan"]:
            path = command[command.index("--report") + 1]
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"decision": "keep", "reason": "too little", "ranks": []}, file)
        names = [after for word, after in zip(command, command[1:]) if word == "--placement"]
        return json.dumps([{"placement": name, "predicted_s": len(name), "port_cost_s": 1.0} for name in names])

    monkeypatch.setattr(demo, "checked", answer)

    found, estimates, lost_profiles = demo.prepare_placements(Program("p", 4, ["prog"]), ["block", "auto", "best"], tmp_path, "7")

    assert lost_profiles == 0
    assert [case.placement for case in found] == ["block", "auto", "best"]
    assert estimates["block"] == {"predicted_s": 5, "port_cost_s": 1.0}
    assert estimates["auto"] == {"predicted_s": len(str(tmp_path / "auto.hosts")), "port_cost_s": 1.0,
                                 "decision": "keep", "reason": "too little"}
    assert estimates["best"] == {"predicted_s": len(str(tmp_path / "best.hosts")), "port_cost_s": 1.0}


def test_demo_programs_are_complete():
    programs = demo_programs("/bin-dir")

    names = [program.name for program in programs]
    assert names == ["halo2d-scrambled", "halo3d-scrambled", "cg", "irregular", "lammps-long", "lammps-cube"]
    assert all(isinstance(word, str) for program in programs for word in program.command)
    files = [word for program in programs for word in program.command if word.endswith((".graph", ".in"))]
    assert len(files) == 3 and all(os.path.exists(file) for file in files)
