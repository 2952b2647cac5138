// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graphs/graph.hpp"
#include "tree_spec.hpp"
#include "wide.hpp"

namespace commmap::bench {

/// What is wrong with a mapping, in one line; empty when each rank has a PU of its own that exists
/// and is available.
[[nodiscard]] std::string mapping_problem(std::uint32_t ranks,
                                          std::span<const std::uint64_t> pu_of_rank,
                                          const std::vector<bool>& available);

// The objectives below are for a mapping without problem, d(u, v) = tree.distance(pu(u), pu(v)).
// Each is its definition written down, apart from src/core/estimate, whose results it checks; all
// sums are exact. Lower is better.

/// J: sum of weight * d over the edges, each counted once. Cost: O(edges * height).
[[nodiscard]] Wide hop_bytes(const Graph& graph, const TreeSpec& tree,
                             std::span<const std::uint64_t> pu_of_rank);

/// Twice the port cost: the maximum over all links of load * (d[k+1] - d[k]), for the link that
/// goes up from something of height k (k = 0: a PU), whose load is the sum of the weights of the
/// edges with one end below it. Without the factor of two there are halves in it. Cost: O((edges +
/// PUs) * height); 16 bytes a PU.
[[nodiscard]] Wide port_cost_doubled(const Graph& graph, const TreeSpec& tree,
                                     std::span<const std::uint64_t> pu_of_rank);

/// T: maximum over the ranks of the sum of weight * d over the rank's edges. Cost: O(edges *
/// height). Source: Khoroshevsky's objective for mappings of parallel programs.
[[nodiscard]] Wide process_time(const Graph& graph, const TreeSpec& tree,
                                std::span<const std::uint64_t> pu_of_rank);

/// By height, from 1: groups with at least one rank.
[[nodiscard]] std::vector<std::uint64_t> used_groups(const TreeSpec& tree,
                                                     std::span<const std::uint64_t> pu_of_rank);

}  // namespace commmap::bench
