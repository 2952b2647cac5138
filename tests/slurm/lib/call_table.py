# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""docs/user/recorder-calls.md: which call of MPI is recorded in which language and by which MPI, and which scenario of
tests/pmix_hooks/programs/traffic.* shows it. COMMMAP_CALL_TABLE=FILE: what the tests find goes there;
python3 tests/slurm/lib/call_table.py FILE prints the table of it.
"""

import json
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
PAGE = os.path.join(ROOT, "docs/user/recorder-calls.md")
# MPI -> what stands for it: Open MPI 5 only where 4 is not
LETTERS = {"openmpi4": "O", "openmpi5": "5", "mpich": "M"}
FORMS = ("c", "f77", "mpi", "f08")

sys.path.insert(0, os.path.join(ROOT, "src/pmix_hooks/wrappers"))
import mpi_calls

# which count messages or a collective, or start what does, each once
NOTED = list(dict.fromkeys("MPI_" + call.name for call in mpi_calls.CALLS if call.counts or call.name in ("Recv_init", "Start", "Startall")))


def found(profiles):
    """scenario -> profile; gives (call, scenario) for every call that a rank made and that is noted"""
    return {(call, scenario) for scenario, profile in profiles.items() for rank in profile["ranks"]
            for call in (name.replace("MPIX_", "MPI_") for name in rank["calls"]) if call in NOTED}


def note(mpi, form, pairs):
    if "COMMMAP_CALL_TABLE" in os.environ:
        with open(os.environ["COMMMAP_CALL_TABLE"], "a", encoding="utf-8") as file:
            file.write(json.dumps([mpi, form, sorted(pairs)]) + "\n")


def shown_by(mpi):
    return {LETTERS[mpi], "O"} if mpi == "openmpi5" else {LETTERS[mpi]}


def written(mpi, form):
    """The same from the page."""
    pairs = set()
    with open(PAGE, encoding="utf-8") as page:
        for line in page:
            cells = [cell.strip() for cell in line.strip("|\n").split("|")]
            if len(cells) == 2 + len(FORMS) and cells[0].startswith("`MPI_") and shown_by(mpi) & set(cells[2 + FORMS.index(form)]):
                pairs.add((cells[0].strip("`"), cells[1].strip("`")))
    return pairs


def table(lines):
    by_pair = {}
    for mpi, form, pairs in lines:
        for call, scenario in pairs:
            by_pair.setdefault((call, scenario), {}).setdefault(form, set()).add(LETTERS[mpi])
    rows = ["| call | scenario | C | mpif.h | mpi | mpi_f08 |", "|---|---|---|---|---|---|"]
    for call in NOTED:
        for (name, scenario), forms in by_pair.items():
            if name == call:
                cells = " | ".join(" ".join(letter for letter in LETTERS.values() if letter in forms.get(form, ()) and
                                            not (letter == "5" and "O" in forms[form])) for form in FORMS)
                rows.append(f"| `{call}` | `{scenario}` | {cells} |")
    missing = [call for call in NOTED if not any(name == call for name, _ in by_pair)]
    return "\n".join(rows) + "\n\nIn no scenario: " + ", ".join(f"`{call}`" for call in missing) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as noted:
        print(table(json.loads(line) for line in noted), end="")
