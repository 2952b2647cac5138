# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The installed tree fits together."""

import os

from cluster import PATIENCE


def test_plugstack_line_names_the_installed_plugin(prefix):
    with open(f"{prefix}/share/commmap/commmap.conf", encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    assert lines == [["optional", f"{prefix}/lib/commmap/commmap.so"]]


def test_files(prefix):
    for name in ("bin/commmap", "lib/commmap/commmap.so", "lib/commmap/commmap_task.so", "lib/commmap/commmap-node", "lib/commmap/commmap-collect", "lib/commmap/libcommmap_hooks_ompi.so", "lib/commmap/libcommmap_hooks_mpich.so",
                 "share/commmap/cluster.yaml.example"):
        assert os.path.isfile(f"{prefix}/{name}"), name


def test_installed_program_is_found_without_being_named(cluster):
    """No program= in the plugstack line: the planner is found from the plugin's own place."""
    cluster.use("cluster=/nonexistent.yaml", PATIENCE)
    done = cluster.job("srun -n16 --commmap=auto,verbose true")
    assert done.code == 0, done
    assert len(done.said) == 1 and done.said[0].endswith("; launching as without commmap"), done
    assert "planning with" not in done.said[0]
