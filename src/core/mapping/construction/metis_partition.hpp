#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commmap/result.hpp"
#include "commmap/weighted_graph.hpp"

namespace commmap {

/// Splits a graph with METIS into parts of about the given sizes so that the weight of cut edges is
/// small.
///
/// @param part_sizes  vertices wanted in each part, all > 0; their sum is the number of vertices
/// @return  part of each vertex; sizes are METIS's, a few vertices off: repair them. Same input,
/// same result. Errors: library (METIS says no), out_of_range (too large for METIS's 32-bit
/// integers). Cost: O(edges * log parts). One call at a time in the process: METIS 5.1 reseeds
/// rand() and swaps signal handlers while it runs, so a mutex is held and this must not run inside
/// a user's process. Source: Karypis, Kumar, "A fast and high quality multilevel scheme for
/// partitioning irregular graphs", SIAM J. Sci. Comput. 20(1), 1999.
[[nodiscard]] Result<std::vector<std::uint32_t>> metis_partition(
    const WeightedGraph& graph, std::span<const std::uint32_t> part_sizes, std::uint64_t seed);

/// The same by recursive bisection, whatever the number of parts, of vertices that weigh.
///
/// @param vertex_weights  of each vertex, > 0
/// @param part_weights    wanted in each part, all > 0, as shares of their sum
/// @return  part of each vertex; a part's weight is about its share, and a part may stay empty
/// Errors and cost: as metis_partition().
[[nodiscard]] Result<std::vector<std::uint32_t>> metis_bisections(
    const WeightedGraph& graph, std::span<const std::uint32_t> vertex_weights,
    std::span<const std::uint32_t> part_weights, std::uint64_t seed);

/// Weights in METIS's integers: unchanged when all of them together are at most 2^30, else scaled
/// down in proportion; a weight above 0 stays above 0. Errors: out_of_range when there are more
/// than 2^30 weights.
[[nodiscard]] Result<std::vector<std::int32_t>> scale_weights(
    std::span<const std::uint64_t> weights);

}  // namespace commmap
