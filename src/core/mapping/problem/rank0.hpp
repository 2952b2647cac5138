// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Tells whether `rank` may be on `pu`. Only rank 0 is restricted, and only when the problem names
/// a node for it.
[[nodiscard]] inline bool may_be_on(const MappingProblem& problem, RankId rank, PuId pu) {
    return rank != 0 || problem.rank0_node == no_id ||
           problem.hct.pu(pu).node == problem.rank0_node;
}

/// Brings rank 0 to its node with one swap: it changes places with the lowest rank there. When that
/// node has no rank, rank 0 moves to the node's first candidate PU. When rank 0 is there already,
/// nothing changes.
/// Cost: O(ranks + candidate PUs).
void put_rank0_by_one_swap(const MappingProblem& problem, std::vector<PuId>& pu_of_rank);

/// Brings rank 0 to its node by the cheapest of these changes, judged by the port cost:
/// - rank 0 swaps with a rank on that node, or moves to a free candidate PU there;
/// - all ranks on the subtree that holds rank 0 change places with all ranks on the subtree that
///   holds the wanted node. It is tried for each level at which the same candidate PUs are in use
///   in both subtrees. The exchange keeps groups of ranks together, and costs nothing in a uniform
///   tree.
/// Cost: O((PUs of the node + depth) * evaluation of a placement change).
void put_rank0(const MappingProblem& problem, std::vector<PuId>& pu_of_rank);

}  // namespace commmap
