# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What `commmap calibrate` says and writes without a job. tests/slurm/test_calibrate.py measures."""

import os
import pathlib
import pty
import shutil
import signal
import subprocess

import patience
import pytest
from made_up_links import CLUSTER, RATE, measurements

PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
BUILD = pathlib.Path(os.environ["COMMMAP_BUILD"])


@pytest.fixture(name="calibrate")
def _calibrate(tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER, encoding="utf-8")

    def run(*words, program=PREFIX / "bin/commmap", **variables):
        return patience.run([program, "calibrate", "cluster.yaml", *words], capture_output=True, text=True, cwd=tmp_path,
                            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **variables})
    return run


def refused(done, *parts):
    assert done.returncode == 1 and done.stdout == "", done
    assert done.stderr.startswith("commmap: ") and done.stderr.count("\n") == 1, done
    for part in parts:
        assert part in done.stderr, done


def test_a_dry_run_lists_measurements_and_their_duration(calibrate):
    done = calibrate("--dry-run")

    assert done.returncode == 0 and done.stderr == "", done
    lines = done.stdout.splitlines()
    assert lines[0] == "ports of class 'dual' (link 'port'), 8 of them"
    assert "round trips m0>m1, 1 B to 4 MiB" in lines[1]
    assert "uplinks of switches below the root (link 'trunk'), 2 of them" in lines
    assert "maximum of switches like 's0', 2 of them" in lines and lines[-7].endswith("  streams at once m0>m2 m1>m3, 64 KiB to 1 MiB"), done
    assert lines[-6].startswith("maximum of switch 'core', 1 of them: not measured, because no two pairs of nodes"), done
    assert lines[-5] == "level 'core' inside of class 'dual' (built-in values), 16 of them", done
    assert lines[-4].endswith("  round trips m0:0>m0:1, 1 B to 4 MiB"), done
    total = sum(float(line.split(" s ")[0]) for line in lines if line.startswith("  "))
    assert lines[-1].startswith("23 measurements, about ")
    assert abs(int(lines[-1].split()[3]) - total) <= 2, lines[-1]


def test_levels_inside_of_nodes_may_be_left_out(calibrate):
    for words in (["--no-inside"], ["--transport=tcp"]):
        done = calibrate("--dry-run", *words)
        assert done.returncode == 0 and "\n20 measurements, about " in done.stdout, done
        assert "inside" not in done.stdout, done


def test_of_many_pairs_some_are_listed(calibrate, tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER.replace("core:2 pu:1", f"package:2 core:24 pu:1(indexes={','.join(map(str, range(48)))})"), encoding="utf-8")
    done = calibrate("--dry-run")
    assert "  streams m0:0>m0:24 m0:1>m0:25 m0:2>m0:26 m0:3>m0:27 and 20 more, 64 KiB to 1 MiB\n" in done.stdout, done


def test_a_dry_run_in_a_job_is_about_its_nodes(calibrate):
    done = calibrate("--dry-run", SLURM_JOB_NODELIST="m0,m5")

    assert "not measured, no two nodes of class 'dual' hang on one switch" in done.stdout, done
    assert "round trips m0>m5" in done.stdout, done


def test_without_a_job_it_says_how_to_get_one(calibrate):
    refused(calibrate(), "no job to measure in", "commmap calibrate -N 8", "salloc -N 8 --exclusive commmap calibrate", "--dry-run")


def test_a_list_of_nodes_is_no_job(calibrate):
    refused(calibrate("--nodelist=m[0-1]"), "no job to measure in")


def test_one_node_has_no_link(calibrate):
    refused(calibrate(SLURM_JOB_NODELIST="m0"), "-N 2")


def test_a_node_that_the_file_lacks_is_named(calibrate):
    refused(calibrate(SLURM_JOB_NODELIST="m0,x7"), "node 'x7' of the job is not in cluster.yaml")


def test_a_file_that_is_not_there(calibrate, tmp_path):
    (tmp_path / "cluster.yaml").unlink()
    refused(calibrate("--dry-run"), "cluster.yaml")


def test_without_srun_it_says_so(calibrate, tmp_path):
    refused(calibrate(SLURM_JOB_NODELIST="m[0-7]", PATH=str(tmp_path)), "cannot start 'srun'")


def test_an_unknown_transport_is_refused(calibrate):
    done = calibrate("--dry-run", "--transport=udp")
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1, done
    assert "--transport" in done.stderr and "udp" in done.stderr and "tcp" in done.stderr, done
    assert calibrate("--dry-run", "--transport=tcp").returncode == 0


def test_without_the_measuring_program_it_says_so(calibrate, tmp_path):
    alone = shutil.copy(PREFIX / "bin/commmap", tmp_path)
    refused(calibrate(SLURM_JOB_NODELIST="m[0-7]", program=alone), "commmap-measure' is not there", "--measure-program")


# Writing: measurements come from a file (made_up_links.py).


@pytest.fixture(name="again")
def _again(calibrate, tmp_path):
    """Works links out again from measurements."""
    def run(*words, **made_up):
        (tmp_path / "measured").write_text(measurements(**made_up), encoding="utf-8")
        return run.raw(*words)
    run.raw = lambda *words: calibrate("--measured", "measured", *words)
    return run


BLOCK = """version: 1
links:
  # all nodes
  port:
    latency: 60 us   # a guess
    bandwidth: 100 Mbit/s
  trunk: {bandwidth: 1 Gbit/s}
""" + CLUSTER[CLUSTER.index("node_classes"):]
MARK = "  # measured 'port': "
WRITTEN = f"""version: 1
links:
  # all nodes
{MARK}2026-11-29, job 7, 8 nodes, Open MPI v4.1.4, payload
{MARK}ports of class 'dual': m0 with m1 m2 m3 m4
{MARK}spread: latency 25.0 %, round trips up to 25.0 %, maxima 25.0 % out, 25.0 % in, gap 25.0 %
{MARK}a short message takes 2.00 us to send (spread 25.0 %), 3.00 us to receive (25.0 %)
{MARK}both directions together get 2.00 times what one gets
  port:
    latency: 116 us   # a guess
    bandwidth: 12.0 MB/s
    gap: 9.00 us
    max_bandwidth: 12.0 MB/s
    rate: payload
"""


INSIDE = "commmap: level 'core' inside of class 'dual' has no link of its own in the file: give its class inside: {core: dual-core}\n"


def test_a_level_inside_of_nodes_is_a_link_that_the_class_can_name(again, tmp_path):
    """The new link is used once the class names it, and measured anew then."""
    done = again("--yes", inside=4e9)

    assert done.returncode == 0 and INSIDE in done.stderr, done
    after = (tmp_path / "cluster.yaml").read_text()
    mark = "measured 'dual-core': "
    assert f"# {mark}level 'core' inside of class 'dual': m0:0 with m0:1\n" in after and f"# {mark}no switch or class has this link yet\n" in after, after
    link = "dual-core: {latency: 1.00 us, gap: 500 ns, bandwidth: 4.00 GB/s, max_bandwidth: 4.00 GB/s, rate: payload}"
    assert link in after, after

    (tmp_path / "cluster.yaml").write_text(after.replace("link: port}", "link: port, inside: {core: dual-core}}"))
    done = again("--yes", inside=5e9)
    assert done.returncode == 0 and "inside" not in done.stderr, done
    after = (tmp_path / "cluster.yaml").read_text()
    assert link.replace("4.00 GB/s", "5.00 GB/s") in after and "no switch or class" not in after, after


def test_a_link_between_nodes_gets_no_numbers_of_inside(again, tmp_path):
    (tmp_path / "cluster.yaml").write_text(BLOCK.replace("link: port", "link: port, inside: {core: trunk}", 1), encoding="utf-8")
    done = again("-o", "-", inside=4e9)
    assert done.returncode == 0 and "\n  trunk-core:\n" in done.stdout and "inside: {core: trunk-core}" in done.stdout, done


def test_a_new_link_has_a_name_that_no_class_has_inside(again, tmp_path):
    other = "fat: {hwloc: {synthetic: 'core:2 pu:1'}, link: port, inside: {core: dual-core}}"
    text = CLUSTER.replace("trunk: {", "dual-core: {bandwidth: 3 GB/s}, trunk: {").replace("node_classes: {", f"node_classes: {{{other}, ")
    (tmp_path / "cluster.yaml").write_text(text, encoding="utf-8")
    done = again("--yes", inside=4e9)
    assert done.returncode == 0 and "inside: {core: dual-core-2}" in done.stderr, done
    assert "dual-core: {bandwidth: 3 GB/s}" in (tmp_path / "cluster.yaml").read_text(), done


def test_measurements_inside_of_nodes_do_not_count_with_other_cpus(again, tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER.replace("core:2 pu:1", "core:2 pu:1(indexes=0,4)"), encoding="utf-8")
    done = again("-o", "-", inside=4e9)
    assert done.returncode == 0 and "\n  port:\n" in done.stdout and "dual-core" not in done.stdout, done
    assert "commmap: 3 measurements inside of nodes do not count: the file has other levels or CPUs now\n" in done.stderr, done


def stand_in_for_srun(tmp_path, inside):
    """Answers between nodes with measurements that were made up, and inside of a node with what the shell commands `inside` do."""
    (tmp_path / "lines").write_text("".join(line + "\n" for line in measurements().splitlines() if line.startswith("measured ")), encoding="utf-8")
    srun = tmp_path / "srun"
    srun.write_text(f"""#!/bin/sh
cat >/dev/null
case "$*" in
    *--cpus=0,1*) {inside} ;;
    *) sed 's/ [^ ]*$/& & & &/' lines ;;
esac
""", encoding="utf-8")
    srun.chmod(0o755)
    return {"SLURM_JOB_NODELIST": "m[0-7]", "PATH": f"{tmp_path}:/usr/bin:/bin"}


def test_a_level_that_was_not_measured_to_the_end_is_not_written(calibrate, tmp_path):
    """The first pairs alone would give a maximum that is too low. A stand-in for srun fails inside of the node."""
    inside = """for value in "0 1 1e-6" "0 4194304 1e-3" "2 65536 4e9"; do echo "measured $value" | sed 's/ [^ ]*$/& & & & &/'; done; exit 3"""
    done = calibrate("-o", "-", **stand_in_for_srun(tmp_path, inside))

    assert done.returncode == 0 and "\n  port:\n" in done.stdout and "ended early" not in done.stdout, done
    assert "  # level 'core' inside of class 'dual': not measured\n" in done.stdout and "dual-core" not in done.stdout, done
    assert "commmap: inside of node 'm0' a level is not measured: 'srun' ended with exit code 3\n" in done.stderr, done


def test_a_signal_between_two_steps_loses_no_measurement(calibrate, tmp_path):
    """strace sends INT when the pipes for the second step are made: then no program runs that could get the signal."""
    program = tmp_path / "interrupted"
    program.write_text(f"""#!/bin/sh
exec strace -qq -o trace -e inject=pipe2:signal=SIGINT:when=3 {PREFIX}/bin/commmap "$@"
""", encoding="utf-8")
    program.chmod(0o755)
    done = calibrate("-o", "-", program=program, **stand_in_for_srun(tmp_path, "echo began >&2; exec sleep 3600"))

    assert done.returncode == 1 and "and ended early\nlinks:\n" in done.stdout and "\n  port:\n" in done.stdout, done
    assert done.stderr.endswith("\ncommmap: 'srun' was ended by signal 2\n"), done
    assert (tmp_path / "trace").read_text(encoding="utf-8").count("--- SIGINT") == 1


def test_without_named_links_a_level_inside_is_not_written(again, tmp_path):
    text = CLUSTER.replace("links: {port: {bandwidth: 100 Mbit/s, latency: 60 us}, trunk: {bandwidth: 1 Gbit/s}}\n", "")
    text = text.replace("link: port", "link: {bandwidth: 1 GB/s}").replace("link: trunk", "link: {bandwidth: 2 GB/s}")
    (tmp_path / "cluster.yaml").write_text(text, encoding="utf-8")
    done = again("--yes", inside=4e9)
    assert done.returncode == 0 and done.stdout.endswith("is written\n"), done
    assert "commmap: level 'core' inside of class 'dual': not written, because the file has no section 'links' (-o - prints it)\n" in done.stderr, done


PAIRS = "m0>m2 m1>m3 get {} together (spread 2.0 %), one alone 12.0 MB/s (spread 2.0 %)"


def test_a_switch_that_limits_its_pairs_gets_a_maximum(again, tmp_path):
    """All switches of its kind get it, and the same measurements serve the file that is written."""
    done = again("--yes", switch=15e6)

    assert done.returncode == 0 and done.stdout.endswith("is written\n"), done
    assert "commmap: 2 switches get the maximum that was measured at switch 's0'\n" in done.stderr, done
    after = (tmp_path / "cluster.yaml").read_text()
    values = PAIRS.format("15.0 MB/s")
    for switch, where in (("s0", ""), ("s1", " at switch 's0'")):
        mark = f"  # measured maximum of '{switch}': "
        assert f"{mark}2026-11-29, job 7, 8 nodes, Open MPI v4.1.4, payload\n{mark}{values}{where}\n  {switch}: {{" in after, after
    assert after.count(", max_bandwidth: 15.0 MB/s}\n") == 2 and "core: {switches: [s0, s1]}" in after, after
    assert again("--yes", switch=15e6).returncode == 0
    assert (tmp_path / "cluster.yaml").read_text() == after


def test_a_switch_that_is_no_limit_gets_none(again, tmp_path):
    printed = again("-o", "-", switch=23e6)
    assert f"\n  # switch 's0': {PAIRS.format('23.0 MB/s')}: the switch was not seen to be a limit\n" in printed.stdout, printed
    assert "\n  # maximum of switch 'core': not measured, because no two pairs of nodes" in printed.stdout, printed
    done = again("--yes", switch=23e6)
    assert done.returncode == 0 and "max_bandwidth: 23.0" not in (tmp_path / "cluster.yaml").read_text(), done


def test_a_maximum_of_the_file_that_is_too_low_is_named(again, tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER.replace('"m[0-4]", class: dual', '"m[0-4]", class: dual, max_bandwidth: 20 MB/s'), encoding="utf-8")
    done = again("--yes", switch=23e6)
    assert done.returncode == 0 and "commmap: switch 's0': max_bandwidth 20.0 MB/s of the file is too low: m0>m2 m1>m3 get 23.0 MB/s" in done.stderr, done
    (tmp_path / "cluster.yaml").write_text(CLUSTER.replace('"m[0-4]", class: dual', '"m[0-4]", class: dual, max_bandwidth: 23 MB/s'), encoding="utf-8")
    assert "too low" not in again("--yes", switch=24e6).stderr


def test_measurements_of_switches_that_are_no_longer_there_are_named(again, tmp_path):
    """Without one of its nodes the switch has other pairs."""
    text = measurements(switch=15e6).replace("m1>m3", "m1>m2")
    (tmp_path / "measured").write_text(text, encoding="utf-8")
    done = again.raw("--yes")
    assert done.returncode == 0 and "commmap: 1 measurements of switches do not count" in done.stderr, done
    assert "max_bandwidth: 15.0" not in (tmp_path / "cluster.yaml").read_text(), done


def test_links_are_written_without_a_switch_that_cannot_be(again, tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER.replace("s0: {", "s0: &leaf {"), encoding="utf-8")
    done = again("--yes", switch=15e6)
    assert done.returncode == 0 and "maxima of switches are not written: cluster.yaml:6:7: switch 's0' has an anchor or a tag" in done.stderr, done
    assert "the switch is the limit" in done.stderr and "payload" in (tmp_path / "cluster.yaml").read_text(), done


def leftovers(tmp_path):
    return sorted(file.name for file in tmp_path.iterdir())


def test_the_file_is_written(again, tmp_path):
    yaml = tmp_path / "cluster.yaml"
    yaml.write_text(BLOCK, encoding="utf-8")
    yaml.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(yaml, 12, 34)
    done = again("--yes")

    assert done.returncode == 0 and done.stdout == "'cluster.yaml' is written\n" and done.stderr == "", done
    text = yaml.read_text(encoding="utf-8")
    assert text.startswith(WRITTEN) and text.endswith(BLOCK[BLOCK.index("node_classes"):]), text
    assert "  # measured 'trunk': uplinks of switches below the root: m0 with m5 m6 m7\n" in text
    assert "  trunk: {bandwidth: 12.0 MB/s, latency: 116 us, gap: 9.00 us, max_bandwidth: 12.0 MB/s, rate: payload}\n" in text
    status = yaml.stat()
    assert status.st_mode & 0o7777 == 0o640 and (os.geteuid() != 0 or (status.st_uid, status.st_gid) == (12, 34))
    assert leftovers(tmp_path) == ["cluster.yaml", "measured"]
    checked = patience.run([PREFIX / "bin/commmap", "topology", "show", yaml], capture_output=True, text=True)
    assert "link 12.0 MB/s + 116 us, payload" in checked.stdout, checked

    profile = tmp_path / "profile.commmap"
    patience.run([BUILD / "tests/cli/make_profile", profile, "8", "2", "1000000"], check=True)
    estimated = patience.run([PREFIX / "bin/commmap", "estimate", "--cluster", yaml, "--profile", profile, "--placement", "block"],
                             capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)})
    assert estimated.returncode == 0 and "block" in estimated.stdout, estimated

    assert again("--yes").returncode == 0 and yaml.read_text(encoding="utf-8") == text


def test_what_an_older_release_measured_is_read(again, tmp_path):
    (tmp_path / "cluster.yaml").write_text(BLOCK, encoding="utf-8")
    assert again("--yes", short=False).returncode == 0
    text = (tmp_path / "cluster.yaml").read_text(encoding="utf-8")
    assert "gap" not in text and "to send" not in text and "    latency: 116 us   # a guess\n    bandwidth: 12.0 MB/s\n" in text, text


def test_half_duplex_is_written(again, calibrate, tmp_path):
    (tmp_path / "cluster.yaml").write_text(BLOCK, encoding="utf-8")
    printed = again("-o", "-", half=True)
    assert printed.returncode == 0 and "    duplex: half\n" in printed.stdout, printed
    done = again("--yes", half=True)
    assert done.returncode == 0, done
    text = (tmp_path / "cluster.yaml").read_text(encoding="utf-8")
    assert f"{MARK}both directions together get 1.00 times what one gets: half duplex\n" in text, text
    assert "    gap: 9.00 us\n    duplex: half\n    max_bandwidth: 12.0 MB/s\n" in text, text
    assert text.count("duplex: half") == 1, text  # of the uplinks that is not known
    shown = patience.run([PREFIX / "bin/commmap", "topology", "show", tmp_path / "cluster.yaml"], capture_output=True, text=True)
    assert "link 12.0 MB/s + 116 us, payload, half duplex" in shown.stdout, shown

    profile = tmp_path / "profile.commmap"
    patience.run([BUILD / "tests/cli/make_profile", profile, "4", "2", "1000000"], check=True)
    estimated = patience.run([PREFIX / "bin/commmap", "estimate", "--cluster", tmp_path / "cluster.yaml", "--profile", profile, "--placement", "block"],
                             capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)})
    assert ", both directions" in estimated.stdout, estimated

    # Measured anew as full duplex, the file says so.
    assert again("--yes").returncode == 0
    assert "    duplex: full\n" in (tmp_path / "cluster.yaml").read_text(encoding="utf-8")


def test_half_duplex_of_a_link_with_directions_is_only_said(again, tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER.replace("port: {bandwidth: 100 Mbit/s, latency: 60 us}",
                                                           "port: {out: {bandwidth: 100 Mbit/s}, in: {bandwidth: 90 Mbit/s}, latency: 60 us}"), encoding="utf-8")
    done = again("--yes", half=True)
    assert done.returncode == 0 and "'duplex: half' is not written, because the link has 'out' and 'in'" in done.stderr, done
    assert "duplex:" not in (tmp_path / "cluster.yaml").read_text(encoding="utf-8")


def test_without_anybody_to_ask_the_change_is_only_shown(again, tmp_path):
    done = again()

    assert done.returncode == 0 and "is not written, because nobody can be asked: say --yes" in done.stderr, done
    assert done.stdout.startswith("--- cluster.yaml\n+++ cluster.yaml\n@@"), done
    assert (tmp_path / "cluster.yaml").read_text(encoding="utf-8") == CLUSTER
    patience.run(["patch", "-s", "cluster.yaml"], input=done.stdout, text=True, cwd=tmp_path, check=True)
    shown = (tmp_path / "cluster.yaml").read_text(encoding="utf-8")
    assert shown.startswith("version: 1\n# measured 'port': 2026-11-29")
    (tmp_path / "cluster.yaml").write_text(CLUSTER, encoding="utf-8")
    again("--yes")
    assert (tmp_path / "cluster.yaml").read_text(encoding="utf-8") == shown


class Asked:
    """The command at a terminal, until it asks."""
    def __init__(self, tmp_path):
        (tmp_path / "measured").write_text(measurements(), encoding="utf-8")
        self.terminal, its_end = pty.openpty()
        self.program = subprocess.Popen([PREFIX / "bin/commmap", "calibrate", "--measured", "measured", "cluster.yaml"], cwd=tmp_path,
                                        stdin=its_end, stdout=its_end, stderr=its_end, start_new_session=True)
        os.close(its_end)
        self.said = b""
        while b"[y/N] " not in self.said:
            self.said += os.read(self.terminal, 4096)

    def answer(self, text):
        os.write(self.terminal, text)
        try:
            while more := os.read(self.terminal, 4096):
                self.said += more
        except OSError:  # the other end is closed
            pass
        os.close(self.terminal)
        return self.program.wait()


def test_at_a_terminal_it_asks(tmp_path, calibrate):
    del calibrate  # its file
    asked = Asked(tmp_path)
    assert b"+# measured 'port': " in asked.said
    assert asked.answer(b"n\n") == 0 and b"is not written" in asked.said
    assert (tmp_path / "cluster.yaml").read_text(encoding="utf-8") == CLUSTER

    assert Asked(tmp_path).answer(b"y\n") == 0
    assert "rate: payload" in (tmp_path / "cluster.yaml").read_text(encoding="utf-8")


def test_a_file_that_changes_meanwhile_stays_as_it_is(tmp_path, calibrate):
    del calibrate
    asked = Asked(tmp_path)
    (tmp_path / "cluster.yaml").write_text(CLUSTER + "# somebody else\n", encoding="utf-8")
    assert asked.answer(b"y\n") == 1 and b"'cluster.yaml' was changed meanwhile, and is not written" in asked.said
    assert b"\r\nlinks:\r\n" in asked.said, "what was measured is not lost"
    assert (tmp_path / "cluster.yaml").read_text(encoding="utf-8") == CLUSTER + "# somebody else\n"
    assert leftovers(tmp_path) == ["cluster.yaml", "measured"]


def test_a_change_meanwhile_is_not_undone_by_what_is_shown(calibrate, tmp_path):
    """Without a terminal: such a difference would take the change back. A stand-in for srun changes the file."""
    (tmp_path / "lines").write_text("".join(line + "\n" for line in measurements().splitlines() if line.startswith("measured ")), encoding="utf-8")
    srun = tmp_path / "srun"
    srun.write_text("#!/bin/sh\ncat >/dev/null\necho '# somebody else' >>cluster.yaml\nsed 's/ [^ ]*$/& & & &/' lines\n", encoding="utf-8")
    srun.chmod(0o755)
    done = calibrate("--no-inside", SLURM_JOB_NODELIST="m[0-7]", PATH=f"{tmp_path}:/usr/bin:/bin")

    assert done.returncode == 1 and done.stderr.splitlines()[-1] == "commmap: 'cluster.yaml' was changed meanwhile, and is not written", done
    assert "\nlinks:\n" in done.stdout and "---" not in done.stdout, done
    assert (tmp_path / "cluster.yaml").read_text(encoding="utf-8") == CLUSTER + "# somebody else\n"


def test_an_interrupt_at_the_question_writes_nothing(tmp_path, calibrate):
    del calibrate
    asked = Asked(tmp_path)
    asked.program.send_signal(signal.SIGINT)
    assert asked.program.wait() == -signal.SIGINT
    os.close(asked.terminal)
    assert (tmp_path / "cluster.yaml").read_text(encoding="utf-8") == CLUSTER and leftovers(tmp_path) == ["cluster.yaml", "measured"]


def test_a_read_only_file_is_refused(again, tmp_path):
    (tmp_path / "cluster.yaml").chmod(0o444)
    refused(again("--yes"), "cannot write 'cluster.yaml': Permission denied", "-o -")


def test_a_link_names_its_file(again, tmp_path):
    (tmp_path / "cluster.yaml").rename(tmp_path / "real.yaml")
    (tmp_path / "cluster.yaml").symlink_to("real.yaml")
    refused(again("--yes"), f"it is a symbolic link: name the file '{tmp_path.resolve()}/real.yaml' instead")

    (tmp_path / "cluster.yaml").unlink()
    os.link(tmp_path / "real.yaml", tmp_path / "cluster.yaml")
    refused(again("--yes"), "it has 2 names (hard links)")


def test_an_anchor_is_refused_before_anything_is_measured(again, tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER.replace("port: {", "port: &p {"), encoding="utf-8")
    refused(again("--yes"), "cluster.yaml:2:15: link 'port' has an anchor or a tag: write its numbers by hand (-o - prints the links, and writes nothing)")
    done = again("-o", "-")
    assert done.returncode == 0 and "\n  port:\n    latency: 116 us\n    gap: 9.00 us\n    bandwidth: 12.0 MB/s\n" in done.stdout, done


def test_uplinks_that_differ_from_ports_get_a_link_of_their_own(again, tmp_path):
    (tmp_path / "cluster.yaml").write_text(BLOCK.replace("link: trunk", "link: port").replace("  trunk: {bandwidth: 1 Gbit/s}\n", ""), encoding="utf-8")
    done = again("--yes", uplink=RATE / 2)
    assert done.returncode == 0, done
    assert done.stderr == ("commmap: uplinks of switches below the root have link 'port' in the file, and differ from others that have it: "
                           "give them the new link 'port-uplink'\n")
    text = (tmp_path / "cluster.yaml").read_text(encoding="utf-8")
    assert text.startswith(WRITTEN + "  # measured 'port-uplink': ") and "  port-uplink:\n    latency: 116 us\n    gap: 9.00 us\n    bandwidth: 6.00 MB/s\n" in text, text


def test_users_that_were_not_measured_are_named(again, tmp_path):
    """The job has no node of class 'fat', and switch s2 is below another one."""
    more = BLOCK.replace("link: port}}\n", "link: port}, fat: {hwloc: {synthetic: \"core:2 pu:1\"}, link: port}}\n")
    more = more.replace("core: {switches: [s0, s1]}", "core: {switches: [s0, s1, s2]}") + '  s2: {nodes: "f[0-1]", class: fat, link: port}\n'
    (tmp_path / "cluster.yaml").write_text(more, encoding="utf-8")
    done = again("--yes")
    assert done.returncode == 0, done
    assert done.stderr == "commmap: link 'port' gets numbers for class 'fat', switch 's2' too, which this job could not measure\n", done
    assert MARK + "not measured, and has the same link: class 'fat', switch 's2'\n" in (tmp_path / "cluster.yaml").read_text(encoding="utf-8")


def test_a_link_that_stands_inside_of_nodes_too_is_refused(again, tmp_path):
    (tmp_path / "cluster.yaml").write_text(BLOCK.replace("link: port", "link: port, inside: {core: port}", 1), encoding="utf-8")
    refused(again("--yes"), "a measured link stands in 'inside' of class 'dual' too")


@pytest.mark.parametrize("words", [["-o", "cluster.yaml"], ["--save-measured", "../{}/cluster.yaml"]])
def test_the_cluster_yaml_is_no_place_for_links_or_measurements(calibrate, tmp_path, words):
    done = calibrate(*[word.format(tmp_path.name) for word in words], SLURM_JOB_NODELIST="m[0-7]")
    refused(done, "cluster.yaml' is the cluster YAML itself, which would be replaced")
    assert (tmp_path / "cluster.yaml").read_text(encoding="utf-8") == CLUSTER


def test_links_that_share_lines_are_refused_before_anything_is_measured(again, tmp_path):
    flow = 'links: {port: {bandwidth: {1 KiB: 1 MB/s,\n  1 MiB: 10 MB/s}, latency: 60 us}, trunk: {bandwidth: 1 Gbit/s}}\n'
    (tmp_path / "cluster.yaml").write_text("version: 1\n" + flow + CLUSTER[CLUSTER.index("node_classes"):], encoding="utf-8")
    refused(again("--yes"), "cluster.yaml:1:1: the file is laid out in a way that links cannot be changed in")


def test_a_direction_that_is_slower_has_its_own_maximum(again, tmp_path):
    done = again("--yes", into=RATE / 2)
    assert done.returncode == 0, done
    assert "out: {max_bandwidth: 12.0 MB/s}, in: {max_bandwidth: 6.00 MB/s}" in (tmp_path / "cluster.yaml").read_text(encoding="utf-8")


def test_what_ended_early_is_printed_and_not_written(again, tmp_path):
    done = again("--yes", complete=False)
    assert done.returncode == 1 and "'measured' ended early" in done.stderr and "ended early\nlinks:\n" in done.stdout, done
    assert (tmp_path / "cluster.yaml").read_text(encoding="utf-8") == CLUSTER


@pytest.mark.parametrize("text,line", [("", "measured:1: no measurements"), (measurements()[:200], "measured:"), ("commmap-measurements 1\nnonsense\n", "measured:2: expected"),
                                       (measurements().replace("m7", "x7"), "node 'x7' of the job is not in"), (measurements().replace(">m4", ">m3"), "another place")])
def test_measurements_that_are_none(calibrate, tmp_path, text, line):
    (tmp_path / "measured").write_text(text, encoding="utf-8")
    refused(calibrate("--measured", "measured", "--yes"), line)


def test_a_name_that_yaml_would_read_otherwise_has_quotes(again, tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER.replace("trunk", "'10: g'"), encoding="utf-8")
    assert '  "10: g":\n' in again("-o", "-").stdout


def test_uplinks_of_one_depth_are_told_apart(calibrate, tmp_path):
    (tmp_path / "cluster.yaml").write_text(CLUSTER.replace("s1: {nodes: \"m[5-7]\", class: dual, link: trunk}",
                                                           "s1: {nodes: \"m[5-7]\", class: dual, link: port}"), encoding="utf-8")
    lines = calibrate("--dry-run").stdout.splitlines()
    assert any(line.startswith("uplinks of switches below the root with link 'trunk' (") for line in lines), lines
    assert any(line.startswith("uplinks of switches below the root with link 'port' (") for line in lines), lines


# A job of its own

@pytest.fixture(name="salloc")
def _salloc(tmp_path):
    """A salloc that says how it was called, and which of Slurm's variables it got."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/salloc"
    program.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\nenv | grep SLURM_\n", encoding="utf-8")
    program.chmod(0o755)
    return f"{tmp_path}/bin:/usr/bin:/bin"


def test_it_makes_its_own_job(calibrate, salloc):
    done = calibrate("-N", "8", "--nodelist", "m[0-3]", "-p", "long", "-A", "physics", "-q", "high", "-t", "10", "--mpi", "pmix", "--yes", PATH=salloc,
                     SLURM_NTASKS_PER_NODE="3", SLURM_JOB_NODELIST="stale", SLURM_CONF="/etc/slurm.conf")
    assert done.stdout.splitlines() == ["--nodes=8", "--exclusive", "--partition=long", "--account=physics", "--qos=high", "--time=10", "--nodelist=m[0-3]",
                                        str((PREFIX / "bin/commmap").resolve()), "calibrate", "--mpi=pmix", "--yes", "--", "cluster.yaml",
                                        "SLURM_CONF=/etc/slurm.conf"], done


def test_a_check_makes_its_own_job_too(calibrate, salloc, tmp_path):
    """It writes no file, so the file may be read-only."""
    (tmp_path / "cluster.yaml").chmod(0o444)
    done = calibrate("-N", "8", "--check", "--json", "--at-once", "2", PATH=salloc)
    assert done.stdout.splitlines() == ["--nodes=8", "--exclusive", str((PREFIX / "bin/commmap").resolve()), "calibrate", "--check", "--json",
                                        "--at-once=2", "--", "cluster.yaml"], done


def test_it_waits_for_no_job_when_the_file_cannot_be_written(calibrate, salloc, tmp_path):
    (tmp_path / "cluster.yaml").chmod(0o444)
    refused(calibrate("-N", "8", "--yes", PATH=salloc), "cannot write 'cluster.yaml': Permission denied")


def test_a_job_makes_no_other_job(calibrate, salloc):
    refused(calibrate("-N", "8", PATH=salloc, SLURM_JOB_ID="5"), "this is job 5 already: leave out --nodes")


def test_without_salloc_it_says_so(calibrate, tmp_path):
    refused(calibrate("-N", "8", PATH=str(tmp_path)), "cannot start 'salloc'", "--nodes needs")


@pytest.mark.parametrize("words", [["-N", "1"], ["-p", "long"], ["-N", "8", "--dry-run"], ["-N", "8", "--measured", "x"], ["--yes", "-o", "-"], ["--check", "--yes"], ["--json"]])
def test_options_that_do_not_go_together(calibrate, words):
    done = calibrate(*words)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and done.stdout == "", done
