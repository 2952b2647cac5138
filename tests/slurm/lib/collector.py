# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What runs instead of commmap-collect in a test's own copy of the installed tree."""

import os


def write_collector(tree, text):
    """A shell script, in which OWN is the real program: that lies beside it."""
    program = f"{tree}/lib/commmap/commmap-collect"
    os.rename(program, f"{program}.own")
    with open(program, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\n{text.replace('OWN', program + '.own')}\n")
    os.chmod(program, 0o755)
