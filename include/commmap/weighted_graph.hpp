// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commmap/export.hpp"
#include "commmap/ids.hpp"
#include "commmap/result.hpp"

namespace commmap {

/// An undirected graph in CSR form (compressed sparse rows): a communication graph whose vertices
/// are ranks. Each edge stands in the rows of both its ends, with the same weight.
/// Row v is neighbours[first[v]] to neighbours[first[v + 1] - 1], with `weights` at the same
/// indices.
struct WeightedGraph {
    std::vector<std::size_t> first{0};  ///< where each row begins; length num_vertices() + 1
    std::vector<std::uint32_t> neighbours;
    std::vector<std::uint64_t> weights;
    [[nodiscard]] std::size_t num_vertices() const { return first.size() - 1; }
};

/// What two ranks send each other. It does not matter which of the two is `a`.
struct WeightedEdge {
    RankId a = 0;
    RankId b = 0;
    /// a whole number, both directions together, in bytes or any other unit; a double is exact up
    /// to 2^53
    double weight = 0.0;
};

/// Makes a graph from a list of edges in any order.
///
/// @param num_ranks  number of vertices, ranks without an edge included; below 2^32 - 1
/// @param edges      several edges of the same two ranks are added up; an edge of a rank with
///                   itself is left out
/// @return           num_ranks vertices; each row is sorted by neighbour; an edge of weight 0 is
///                   kept
/// Errors: "edge 7: ..." names the first edge that is wrong by its index.
/// - invalid_input for a weight that is negative, not finite or not whole;
/// - out_of_range for a rank that is not below num_ranks, for weights that add up to 2^63 or more,
///   and for too large a num_ranks.
/// Thread-safe.
/// Cost: O(ranks + edges). Memory: twice that of the graph, which has 24 bytes an edge.
[[nodiscard]] COMMMAP_EXPORT Result<WeightedGraph> graph_of_edges(
    std::size_t num_ranks, std::span<const WeightedEdge> edges);

/// Turns every edge round, and sorts the rows. A graph that has each edge at both ends stays the
/// same but for the order of its rows. Lists that lack the other end of an edge are allowed.
/// Cost: O(vertices + edges).
[[nodiscard]] COMMMAP_EXPORT WeightedGraph transposed(const WeightedGraph& graph);

}  // namespace commmap
