# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""A cluster YAML with two nodes of two cores."""

CLUSTER = """\
version: 1
links: {net: {bandwidth: 100 MB/s}}
node_classes:
  small: {hwloc: {synthetic: "core:2 pu:1"}, link: net}
switches: {s: {nodes: "n[0-1]", class: small}}
"""
