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

/// The cost of a partition: refine_subsets() lowers these numbers lexicographically.
struct SubsetCost {
    /// Processes above the capacities, plus empty subsets: 0 if (8) and (9) hold.
    std::uint64_t broken = 0;
    double f_s = 0.0;    ///< F (5): the largest sum of c over the outer edges of one subset
    double sum_s = 0.0;  ///< these sums of all subsets together
};

/// Returns the cost of a partition.
/// @param subset_of  by vertex, < k
/// Cost: O(edges + k).
[[nodiscard]] SubsetCost subset_cost(const SubsetProblem& problem,
                                     std::span<const std::uint32_t> subset_of);

/// Lowers the cost of a partition by passes of Fiduccia and Mattheyses (RefinePartition of the
/// TMMGP). A step moves the vertex with the highest gain (ties: the lowest vertex, then subset). A
/// pass moves each vertex once at most, and then returns to the best partition on its way. Passes
/// end when a pass finds no better partition, or after 32 passes.
///
/// The gain of a move is the decrease of the sum of c(u, v, i, j) = d_uv W(i, j):
/// - Moves that gain and keep the capacities come first.
/// - If there is no such move, a move may fill a subset beyond its capacity. The next move then
///   leaves such a subset for a subset with room.
/// - No move empties a subset, and while a subset is empty, moves go there.
/// - A pass ends 64 steps after the best partition.
///
/// @param subset_of  changed; never to a higher cost. With vertices of one process each, and at
///                   least k of them that fit, (8) and (9) hold afterwards.
/// Cost: O(steps * vertices * k). Memory: 8 bytes * vertices * k. Deterministic.
/// Source: Fiduccia, Mattheyses, "A linear-time heuristic for improving network partitions", DAC
/// 1982, as Khoroshevsky, Kurnosov, ICSOFT 2009, Sec. 4.2, use it.
/// Differs from the paper: k subsets instead of two, and a table of gains instead of buckets,
/// because c is not a whole number.
void refine_subsets(const SubsetProblem& problem, std::span<std::uint32_t> subset_of);

}  // namespace commmap
