#pragma once

#include "commmap/ids.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

/// What is above the nodes: switches, nodes and their links as they are, and in each node one PU
/// that costs nothing. Nodes keep their numbers; PUs are the nodes in tree order. Placements of
/// whole nodes cost the same at every port that is left. Cost: O(elements).
[[nodiscard]] Hct tree_above_nodes(const Hct& hct);

/// What is inside a node: below a root switch the node as it is (node 0, its PUs keep their order
/// and come first) and a second one with a single PU, which stands for everything outside (node 1).
/// Both links cost nothing: no exchange inside the node changes what the real one carries. Cost:
/// O(elements of the node + ports of the tree).
[[nodiscard]] Hct tree_inside_node(const Hct& hct, NodeId node);

}  // namespace commmap
