#pragma once

#include <vector>

#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// True when `rank` may be on `pu`: any rank but 0 anywhere, rank 0 only on its node where one is
/// asked for.
[[nodiscard]] inline bool may_be_on(const MappingProblem& problem, RankId rank, PuId pu) {
    return rank != 0 || problem.rank0_node == no_id ||
           problem.hct.pu(pu).node == problem.rank0_node;
}

/// Brings rank 0 to its node with one swap: with the lowest rank there, or to the node's first
/// candidate PU when it has none. Nothing happens when rank 0 is there already. Cost: O(ranks +
/// candidate PUs).
void put_rank0_by_one_swap(const MappingProblem& problem, std::vector<PuId>& pu_of_rank);

/// The same, choosing what costs least: a swap of rank 0 with one of the ranks on that node (or a
/// move to one of its free PUs), or an exchange of everything on rank 0's subtree with everything
/// on the wanted node's, for each level at which the two have the same candidate PUs in use. The
/// exchange keeps all groups together and is free in a uniform tree. Cost: O((PUs of the node +
/// depth) * evaluation of a placement change).
void put_rank0(const MappingProblem& problem, std::vector<PuId>& pu_of_rank);

}  // namespace commmap
