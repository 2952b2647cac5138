# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The man pages have every command and every option of the installed program, and no other."""

import os
import pathlib
import re

import patience
import pytest

PREFIX = pathlib.Path(os.environ["COMMMAP_PREFIX"])
ROOT = pathlib.Path(__file__).parents[2]


def manual(section):
    """The text as written, escapes of fonts and dashes taken out."""
    text = (PREFIX / f"share/man/man{section}/commmap.{section}").read_text()
    return re.sub(r"\\f[BIR]", "", text).replace("\\-", "-")


def section(name):
    """What stands under a .SH of commmap(1)"""
    return re.search(rf'^\.SH {name}\n(.*?)(?=^\.SH )', manual(1), re.M | re.S)[1]


def helps():
    """command as it is typed ("": the program) -> its options, short and long; whether it has commands"""
    found = {}

    def walk(*command):
        text = patience.run([PREFIX / "bin/commmap", *command, "--help"], capture_output=True, text=True, check=True).stdout
        options = [line.split()[0].split(",") for line in text.splitlines() if line.startswith("  -")]
        subs = re.findall(r"^  ([\w-]+)", text.split("Subcommands:\n")[1], re.M) if "Subcommands:\n" in text else []
        found[" ".join(command)] = ({name for names in options for name in names}, bool(subs))
        for name in subs:
            walk(*command, name)
    walk()
    return found


def test_every_command():
    entries = re.findall(r'^\.TP\n\.\w+ (.*)', section("COMMANDS"), re.M)
    written = {" ".join(re.findall(r"[a-z][a-z-]*", re.sub(r'["\[]|--\w+', "", entry).split("FILE")[0])) for entry in entries}
    assert written == {command for command, (_, has_commands) in helps().items() if not has_commands}


def test_every_option():
    known = helps()
    written = {command: set() for command in known}
    for title, entries in re.findall(r"^\.SS Options of (.*)\n((?:.*\n)*?)(?=\.SS|\Z)", section("OPTIONS"), re.M):
        of = known if title == "every command" else [re.sub("^commmap$", "", name) for name in re.split(", | and ", title)]
        for tag in re.findall(r"^\.TP\n\.\w+ (.*)", entries, re.M):
            for command in of:
                written[command] |= set(re.findall(r"(?<![\w-])--?[A-Za-z][a-z0-9-]*", tag))
    for command, (options, _) in known.items():
        assert written[command] == options, command or "commmap"


def test_every_format():
    names = re.findall(r"([a-z0-9-]+)(?: \([^)]*\))?(?:, |$)", patience.run(
        [PREFIX / "bin/commmap", "map", "--format", "help"], capture_output=True, text=True, check=True).stdout.strip())
    assert len(names) > 5 and "json" in names
    guide = (ROOT / "docs/user/machine-files.md").read_text()
    for name in names:
        assert re.search(rf"^\.BR? {name}\b", section("OPTIONS"), re.M), name
        assert name == "json" or re.search(rf"^{name} ", section("MACHINE FILES"), re.M), name
        assert f"\n| `{name}` | " in guide, name


@pytest.mark.parametrize("way", ["export", "import"])
def test_every_format_of_profiles(way):
    names = re.findall(r"^([a-z0-9]+) ", patience.run(
        [PREFIX / "bin/commmap", "profile", way, "--format", "help"], capture_output=True, text=True, check=True).stdout, re.M)
    assert len(names) > 5 and "monitoring" in names
    of_command = re.search(rf"^\.SS Options of profile {way}\n((?:.*\n)*?)(?=\.SS|\Z)", section("OPTIONS"), re.M)[1]
    page = (ROOT / "docs/formats/profile-format.md").read_text()
    table = page.split(f"`commmap profile {way} --format", 1)[1].split("`commmap profile import --format" if way == "export" else "\n## ")[0]
    for name in names:
        assert re.search(rf"\b{name}\b", of_command), name
        assert f"\n| `{name}` | " in table, name


def test_every_setting():
    """The table of docs/admin/admin.md, which another test compares with the program's own."""
    rows = re.findall(r"^\| `([a-z0-9-]+)` \|.*?\|.*?\| (.*?) \|", (ROOT / "docs/admin/admin.md").read_text().split("## Install")[0], re.M)
    assert len(rows) > 8
    for name, environment in rows:
        assert re.search(rf"^\.BR? .*\b{name}\b", manual(7), re.M), name
        for variable in re.findall(r"COMMMAP\w*", environment):
            assert variable in manual(7), variable
