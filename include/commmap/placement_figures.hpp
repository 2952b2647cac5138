// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commmap/export.hpp"
#include "commmap/machine_tree.hpp"
#include "commmap/weighted_graph.hpp"

namespace commmap {

/// The link of a MachineTree that joins a group to its parent.
struct TreeLink {
    std::size_t depth = 0;  ///< level of the group; at least 1
    GroupId group = 0;
    double load_bytes = 0.0;  ///< weight of the edges with exactly one end below the link
    double cost = 0.0;        ///< load_bytes times the cost of one byte on this link
};

/// What a placement costs on a MachineTree, by three measures. Lower is better.
///
/// A byte costs (D - d) / 2 on the link above a group. Here d is the level's distance of the group,
/// and D that of its parent. On the link of a PU a byte costs half the distance inside a bin. So
/// the cost of a byte on its way between two PUs is their distance, and hop_bytes is the sum of the
/// costs of all links.
struct PlacementFigures {
    double hop_bytes = 0.0;  ///< sum over all edges of weight times distance
    double port_cost = 0.0;  ///< cost of the most loaded link
    /// largest sum, over the edges of one rank, of weight times distance
    double process_time = 0.0;
};

/// Which of the PlacementFigures a search lowers. Of two placements with the same value the one
/// with the lower hop-bytes is better.
enum class Objective : unsigned char { hop_bytes, port_cost, process_time };

/// Works out what a placement costs.
///
/// @param bin_of_rank  length graph.num_vertices(), each < machine.num_bins(); two ranks of one bin
///                     are on different PUs
/// Sums are doubles, exact up to 2^53.
/// Cost: O(edges + ranks * levels + groups). Memory: 8 bytes a group, twice that where groups are
/// fewer than ranks and entries of the graph.
/// Source of hop_bytes: Schulz, Traeff, "Better Process Mapping and Sparse Quadratic Assignment",
/// SEA 2017, arXiv:1702.04164.
/// Source of port_cost: Sweeney, Wisniewski, Cascaval, Smith, "Optimizing Communication in MPI
/// Programs for an Execution Environment", IBM Research Report, Sec. 5. Differs from it: no
/// latencies.
/// Source of process_time: Khoroshevsky, Kurnosov, "Mapping Parallel Programs into Hierarchical
/// Distributed Computer Systems", ICSOFT 2009, Eq. (1). Differs from it: the distance takes the
/// place of the time of a byte.
[[nodiscard]] COMMMAP_EXPORT PlacementFigures figures_of(const WeightedGraph& graph,
                                                         const MachineTree& machine,
                                                         std::span<const GroupId> bin_of_rank);
/// Returns the `count` links with the highest costs, highest first. Links of PUs are left out,
/// because no placement changes their load.
/// Cost: O(edges + ranks * levels + groups), and O(log count) for each link that enters the list.
[[nodiscard]] COMMMAP_EXPORT std::vector<TreeLink> most_loaded_links(
    const WeightedGraph& graph, const MachineTree& machine, std::span<const GroupId> bin_of_rank,
    std::size_t count);

}  // namespace commmap
