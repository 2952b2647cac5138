# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Numbers that the papers' texts and tables print. What only a picture has is not here.

Sweeney et al., Secs. 7.1 and 7.2: by how many percent the greedy mapping shortens a run, estimated and actual.
Khoroshevsky and Kurnosov, Table 1, Fast Ethernet: the time by round robin over that by TMMGP.
"""

PRINTED = {
    "umt2k-9": {"paper_estimated_percent": 1.5, "paper_actual_percent": 12.1},
    "umt2k-15": {"paper_estimated_percent": 10.6, "paper_actual_percent": 2.2},
    "rfcth-8": {"paper_estimated_percent": 4.0, "paper_actual_percent": -5.9},
    "rfcth-10": {"paper_estimated_percent": 9.1, "paper_actual_percent": 29.6},
    "rfcth-12": {"paper_estimated_percent": 15.7, "paper_actual_percent": 10.7},
    "rfcth-15": {"paper_actual_percent": 35.3},
    **{f"rfcth-{ranks}": {"paper_estimated_percent": 0.0} for ranks in (3, 5, 7, 9, 11, 13)},
    "hpl": {"paper_ratio": 1.22},
    "cg": {"paper_ratio": 1.81},
    "mg": {"paper_ratio": 1.00},
}
