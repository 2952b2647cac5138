// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/topology/allocation.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// A kind of switches: they are equally far from the root. In the cluster YAML they have the same
/// maximum, the same uplink, and ports of the same links. Calibration measures one of them, which
/// stands for all.
///
/// Nodes are those of an allocation, numbered in its order.
struct SwitchKind {
    std::uint32_t depth = 0;               ///< number of switches above
    double max_bandwidth_bytes_per_s = 0;  ///< what the file says; infinity: nothing
    /// Indices into Cluster::switches, ascending: all of the cluster.
    std::vector<std::uint32_t> switches;
    std::uint32_t measured = no_id;  ///< which one is measured

    /// Pairs of nodes whose messages pass the measured switch, no node and no port in two of them.
    /// - Nodes that hang on the switch itself, all of one class.
    /// - Or nodes below different child switches, if there are more. The nodes are of one class,
    ///   and all ports between them and the switch are equal by the file.
    std::vector<NodeId> senders;
    std::vector<NodeId> receivers;
    /// Why no switch of the kind can be measured; empty when one can.
    std::string why_not;
};

/// Fewest pairs that stand for a switch: one pair alone cannot be told from its ports.
inline constexpr std::uint32_t min_pairs_of_switch = 2;
/// Most pairs that stand for a switch. More pairs would find higher limits.
inline constexpr std::uint32_t max_pairs_of_switch = 16;

/// Finds the kinds of switches above the nodes of an allocation, from the leaves to the root, then
/// in the order of the file. The switch with the most pairs is measured, the first of equals.
///
/// Errors: not_found when a node of the allocation is not in the cluster; invalid_input when the
/// allocation names a node twice.
/// Cost: O((nodes of the allocation + switches) * depth of the tree), and O(cluster) for its kinds.
[[nodiscard]] Result<std::vector<SwitchKind>> find_switch_kinds(const Cluster& cluster,
                                                                const Allocation& allocation);

}  // namespace commmap
