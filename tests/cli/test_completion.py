# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Completion in bash: the installed script, asked as bash asks it."""

import os
import pathlib
import re
import shlex

import patience
import pytest

PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
SCRIPT = PREFIX / "share/bash-completion/completions/commmap"


@pytest.fixture(name="reply")
def _reply(tmp_path):
    (tmp_path / "my profile.commmap").write_text("")
    (tmp_path / "folder").mkdir()

    def ask(line):
        """COMPREPLY after a TAB at the end of `line`; words as bash splits them, '=' being a word."""
        words = re.split(" |(?==)|(?<==)(?=.)", line)
        script = (f"source {shlex.quote(str(SCRIPT))}\nCOMP_WORDS=({' '.join(map(shlex.quote, words))})\nCOMP_CWORD={len(words) - 1}\n"
                  'function_name=$(complete -p commmap | sed "s/.*-F \\([^ ]*\\) .*/\\1/")\n$function_name\nprintf "%s\\n" "${COMPREPLY[@]}"')
        done = patience.run(["bash", "--norc", "-c", script], capture_output=True, text=True, cwd=tmp_path, check=True)
        assert done.stderr == ""
        return [word for word in done.stdout.split("\n") if word]
    return ask


def test_it_is_what_the_program_says():
    assert SCRIPT.read_text() == patience.run([PREFIX / "bin/commmap", "completion", "bash"], capture_output=True, text=True, check=True).stdout


def test_commands(reply):
    assert {"profile", "topology", "map", "estimate", "plan"} <= set(reply("commmap "))
    assert reply("commmap es") == ["estimate"]
    assert reply("commmap profile ") == ["list", "show", "export", "import", "identify", "diff", "merge", "publish", "gc", "verify", "collect", "rm"]
    assert reply("commmap topology ch") == ["check"]


def test_options(reply):
    assert reply("commmap --v") == ["--version"]
    assert reply("commmap map --cpus") == ["--cpus-per-node", "--cpus-per-task"]
    assert reply("commmap map --seed 3 --thr") == ["--threshold", "--threads"]
    assert reply("commmap estimate --thr") == []
    assert reply("commmap profile export --") == ["--help", "--profile-dir", "--site-profiles", "--tag", "--format", "--json", "--output"]
    # a flag has no value: the next word is another option
    assert reply("commmap map --list-mappers --for") == ["--format"]


def test_values(reply):
    assert reply("commmap map --format open") == reply("commmap map --format=open") == ["openmpi4", "openmpi5"]
    assert "hostfile" in reply("commmap map --format=") and "json" in reply("commmap map --format ")
    assert reply("commmap map --mapper gr") == ["greedy", "greedy_refined"]
    assert reply("commmap estimate --placement b") == ["block"]
    assert reply("commmap plan --rank0 ") == ["first", "free"]
    assert reply("commmap plan --plan-cache o") == ["on", "off"]
    assert reply("commmap map --seed ") == []


def test_files(reply):
    assert sorted(reply("commmap map --profile ")) == ["folder", "my profile.commmap"]
    assert reply("commmap profile show my") == ["my profile.commmap"]
    assert reply("commmap map -o my") == ["my profile.commmap"]
    assert reply("commmap map --profile-dir ") == ["folder"]
    assert "/bin/true" in reply("commmap map --command /bin/tr")


def test_every_word_of_every_help_is_offered(reply):
    """The other way round: nothing that --help lists is missing."""
    def walk(*command):
        text = patience.run([PREFIX / "bin/commmap", *command, "--help"], capture_output=True, text=True, check=True).stdout
        options = {word.strip(",") for line in text.splitlines() if line.startswith("  -")
                   for word in line.split()[0].split(",") if word.startswith("--")}
        assert set(reply(" ".join(["commmap", *command, "--"]))) == options, command
        subs = text.split("Subcommands:\n")[1].splitlines() if "Subcommands:\n" in text else []
        names = [line.split()[0] for line in subs if line.startswith("  ") and not line.startswith("   ")]
        if names:
            assert reply(" ".join(["commmap", *command, ""])) == names
        for name in names:
            walk(*command, name)
    walk()
