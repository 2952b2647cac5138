// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mapping/published/task_graph.hpp"

namespace commmap {

/// Khoroshevsky's k-way partitioning problem (5) - (9).
struct SubsetProblem {
    const TaskGraph& graph;
    /// W(i, j): seconds that a byte takes between subsets i and j. k * k, row by row, symmetric, 0
    /// on the diagonal.
    std::span<const double> seconds_per_byte;
    std::span<const std::uint32_t> capacity;  ///< s: processes that each of the k subsets may have
};

/// What is to be low, in this order.
struct SubsetCost {
    /// Processes above the capacities, and subsets without any: 0 where (8) and (9) hold.
    std::uint64_t broken = 0;
    double f_s = 0.0;    ///< F (5): of the subset with the largest sum of c over its outer edges
    double sum_s = 0.0;  ///< of all subsets' sums
};

/// @param subset_of  of each vertex, < k
/// Cost: O(edges + k).
[[nodiscard]] SubsetCost subset_cost(const SubsetProblem& problem,
                                     std::span<const std::uint32_t> subset_of);

/// RefinePartition of the TMMGP: passes of Fiduccia and Mattheyses. A pass moves each vertex once
/// at most: at each step the one with the highest gain (ties: the lowest vertex, then subset). It
/// then goes back to the best partition on its way. Passes end with the one that finds none, after
/// 32 at the latest.
///
/// The gain is what the sum of c(u, v, i, j) = d_uv W(i, j) loses. Moves that gain and keep the
/// capacities come first. Where there is none, a move may fill a subset beyond its capacity; the
/// next one then leaves such a subset for one with room. No move empties a subset, and while there
/// is an empty one, moves go there. A pass ends 64 steps after the best partition.
///
/// @param subset_of  changed; never to a higher cost. With vertices of one process each, and at
///                   least k of them that fit, (8) and (9) hold afterwards.
/// Cost: O(steps * vertices * k). Memory: 8 bytes * vertices * k. Deterministic.
/// Source: Fiduccia, Mattheyses, "A linear-time heuristic for improving network partitions", DAC
/// 1982, as Khoroshevsky, Kurnosov, ICSOFT 2009, Sec. 4.2, use it. Differs from the paper: k
/// subsets instead of two, and a table of gains instead of buckets, for c is no whole number.
void refine_subsets(const SubsetProblem& problem, std::span<std::uint32_t> subset_of);

}  // namespace commmap
