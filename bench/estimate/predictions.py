# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What commmap predicts for placements, in seconds: by the profile as it is, and by the whole run at once."""

import json

from compare.demo import checked
from estimate.placements import write_hostfile


def estimated(job, placements, directory):
    """Rows of `commmap estimate` by name of the placement; placements have the node of each rank."""
    files = {}
    for name, nodes in placements.items():
        files[name] = f"{directory}/{name}.hosts"
        write_hostfile(files[name], nodes)
    command = ["commmap", "estimate", "--json", *job]
    for file in files.values():
        command += ["--placement", file]
    rows = {row["placement"]: row for row in json.loads(checked(command))}
    return {name: rows[file] for name, file in files.items()}


def cheapest(rows):
    """Name of the placement that is predicted to be the fastest; of equals that with the lowest port cost."""
    return min(rows, key=lambda name: (rows[name]["predicted_s"], rows[name]["port_cost_s"]))


def ratios(rows):
    """Predicted run time of each placement, block's being 1."""
    return {name: row["predicted_s"] / rows["block"]["predicted_s"] for name, row in rows.items()}


def scaled_ratios(rows, cost):
    """The same where all of the time in MPI grows with a cost: Sweeney et al., Sec. 7.1.

    @param cost  a key of the rows: "port_cost_s", "sweeney_s"
    """
    block = rows["block"]
    if block[cost] <= 0:
        return dict.fromkeys(rows, 1.0)
    share = block["share_in_mpi"]
    return {name: 1 - share + share * row[cost] / block[cost] for name, row in rows.items()}
