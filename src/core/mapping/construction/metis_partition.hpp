// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commmap/result.hpp"
#include "commmap/weighted_graph.hpp"

namespace commmap {

/// Splits a graph with METIS into parts of about the given sizes, so that the cut edges weigh
/// little.
///
/// @param part_sizes  number of vertices wanted in each part, all > 0; they add up to the number of
///                    vertices
/// @return            the part of each vertex; METIS may miss a size by a few vertices
/// Same input, same result.
/// Errors: library when METIS fails; out_of_range for a graph that is too large for METIS's 32-bit
/// integers.
/// Cost: O(edges * log parts).
/// Not for a user's process: METIS 5.1 reseeds rand() and swaps signal handlers while it runs. So
/// a mutex lets one call at a time run in a process.
/// Source: Karypis, Kumar, "A fast and high quality multilevel scheme for partitioning irregular
/// graphs", SIAM J. Sci. Comput. 20(1), 1999.
[[nodiscard]] Result<std::vector<std::uint32_t>> metis_partition(
    const WeightedGraph& graph, std::span<const std::uint32_t> part_sizes, std::uint64_t seed);

/// Splits a graph of weighted vertices with METIS by recursive bisection, for any number of parts.
///
/// @param vertex_weights  of each vertex, > 0
/// @param part_weights    share of each part in the sum of the vertex weights, all > 0; only their
///                        ratios count
/// @return                the part of each vertex; a part weighs about its share, and may be empty
/// Errors and cost: as metis_partition().
[[nodiscard]] Result<std::vector<std::uint32_t>> metis_bisections(
    const WeightedGraph& graph, std::span<const std::uint32_t> vertex_weights,
    std::span<const std::uint32_t> part_weights, std::uint64_t seed);

/// Converts weights to METIS's integers. Weights that add up to at most 2^30 stay as they are,
/// larger ones are scaled down in proportion. A weight above 0 stays above 0.
/// Errors: out_of_range for more than 2^30 weights.
[[nodiscard]] Result<std::vector<std::int32_t>> scale_weights(
    std::span<const std::uint64_t> weights);

}  // namespace commmap
