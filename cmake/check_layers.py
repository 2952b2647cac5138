#!/usr/bin/env python3
# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Checks who includes whom: check_layers.py LAYERS ROOT [--without FOLDER... | --table | --tree | --picture]

LAYERS is what CMake writes when it configures (layers.jsonl in the build folder): every folder of ROOT/src with its purpose, the
modules that it may use, its rooms, and its headers in ROOT/include/commmap. This program ends with 1

- where a source includes what its folder may not use, or an installed header includes one that is not installed,
- where a folder names a module that it does not use,
- where a folder has more files than a reader can look through,
- where core prints, exits or reads the environment,
- where docs/developer/architecture.md has another table, tree or picture than these:

--without  names folders of src that are not built, and so are not declared: their sources are not read, and neither is the page

--table    prints the table of modules of docs/developer/architecture.md, in Markdown
--tree     prints the tree of folders: the rooms of a folder stand in the order in which they may use each other
--picture  prints the picture of modules there, in Mermaid: arrows that follow from others are left out

Rooms are folders of a folder, the lowest first: a room may use itself and those before it. Rooms joined by | do not know each
other. A point is the folder itself.
"""

import json
import pathlib
import re
import sys

MOST_FILES = 28
PAGE = "docs/developer/architecture.md"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SOURCES = (".c", ".cpp", ".h", ".hpp")
PRINTS = re.compile(r"std::cout|std::cerr|(?<![a-zA-Z_])(?:fprintf|puts|exit|abort|popen)\(")
READS_ENVIRONMENT = re.compile(r"getenv *\(")


class Folder:
    """A folder of src as CMake declares it."""

    def __init__(self, declared):
        self.name, self.purpose = declared["folder"], declared["purpose"]
        self.uses = [f"core/{module}" for module in declared["uses"]]
        self.public = {f"commmap/{header}" for header in declared["public"]}
        groups = [group.split("|") for group in declared["rooms"] or ["."]]
        self.level = {room: number for number, group in enumerate(groups) for room in group}

    def room_of(self, path):
        """The room of a path in this folder; None where no such room is declared."""
        room = path.removeprefix(self.name + "/").rpartition("/")[0] or "."
        return room if room in self.level else None


def folder_of(path, folders):
    """The declared folder of a path below src or include, or None."""
    return next((folder for name, folder in folders.items() if path.startswith(name + "/") or path in folder.public), None)


def refusal(source, include, folders):
    """Why this source may not have this include, or None. Both are paths below src or include."""
    own, other = folder_of(source, folders), folder_of(include, folders)
    if other is None:
        return None
    if source in own.public and include not in other.public:
        return "what is installed includes what is not"
    if own is not other:
        if not other.name.startswith("core/"):
            return f"{other.name} is used by nobody else"
        return None if other.name in own.uses else f"{own.name} may use only: {' '.join(own.uses) or 'nothing'}"
    if include in own.public:
        return None
    room, used = own.room_of(source), own.room_of(include)
    if used is None or room is None:
        return f"the rooms of {own.name} are only: {' '.join(own.level)}"
    if room != used and own.level[used] >= own.level[room]:
        return f"in {own.name} the room '{used}' is not below '{room}'"
    return None


def findings(root, folders, without=()):
    """One line for each fault. Folders of `without` are not built."""
    paths = sorted(path for top in ("src", "include") for path in (root / top).rglob("*") if path.suffix in SOURCES)
    if not paths:
        yield f"no sources under {root}/src"
    used = {name: set() for name in folders}
    for path in paths:
        shown = str(path.relative_to(root))
        name = shown.partition("/")[2]
        if name.startswith(tuple(f"{other}/" for other in without)):
            continue
        folder = folder_of(name, folders)
        if folder is None or (name not in folder.public and folder.room_of(name) is None):
            yield f"{shown}: no CMakeLists.txt declares this folder"
            continue
        text = path.read_text(encoding="utf-8")
        for include in INCLUDE.findall(text):
            why = refusal(name, include, folders)
            if why:
                yield f'{shown} includes "{include}": {why}'
            other = folder_of(include, folders)
            if other:
                used[folder.name].add(other.name)
        if folder.name.startswith("core/") and PRINTS.search(text):
            yield f"{shown}: core neither prints nor exits"
        if folder.name.startswith("core/") and folder.name != "core/config" and READS_ENVIRONMENT.search(text):
            yield f"{shown}: only core/config reads the environment"
    for folder in folders.values():
        for module in folder.uses:
            if module in without:
                continue
            if module not in folders:
                yield f"{folder.name} names {module}, which there is not"
            elif module not in used[folder.name]:
                yield f"{folder.name} names {module} and includes nothing of it"
    for directory in sorted({path.parent for path in paths}):
        files = [path for path in directory.iterdir() if path.is_file() and path.name != "CMakeLists.txt"]
        if len(files) > MOST_FILES:
            yield f"{directory.relative_to(root)} has {len(files)} files, at most {MOST_FILES} are wanted"
    yield from cycles(folders)
    page = root / PAGE
    is_whole = not without and {used for folder in folders.values() for used in folder.uses} <= folders.keys()
    for what, lines_of in PRINTED.items() if page.exists() and is_whole else ():
        if "\n".join(lines_of(folders)) not in page.read_text(encoding="utf-8"):
            yield f"{PAGE} has not what `check_layers.py {what}` prints"


def cycles(folders):
    """A line for each folder that uses itself by way of others."""
    for name in folders:
        if name in reached(folders, [used for used in folders[name].uses if used in folders]):
            yield f"{name} uses itself by way of others"


def reached(folders, names):
    """What these use, directly or by way of others, themselves included."""
    seen, new = set(), set(names)
    while new:
        seen |= new
        new = {used for name in new for used in folders[name].uses if used in folders} - seen
    return seen


def table(folders):
    lines = ["| folder | purpose | may use |", "| --- | --- | --- |"]
    for folder in folders.values():
        uses = ", ".join(used.removeprefix("core/") for used in folder.uses) or "nothing"
        lines.append(f"| `src/{folder.name}` | {folder.purpose} | {uses} |")
    return lines


def tree(folders):
    lines = ["src/"]
    shown = set()
    for folder in folders.values():
        for path in (folder.name, *(f"{folder.name}/{room}" for room in folder.level if room != ".")):
            parts = path.split("/")
            for depth in range(1, len(parts) + 1):
                above = "/".join(parts[:depth])
                if above not in shown:
                    lines.append("    " * depth + parts[depth - 1] + "/")
                    shown.add(above)
    return lines


def picture(folders):
    lines = ["graph TD"]
    for folder in folders.values():
        others = [used for used in folder.uses if not any(used in reached(folders, [other]) for other in folder.uses if other != used)]
        for used in others:
            lines.append(f"    {folder.name.removeprefix('core/')} --> {used.removeprefix('core/')}")
    return lines


PRINTED = {"--table": table, "--tree": tree, "--picture": picture}


def main():
    option = sys.argv[3] if len(sys.argv) > 3 else None
    without = sys.argv[4:] if option == "--without" else []
    if len(sys.argv) < 3 or not (option is None or without or (option in PRINTED and len(sys.argv) == 4)):
        sys.exit(__doc__.strip())
    declared = [Folder(json.loads(line)) for line in pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    folders = {folder.name: folder for folder in declared}
    built = sorted(set(without) & folders.keys())
    if built:
        sys.exit(f"check_layers.py: {' '.join(built)} is built")
    if option in PRINTED:
        unknown = {used for folder in declared for used in folder.uses} - folders.keys()
        if unknown:
            sys.exit(f"check_layers.py: {' '.join(sorted(unknown))} is not built: configure with all parts of the project")
        print("\n".join(PRINTED[option](folders)))
        return
    found = list(findings(pathlib.Path(sys.argv[2]), folders, without))
    if found:
        sys.exit("\n".join([*found, f"check_layers.py: {len(found)} faults"]))
    print(f"{len(folders)} folders, all includes in the right direction")


main()
