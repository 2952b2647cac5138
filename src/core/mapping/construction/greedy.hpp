#pragma once

#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Sweeney's greedy mapping in two passes. The first goes up the tree and groups the ranks, then
/// the groups, that exchange the most bytes ("exploit bandwidth"). The second goes down and gives
/// each element's groups to its children ("exploit concurrency"). It groups by bytes alone, never
/// by the cost estimator.
///
/// Errors: as check_problem(). A plan takes linear's placement instead where that costs less
/// (MapperInfo::or_linear_in_plans). Cost: O(levels * R log R) for R communicating pairs, plus
/// O(group size * neighbours) a group.
/// Source: Sweeney, Wisniewski, Cascaval, Smith, "Optimizing Communication in MPI Programs for an
/// Execution Environment", IBM Research Report, Sec. 4, Fig. 3. map_sweeney() is the figure as
/// printed. Differs from it:
/// - The figure sorts all combinations of as many clusters as an element has children by their
///   bytes. Here a group grows from the heaviest pair of clusters that are both free. Until it is
///   full it takes the free cluster that exchanges the most with it (ties: the older cluster).
///   For groups of two that is the figure exactly. Three ranks that exchange 60 each lose to one
///   pair of 100 here, and win there.
/// - A group that no free cluster talks to waits until all pairs have been looked at. It is then
///   filled with the oldest clusters that are left.
/// - Rank 0's node: put_rank0() after the second pass, which asks the port cost.
/// What the figure leaves open, and what is done here:
/// - Uneven arity: elements are told apart by shape (which shapes their children with candidate PUs
///   have). A group is made for a shape and takes as many clusters of each child shape as it asks
///   for. When a pair fits into more than one shape, the larger one is begun. Levels with one
///   child that has candidate PUs are passed over.
/// - Sets that span clusters cannot arise: groups are filled exactly.
/// - "first" in the second pass: clusters go to the children of their shape in the order in which
///   they were made, so the heaviest goes to the first.
/// - Fewer ranks than PUs: the tree is that of used_pus().
[[nodiscard]] Result<Mapping> map_greedy(const MappingProblem& problem,
                                         const MapperOptions& options);

/// The two passes alone, on a problem that has been checked: no constraint on rank 0.
[[nodiscard]] std::vector<PuId> greedy_placement(const MappingProblem& problem);

}  // namespace commmap
