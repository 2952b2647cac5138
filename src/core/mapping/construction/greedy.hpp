// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Places ranks by Sweeney's greedy algorithm in two passes. The first pass goes up the tree. It
/// groups the ranks, and then the groups, that exchange the most bytes ("exploit bandwidth"). The
/// second pass goes down and gives each element's groups to its children ("exploit concurrency").
/// Groups are made by bytes alone, never by the cost estimator.
///
/// Errors: as check_problem(). A plan takes linear's placement instead when that costs less
/// (MapperInfo::or_linear_in_plans).
/// Cost: O(levels * R log R) for R communicating pairs, plus O(group size * neighbours) a group.
/// Source: Sweeney, Wisniewski, Cascaval, Smith, "Optimizing Communication in MPI Programs for an
/// Execution Environment", IBM Research Report, Sec. 4, Fig. 3. map_sweeney() is the figure as
/// printed.
/// Differs from the figure:
/// - The figure sorts all sets of as many clusters as an element has children, by the bytes that
///   the clusters exchange. Here a group grows from the heaviest pair of free clusters. Until the
///   group is full, it takes the free cluster that exchanges the most bytes with it (ties: the
///   older cluster). For groups of two both ways give the same groups. For larger groups they may
///   differ: three ranks that exchange 60 with each other win in the figure, and lose here to one
///   pair with 100.
/// - A group that exchanges nothing with any free cluster waits until all pairs have been looked
///   at. The oldest remaining clusters then fill it.
/// - The figure has no rule for rank 0's node. Here put_rank0(), which uses the port cost, runs
///   after the second pass.
/// What the figure leaves open, and what is done here:
/// - Elements with different numbers of children: elements are told apart by shape, which is the
///   list of their children's shapes. A group is made for one shape, and takes as many clusters of
///   each child shape as that shape needs. When a pair fits more than one shape, the larger shape
///   is begun. An element with one child that has candidate PUs is passed over.
/// - Sets that span clusters cannot arise: groups are filled exactly.
/// - "first" in the second pass: clusters go to the children of their shape in the order in which
///   they were made. So the heaviest cluster goes to the first child.
/// - Fewer ranks than PUs: only the PUs of used_pus() count.
[[nodiscard]] Result<Mapping> map_greedy(const MappingProblem& problem,
                                         const MapperOptions& options);

/// Runs the two passes alone, without the constraint on rank 0.
/// @pre check_problem() holds
[[nodiscard]] std::vector<PuId> greedy_placement(const MappingProblem& problem);

}  // namespace commmap
