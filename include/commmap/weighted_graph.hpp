#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commmap/export.hpp"
#include "commmap/ids.hpp"
#include "commmap/result.hpp"

namespace commmap {

/// An undirected graph in CSR form: each edge stands at both ends with the same weight.
struct WeightedGraph {
    std::vector<std::size_t> first{0};  ///< num_vertices() + 1
    std::vector<std::uint32_t> neighbours;
    std::vector<std::uint64_t> weights;
    [[nodiscard]] std::size_t num_vertices() const { return first.size() - 1; }
};

/// What two ranks send each other; which of them is `a` does not matter.
struct WeightedEdge {
    RankId a = 0;
    RankId b = 0;
    double weight = 0.0;  ///< both ways, whole, bytes or any unit; a double is exact to 2^53
};

/// The graph of an edge list, in any order.
///
/// @param num_ranks  also of those that no edge names; below 2^32 - 1
/// @param edges      several of the same two ranks add up; those of a rank with itself are left out
/// @return  num_ranks vertices, each row sorted by neighbour; an edge of weight 0 is one too
/// Errors, those of an edge with its index, "edge 7: ...": invalid_input when a weight is negative,
/// not finite or has a fraction; out_of_range when a rank is not below num_ranks, when the weights
/// add up to 2^63 or more, or num_ranks is too large. The first edge with an error is named.
/// Thread-safe. Cost: O(ranks + edges); memory of the graph twice, 24 bytes an edge each.
[[nodiscard]] COMMMAP_EXPORT Result<WeightedGraph> graph_of_edges(
    std::size_t num_ranks, std::span<const WeightedEdge> edges);

/// Every edge turned round. Rows come out sorted, so that of a graph in CSR form it is the same one
/// with sorted rows. Also of lists that lack an edge's other end. Cost: O(vertices + edges).
[[nodiscard]] COMMMAP_EXPORT WeightedGraph transposed(const WeightedGraph& graph);

}  // namespace commmap
