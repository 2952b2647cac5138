// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/topology/allocation.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// Finds where the nodes of an allocation are in the cluster's tree. Nodes are numbered in the
/// allocation's order; classes and switches are indices into the cluster.
class NodePlaces {
public:
    /// Errors: not_found when a node of the allocation is not in the cluster; invalid_input when
    /// the allocation names a node twice.
    /// Cost: O(switches + nodes of the allocation * depth of the tree).
    [[nodiscard]] static Result<NodePlaces> find(const Cluster& cluster,
                                                 const Allocation& allocation);

    /// Returns the nodes below a switch, through any number of switches, in the allocation's order.
    [[nodiscard]] const std::vector<NodeId>& below(std::uint32_t s) const { return below_[s]; }
    /// Returns the number of switches above a switch.
    [[nodiscard]] std::uint32_t depth(std::uint32_t s) const { return depth_[s]; }
    [[nodiscard]] std::uint32_t class_of(NodeId n) const { return class_of_[n]; }
    [[nodiscard]] std::uint32_t switch_of(NodeId n) const { return switch_of_[n]; }
    [[nodiscard]] std::size_t num_nodes() const { return class_of_.size(); }

    /// Takes some of the nodes, by turns from each switch that nodes hang on. Messages of nodes on
    /// one leaf switch would share its uplink before they reach the one that is measured.
    /// @pre nodes.size() >= count
    [[nodiscard]] std::vector<NodeId> spread(const std::vector<NodeId>& nodes,
                                             std::size_t count) const;

private:
    NodePlaces() = default;

    std::vector<std::vector<NodeId>> below_;
    std::vector<std::uint32_t> depth_;
    std::vector<std::uint32_t> class_of_;
    std::vector<std::uint32_t> switch_of_;
};

}  // namespace commmap
