# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What users are told: --commmap=help, verbose, dry-run, report=FILE, and commmap where."""

import json
import os
import re

import documented
import pytest

from cluster import NODES

TAIL = "; launching as without commmap"
NOTHING = "commmap: dry run: nothing is launched"


@pytest.fixture(autouse=True)
def _planner(cluster):
    cluster.use_planner()


@pytest.fixture(name="launch", params=["allocation", "standalone"])
def _launch(request, cluster, recorded):
    """srun with these words, in an allocation of all nodes or with one of its own"""
    def run(options, *command, **variables):
        variables.setdefault("COMMMAP_PROFILE_DIR", recorded)
        if request.param == "allocation":
            return cluster.job(f"cd {cluster.work}; srun -n16 {options} {' '.join(command)}", **variables)
        return cluster.login("srun", "-Q", "-N8", "-n16", *options.split(), *command, **variables)
    run.where = request.param
    return run


@pytest.fixture(name="where_program")
def _where_program(prefix):
    return f"{prefix}/bin/commmap"


def jobs(cluster):
    lines = cluster.login("scontrol", "-o", "show", "job").lines
    return {line.split()[0] for line in lines if line.startswith("JobId=")}


def report_at(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    os.remove(path)
    assert document["report"] == "commmap launch"
    return document


def nodes_of(done):
    return {int(rank): node for rank, node in re.findall(r"rank (\d+) of \d+ on (m\d): right", done.out)}


# ---- help

@pytest.mark.parametrize("words", [
    ["srun", "--commmap=help"], ["srun", "-N8", "-n16", "--commmap=help", "touch", "ran"], ["salloc", "--commmap=help", "touch", "ran"],
    ["sbatch", "--commmap=help", "--wrap", "touch ran"],
])
def test_help_ends_before_there_is_a_job(cluster, work, words):
    before = jobs(cluster)
    done = cluster.login(*words)
    assert done.code == 0 and done.err == "", done
    assert jobs(cluster) <= before  # slurmctld forgets old ones
    assert not os.path.exists(f"{work}/ran")
    for line in ("  auto ", "  verbose ", "  dry-run ", "  report=FILE ", "  COMMMAP_THRESHOLD=PERCENT "):
        assert len([found for found in done.lines if found.startswith(line)]) == 1, done
    assert "[5]" in done.out and "off  " in done.out


def test_help_in_an_allocation_makes_no_step(cluster, work):
    done = cluster.job("srun -n16 --commmap=help touch ran; echo $?; srun -n1 printenv SLURM_STEP_ID")
    assert done.lines[-2:] == ["0", "0"], done
    assert not os.path.exists(f"{work}/ran")


def test_help_is_for_the_command_line(cluster):
    done = cluster.job("srun -n4 hostname", COMMMAP="help")
    assert done.code == 0 and len(done.lines) == 4
    assert done.said == ["commmap: environment variable COMMMAP: 'help' is not a mode (off, profile or auto); it is ignored"], done


@pytest.mark.parametrize("value, words", [
    ("atuo", "did you mean 'auto'?"), ("auto,vrebose", "unknown word 'vrebose'; did you mean 'verbose'?"), ("auto,dry-rum", "did you mean 'dry-run'?"),
    ("auto,report=a,b.json", "the file's name after report= can have no comma"), ("profile,dry-run", "'dry-run' works with the mode auto only"),
])
def test_unknown_words_cost_one_line(cluster, value, words):
    done = cluster.job(f"srun -n4 --commmap={value} hostname")
    assert done.code != 0 and done.out == ""
    assert len(done.said) == 1 and words in done.said[0], done


# ---- verbose

def test_verbose_is_one_table(launch, programs):
    done = launch("--commmap=auto,verbose", programs["ring"])
    assert done.code == 0 and len(nodes_of(done)) == 16, done
    table = done.said[[line.startswith("commmap: node ") for line in done.said].index(True):]
    assert len(table) <= 20
    for line in table[1:9]:
        node, before, after = re.fullmatch(r"commmap: (m\d)\s+(\S+)\s\s+(.*)", line).groups()
        assert before == f"{2 * int(node[1])}-{2 * int(node[1]) + 1}"
        assert sorted(after.split()) == sorted(str(rank) for rank, where in nodes_of(done).items() if where == node), done
    assert any(re.fullmatch(r"commmap: \d+ of 16 ranks to another node.*", line) for line in done.said), done
    assert any("<- chosen" in line and "%" in line for line in done.said), done


def test_verbose_says_what_is_left_alone(cluster, launch, programs):
    done = launch("--commmap=auto,verbose --cpu-bind=none", programs["ring"])
    assert done.said[-2] == "commmap: CPU binding is left to Slurm: --cpu-bind=none", done
    assert done.said[-1].startswith("commmap: the step took "), done
    assert cluster.job("srun -n1 --commmap=auto,verbose true").said == ["commmap: one task: nothing to place"]


# ---- programs without MPI

def test_a_program_without_mpi_is_worth_a_line_with_verbose_only(launch):
    assert launch("--commmap=auto", "/usr/bin/hostname").said == []
    done = launch("--commmap=auto,verbose", "/usr/bin/hostname")
    assert done.code == 0 and len(done.lines) == 16
    assert done.said == [f"commmap: '{os.path.realpath('/usr/bin/hostname')}' has no MPI: nothing to place{TAIL}"], done


# ---- dry-run

def test_dry_run_in_an_allocation(cluster, programs, recorded, work):
    mark = f"{work}/dry-ran"
    for _ in range(2):  # the second plan is a kept one
        done = cluster.job(f"srun -n16 --commmap=auto,dry-run bash -c 'touch {mark}; exec {programs['ring']}'; echo code $?; "
                           f"srun -n16 --commmap=auto,dry-run {programs['ring']}; echo code $?; srun -n1 printenv SLURM_STEP_ID", COMMMAP_PROFILE_DIR=recorded)
        assert done.lines[:2] == ["code 0", "code 0"], done
        assert not os.path.exists(mark)
        assert any("<- chosen" in line for line in done.said) and any("ranks as planned" in line for line in done.said), done
        assert done.said.count(NOTHING) == 2 and TAIL not in done.err, done
    # no step was made: the numbers of the job's steps go on as if nothing had been there
    first, second = (int(cluster.job(f"{dry} srun -n1 printenv SLURM_STEP_ID", COMMMAP_PROFILE_DIR=recorded).out)
                     for dry in ("", f"srun -n16 --commmap=auto,dry-run {programs['ring']};"))
    assert second == first + 1


@pytest.mark.parametrize("options, fake, words", [
    ("-n16", "keep", []), ("-n16", "decline", ["commmap: I decline"]), ("-n16", "crash", None),
    ("-n16", "empty", ["commmap: the planner's answer cannot be used (it is empty): are commmap and the plugin of one version?"]),
    ("-n16 -m cyclic", "reverse", ["commmap: --distribution chooses the placement"]), ("-n1", "reverse", ["commmap: one task: nothing to place"]),
    ("-n2 : -n2", "reverse", None),
])
def test_dry_run_of_what_is_not_placed(cluster, options, fake, words):
    cluster.use_fake()
    command = options.replace(":", "hostname :") + " hostname" if ":" in options else options + " hostname"
    done = cluster.job(f"srun --commmap=auto,dry-run {command}", FAKE_PLAN=fake)
    assert done.code == 0 and done.out == "" and TAIL not in done.err, done
    said = [line for line in done.said if "tasks on" not in line]
    assert said[-1] == NOTHING
    assert len(said) == 2 if words is None else said[:-1] == words, done


def test_dry_run_by_variable_and_of_what_srun_only_tests(cluster):
    cluster.use_fake()
    done = cluster.job("srun -n16 hostname", COMMMAP="auto,dry-run")
    assert done.code == 0 and done.out == "" and done.said[-1] == NOTHING, done
    assert len(cluster.job("srun -n16 --commmap=auto hostname", COMMMAP="auto,dry-run").lines) == 16
    plain, dry = (cluster.job(f"srun -n16 --test-only {option} hostname") for option in ("", "--commmap=auto,dry-run"))
    assert (plain.code, plain.out) == (dry.code, dry.out) and dry.said == []


def test_dry_run_standalone_makes_no_job(cluster, programs, recorded):
    before = jobs(cluster)
    done = cluster.login("srun", "-N8", "-n16", "--commmap=auto,dry-run", programs["ring"], COMMMAP_PROFILE_DIR=recorded)
    assert done.code == 1 and done.out == "", done
    assert len(done.said) == 1 and "salloc" in done.said[0] and "commmap map" in done.said[0], done
    done = cluster.login("srun", "-N8", "-n16", "-m", "cyclic", "--commmap=auto,dry-run", programs["ring"], COMMMAP_PROFILE_DIR=recorded)
    assert done.code == 0 and done.out == "", done
    assert done.said == ["commmap: --distribution chooses the placement", NOTHING], done
    assert jobs(cluster) <= before  # slurmctld forgets old ones


# ---- report

def test_report_of_a_placed_launch(launch, programs, recorded, work):
    for _ in range(2):  # the second plan is a kept one
        done = launch("--commmap=auto,report=plan-%j.json", programs["ring"])
        assert done.code == 0 and done.said == [], done
        found = [name for name in os.listdir(work) if re.fullmatch(r"plan-\d+\.json", name)]
        assert len(found) == 1, os.listdir(work)
        report = report_at(f"{work}/{found[0]}")
        assert report["decision"] == "apply" and "predicted gain" in report["reason"]
        assert report["executable"] == os.path.realpath(programs["ring"])
        assert os.path.dirname(report["profile"]) == recorded
        assert report["step"]["ranks"] == 16 and report["step"]["nodelist"] == "m[0-7]"
        assert sum(candidate["chosen"] for candidate in report["candidates"]) == 1
        assert report["candidates"][0]["name"] == "slurm" and report["candidates"][0]["port_cost_s"] > 0
        assert report["left_alone"] == []
        assert report["launch"]["as_planned"] is True
        assert report["launch"]["step"].startswith(found[0][5:-5] + ".")
        placed = nodes_of(done)
        assert [row["planned"] for row in report["ranks"]] == [placed[rank] for rank in range(16)]
        assert [row["launched"] for row in report["ranks"]] == [placed[rank] for rank in range(16)]
        assert [row["by_slurm"] for row in report["ranks"]] == [NODES[rank // 2] for rank in range(16)]
        assert {row["cpu_set_index"] for row in report["ranks"]} == {0, 1}
        documented.check(report, "user/launch.md", "The report:")


def test_report_of_a_launch_that_is_kept(launch, programs, work):
    done = launch("--commmap=auto,report=kept.json", programs["ring"], COMMMAP_THRESHOLD="100")
    assert done.code == 0 and done.said == [], done
    report = report_at(f"{work}/kept.json")
    assert report["decision"] == "keep" and "below the threshold" in report["reason"]
    assert report["launch"]["as_planned"] is True
    assert {row["cpu_set_index"] for row in report["ranks"]} == {None}


@pytest.mark.parametrize("options, command, reason", [
    ("-m cyclic", "RING", "--distribution chooses the placement"), ("--mpi=none", "hostname", "--mpi=none is not handled, only pmix and pmi2"),
    ("", "/usr/bin/hostname", "has no MPI"), ("", "bash -c true", "no profile of"),
])
def test_report_of_a_declined_launch(launch, programs, work, options, command, reason):
    done = launch(f"--commmap=auto,report=declined.json {options}", *command.replace("RING", programs["ring"]).split())
    assert done.code == 0, done
    report = report_at(f"{work}/declined.json")
    assert report["decision"] == "decline" and reason in report["reason"], report
    if "-m" not in options:  # there the CPUs inside the nodes were planned
        assert "ranks" not in report


def test_report_when_the_planner_fails(cluster, programs, recorded, work, prefix):
    """The file of an earlier launch is replaced, and nothing of it is left."""
    program = f"{work}/no-plan"
    with open(program, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\n[ "$1" != plan ] || exit 9\nexec {prefix}/bin/commmap "$@"\n')
    os.chmod(program, 0o755)
    with open(f"{work}/old.json", "w", encoding="utf-8") as file:
        file.write('{"report": "commmap launch", "decision": "apply", "ranks": []}')
    cluster.use_planner(f"program={program}")
    done = cluster.job(f"cd {work}; srun -n16 --commmap=auto,report=old.json {programs['ring']}", COMMMAP_PROFILE_DIR=recorded)
    assert done.code == 0 and len(done.lines) == 16 and len(done.said) == 1, done
    report = report_at(f"{work}/old.json")
    assert report["decision"] == "decline" and "failed with exit code 9" in report["reason"]
    assert "ranks" not in report and report["executable"] == os.path.realpath(programs["ring"])


def test_report_names_what_is_left_alone(launch, programs, work):
    assert launch("--commmap=auto,report=bound.json --cpu-bind=none", programs["ring"]).code == 0
    report = report_at(f"{work}/bound.json")
    assert report["decision"] == "apply" and report["left_alone"] == ["CPU binding: --cpu-bind=none"]
    assert {row["cpu_set_index"] for row in report["ranks"]} == {None}


def test_report_of_a_dry_run(cluster, programs, recorded, work):
    for options, decision in (("", "apply"), ("-m cyclic", "decline")):
        done = cluster.job(f"cd {work}; srun -n16 {options} --commmap=auto,dry-run,report=dry.json {programs['ring']}", COMMMAP_PROFILE_DIR=recorded)
        assert done.code == 0 and done.out == "", done
        report = report_at(f"{work}/dry.json")
        assert report["decision"] == decision and "launch" not in report


@pytest.mark.parametrize("options, lines", [("", 1), ("-m cyclic", 2)])
def test_report_that_cannot_be_written_costs_a_line(launch, programs, options, lines):
    done = launch(f"--commmap=auto,report=/nonexistent/plan.json {options}", programs["ring"])
    assert done.code == 0 and len(nodes_of(done)) == 16, done
    assert len(done.said) == lines and "'/nonexistent/plan.json'" in "\n".join(done.said), done


def test_report_is_the_users(cluster, programs, work):
    """With the rights of the user, who may not write here."""
    place = f"{work}/users"
    os.makedirs(place, exist_ok=True)
    os.chmod(place, 0o755)
    words = ["salloc", "-Q", "-N8", "-n16", "-D", place, "srun", "--commmap=auto,report=REPORT", programs["ring"]]
    done = cluster.login(*[word.replace("REPORT", f"{place}/plan.json") for word in words], user="nobody", COMMMAP_PROFILE_DIR=f"{work}/none")
    assert done.code == 0 and any("Permission denied" in line for line in done.said), done
    os.chmod(place, 0o777)
    done = cluster.login(*[word.replace("REPORT", f"{place}/plan.json") for word in words], user="nobody", COMMMAP_PROFILE_DIR=f"{work}/none")
    assert done.code == 0 and len(done.said) == 1, done
    assert os.stat(f"{place}/plan.json").st_uid != 0


def test_nothing_of_a_report_reaches_the_tasks(launch, programs, work):
    """Else a nested launch would write into it."""
    done = launch("--commmap=auto,report=env.json", "bash", "-c", "'env; :'" if launch.where == "allocation" else "env; :")
    assert done.code == 0 and "PATH=" in done.out
    assert not re.search("(?i)commmap_aside|commmap_relaunch|env.json", done.out), done
    report_at(f"{work}/env.json")


# ---- commmap where

LINE = re.compile(r"rank (\d+)\s+(m\d)\s+CPUs (\S+)\s*(?:planned (m\d)\s+CPUs (\S+)\s+(ok|DIFFERENT))?")


def test_where_shows_that_the_plan_holds(launch, programs, where_program, work):
    done = launch("--commmap=auto,report=where.json", where_program, "where", "--report", "where.json", "--command", programs["ring"])
    assert done.code == 0 and done.said == [], done
    rows = [LINE.fullmatch(line).groups() for line in done.lines]
    assert sorted(int(row[0]) for row in rows) == list(range(16))
    places = {int(row[0]): row[1] for row in rows}
    assert all(places[rank] == places[rank + 8] for rank in range(8)), done
    for _, node, cpus, planned, cpu, word in rows:
        assert (node, cpus, word) == (planned, cpu, "ok"), done
    assert len({(row[1], row[2]) for row in rows}) == 16
    report = report_at(f"{work}/where.json")
    assert report["executable"] == os.path.realpath(programs["ring"])


def test_where_marks_what_differs(cluster, programs, recorded, where_program, work):
    done = cluster.job(f"cd {work}; srun -n16 --commmap=auto,report=differs.json {programs['ring']} > ring.out; "
                       f"srun -n16 {where_program} where --report differs.json; echo code $?; "
                       f"srun -n16 --commmap=off {where_program} where; echo code $?; {where_program} where --report differs.json; echo code $?; "
                       f"{where_program} where", COMMMAP_PROFILE_DIR=recorded)
    lines = done.lines
    first, second, third = (index for index, line in enumerate(lines) if line.startswith("code "))
    assert [lines[first], lines[second], lines[third]] == ["code 1", "code 0", "code 0"], done
    for line in lines[:first]:
        _, node, cpus, planned, cpu, word = LINE.fullmatch(line).groups()
        assert word == ("ok" if (node, cpus) == (planned, cpu) else "DIFFERENT"), done
    assert "DIFFERENT" in done.out
    assert all(LINE.fullmatch(line.rstrip())[6] is None for line in lines[first + 1:second]) and second - first == 17
    table = lines[second + 1:third]
    assert table[0].startswith("apply: predicted gain") and table[1].split()[:2] == ["rank", "by"] and len(table) == 18
    assert all(row.split()[2] == row.split()[4] for row in table[2:]), done
    assert done.code == 1 and "not in a task" in done.said[-1]
    os.remove(f"{work}/differs.json")


def test_where_without_a_plan(launch, where_program, work):
    done = launch("--commmap=auto,report=none.json", where_program, "where", "--report", "none.json")
    assert done.code == 0 and len(done.lines) == 16, done
    assert all(line.endswith("not planned") for line in done.lines)
    report_at(f"{work}/none.json")
