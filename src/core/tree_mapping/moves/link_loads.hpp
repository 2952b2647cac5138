// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "commmap/machine_tree.hpp"

namespace commmap {

/// Bytes on the link above each group, both ways, by depth and group; 0 at the root, which has no
/// link.
using LinkLoads = std::vector<std::vector<double>>;

[[nodiscard]] inline LinkLoads no_loads(const MachineTree& machine) {
    LinkLoads loads(machine.num_levels());
    for (std::size_t depth = 0; depth < loads.size(); ++depth)
        loads[depth].assign(machine.num_groups(depth), 0.0);
    return loads;
}

/// Bytes of one rank, by the depth of the lowest group that it shares with the peer.
using SharedBytes = std::array<double, MachineTree::max_levels>;

/// Returns the bytes of one rank by that depth.
/// @param graph        a WeightedGraph or a CsrGraph
/// @param bin_of_rank  of each of its vertices
/// Cost: O(neighbours + levels).
template <class Graph>
[[nodiscard]] SharedBytes shared_bytes(const Graph& graph, const MachineTree& machine,
                                       std::span<const GroupId> bin_of_rank, std::size_t rank) {
    SharedBytes shared{};
    const MachineTree::Path path = machine.path(bin_of_rank[rank]);
    for (std::size_t i = graph.first[rank]; i < graph.first[rank + 1]; ++i) {
        const MachineTree::Path peer = machine.path(bin_of_rank[graph.neighbours[i]]);
        shared[machine.common_depth(path, peer)] += static_cast<double>(graph.weights[i]);
    }
    return shared;
}

/// Adds a rank's bytes to the links above it: its own side of each edge. Cost: O(levels).
inline void add_loads(const MachineTree& machine, GroupId bin, const SharedBytes& shared,
                      LinkLoads& loads) {
    std::array<double, MachineTree::max_levels> outside{};  // of the rank's group at each depth
    std::partial_sum(shared.begin(), shared.end() - 1, outside.begin() + 1);
    GroupId group = bin;
    for (std::size_t depth = loads.size() - 1; depth > 0 && outside[depth] > 0.0; --depth) {
        loads[depth][group] += outside[depth];
        group = machine.level(depth).parent[group];
    }
}

/// Returns the loads of all links. Parameters as above. Cost: O(edges + ranks * levels + groups).
template <class Graph>
[[nodiscard]] LinkLoads link_loads(const Graph& graph, const MachineTree& machine,
                                   std::span<const GroupId> bin_of_rank) {
    LinkLoads loads = no_loads(machine);
    for (std::size_t v = 0; v < bin_of_rank.size(); ++v)
        add_loads(machine, bin_of_rank[v], shared_bytes(graph, machine, bin_of_rank, v), loads);
    return loads;
}

}  // namespace commmap
