#pragma once

#include "core/mapping/mapper_table.hpp"

namespace commmap {

/// Sweeney's greedy mapping in two passes. The first goes up the tree and groups the ranks, then
/// the groups, that exchange the most bytes ("exploit bandwidth"); the second goes down and gives
/// each element's groups to its children
/// ("exploit concurrency"). It looks at bytes only, never at the cost estimator.
///
/// Errors: as check_problem(). A plan takes linear's placement instead where that costs less
/// (MapperInfo::or_linear_in_plans). Cost: O(levels * R log R) for R communicating pairs, plus O(group size * neighbours) a
/// group. Source: Sweeney, Wisniewski, Cascaval, Smith, "Optimizing Communication in MPI Programs
/// for an Execution Environment", IBM Research Report, Sec. 4, Fig. 3. What the paper leaves open,
/// and what is done here:
/// - All combinations of as many clusters as an element has children are sorted by bytes in the
/// figure. Here a group
///   grows: it starts with the heaviest pair of clusters that are both free and takes, until it is
///   full, the free cluster that exchanges the most with it (ties: the older cluster). For groups
///   of two that is the figure exactly.
/// - Uneven arity: elements are told apart by shape (which shapes their children with slots have),
/// a group is made for
///   a shape and takes as many clusters of each child shape as it asks for. When a pair fits into
///   more than one shape, the larger one is begun. Levels with one child that has slots are passed
///   over.
/// - Sets that span clusters cannot arise: groups are filled exactly. A group that no free cluster
/// talks to waits until
///   all pairs have been looked at and is then filled with the oldest clusters that are left.
/// - "first" in the second pass: clusters go to the children of their shape in the order in which
/// they were made, so
///   the heaviest goes to the first.
/// - Fewer ranks than PUs: the tree is that of used_slots().
/// - Rank 0's node: put_rank0() after the second pass.
[[nodiscard]] Result<Mapping> map_greedy(const MappingProblem& problem,
                                         const MapperOptions& options);

/// The two passes alone, on a problem that has been checked: no constraint on rank 0.
[[nodiscard]] std::vector<PuId> greedy_placement(const MappingProblem& problem);

}  // namespace commmap
