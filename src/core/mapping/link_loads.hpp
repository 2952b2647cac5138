#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/mapping/machine_tree.hpp"

namespace commmap {

/// By depth and group, bytes on the link above the group, both ways; 0 at the root, which has none.
using LinkLoads = std::vector<std::vector<double>>;

/// @param graph  a WeightedGraph or a CsrGraph
/// @param bin_of_rank  of each of its vertices
/// Cost: O(edges * levels + groups).
template <class Graph>
[[nodiscard]] LinkLoads link_loads(const Graph& graph, const MachineTree& machine,
                                   std::span<const GroupId> bin_of_rank) {
    LinkLoads loads(machine.num_levels());
    for (std::size_t depth = 0; depth < loads.size(); ++depth)
        loads[depth].assign(machine.num_groups(depth), 0.0);
    for (std::size_t v = 0; v < bin_of_rank.size(); ++v) {
        for (std::size_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            // Each end adds to its own side.
            const auto weight = static_cast<double>(graph.weights[i]);
            GroupId group = bin_of_rank[v];
            GroupId other = bin_of_rank[graph.neighbours[i]];
            for (std::size_t depth = machine.num_levels() - 1; group != other; --depth) {
                loads[depth][group] += weight;
                group = machine.level(depth).parent[group];
                other = machine.level(depth).parent[other];
            }
        }
    }
    return loads;
}

}  // namespace commmap
