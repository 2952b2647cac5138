// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "commmap/ids.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

/// Cuts off the inside of the nodes: keeps the switches, the nodes and their links, and puts one PU
/// that costs nothing into each node. Nodes keep their numbers. The PUs are the nodes in tree
/// order. A placement of whole nodes costs the same as before at every port that is left.
/// Cost: O(elements).
[[nodiscard]] Hct tree_above_nodes(const Hct& hct);

/// Cuts out one node: a root switch above the node itself (node 0) and a second node with a single
/// PU (node 1), which stands for everything outside. The PUs of node 0 come first and keep their
/// order. The links of both nodes cost nothing, because no exchange inside the node changes what
/// its real link carries.
/// Cost: O(elements of the node + ports of the tree).
[[nodiscard]] Hct tree_inside_node(const Hct& hct, NodeId node);

}  // namespace commmap
