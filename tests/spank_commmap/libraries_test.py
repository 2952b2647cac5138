#!/usr/bin/env python3
# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What the plugin's libraries need and export: libraries_test.py commmap.so commmap_task.so"""

import re
import subprocess
import sys

# sanitized builds also need their runtime; ld-linux is the dynamic linker itself
SYSTEM = r"lib(c|m|dl|asan|ubsan)\.so\.\d+|ld-linux-.*"


def needed(library):
    text = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def exported(library):
    text = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in text.splitlines() if line}


def check(library, allowed_libraries, symbols):
    surplus = [name for name in needed(library) if not re.fullmatch(allowed_libraries, name)]
    if surplus:
        sys.exit(f"{library} needs {' '.join(surplus)}")
    if exported(library) != symbols:
        sys.exit(f"{library} exports {' '.join(sorted(exported(library) ^ symbols))} more or less than it should")


check(sys.argv[1], SYSTEM,
      {"plugin_name", "plugin_type", "plugin_version", "spank_plugin_version", "slurm_spank_init",
       "slurm_spank_init_post_opt", "slurm_spank_local_user_init", "slurm_spank_user_init", "slurm_spank_task_init",
       "slurm_spank_task_exit", "slurm_spank_exit"})
check(sys.argv[2], SYSTEM + r"|libelf\.so\.\d+", {"commmap_task_inspect"})
