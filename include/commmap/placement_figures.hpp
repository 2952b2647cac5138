#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commmap/export.hpp"
#include "commmap/machine_tree.hpp"
#include "commmap/weighted_graph.hpp"

namespace commmap {

/// A link of a MachineTree, from a group to the one above it.
struct TreeLink {
    std::size_t depth = 0;  ///< of the group
    GroupId group = 0;
    double load_bytes = 0.0;  ///< what has one end below, both ways
    double cost = 0.0;        ///< load times the cost of a byte there
};

/// What a placement costs on a MachineTree.
///
/// A byte costs (D - d) / 2 on the link above a group, where PUs in the group are d apart at most,
/// and D in the group above; on a PU's link half of the distance inside a bin. So the distance of
/// two PUs is the cost of a byte on its way, and hop_bytes is the sum over all links.
struct PlacementFigures {
    double hop_bytes = 0.0;     ///< J: the sum of weight times distance over all edges
    double port_cost = 0.0;     ///< of the most loaded link: Sweeney's C without latencies
    double process_time = 0.0;  ///< of the rank that communicates the longest: Khoroshevsky's T(X)
};

/// What a placement is judged by: the figure of that name in PlacementFigures; where two have the
/// same, the lower hop-bytes.
enum class Objective : unsigned char { hop_bytes, port_cost, process_time };

/// @param bin_of_rank  length graph.num_vertices(), each < machine.num_bins(); two ranks of a bin
/// are on different PUs
/// Sums are doubles: exact up to 2^53. Cost: O(edges + ranks * levels + groups). Memory: 8 bytes a
/// group, where these are fewer than ranks and edges 16.
/// Source: hop-bytes as in hop_bytes.hpp; Sweeney et al. as in port_cost.hpp, Khoroshevsky,
/// Kurnosov, as in process_time.hpp, both with the distance as the time of a byte.
[[nodiscard]] COMMMAP_EXPORT PlacementFigures figures_of(const WeightedGraph& graph,
                                                         const MachineTree& machine,
                                                         std::span<const GroupId> bin_of_rank);
/// The `count` links that cost the most, the most first. Those of PUs are left out: no placement
/// changes their load. Cost: as link_loads(), and O(log count) for each that comes among them.
[[nodiscard]] COMMMAP_EXPORT std::vector<TreeLink> most_loaded_links(
    const WeightedGraph& graph, const MachineTree& machine, std::span<const GroupId> bin_of_rank,
    std::size_t count);

}  // namespace commmap
