// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Sweeney's greedy algorithm as printed. Going up the tree, every set of as many clusters as an
/// element has children is sorted by the bytes that its clusters exchange. The heaviest set becomes
/// a cluster of the next level, then the heaviest of those without a cluster in it, and so on.
/// Going down, clusters go to elements in the order in which they were made.
///
/// It looks at bytes alone, never at a bandwidth or an estimator: Sec. 4 wants the mapper and the
/// cost estimator judged apart. Its placement can be dearer than ranks in order.
///
/// Errors: as check_problem(); out_of_range where a level has more than max_sets sets of one size,
/// or max_set_members clusters in all its sets. Deterministic; neither seed nor deadline is read.
/// Cost: O(sets * (log sets + neighbours of a set's clusters)) a level. Memory: 4 bytes for each
/// cluster in a set, 24 a set.
/// Source: Sweeney, Wisniewski, Cascaval, Smith, "Optimizing Communication in MPI Programs for an
/// Execution Environment", IBM Research Report, Sec. 4, Fig. 3.
/// What the figure leaves open, and what is done here:
/// - Order of sets with the same bytes: that of their clusters, compared one by one, the older
///   first.
/// - Levels whose elements have one child leave no choice and are passed over.
/// - Children of different number, where the figure has one number a level: sets of every size
///   that an element of the level has, all in one sorted list. Of equal bytes the larger comes
///   first. A set is taken when an element with such children is still without a cluster.
/// - Subtrees of different shape: a set fits an element when its clusters have the shapes of the
///   element's children. Going down, a child takes the first cluster of its shape.
/// - Communication sets that span clusters, which the figure ignores: there are none.
/// - Fewer ranks than PUs: the tree is that of used_pus().
/// - Rank 0's node: put_rank0_by_one_swap() at the end, which no estimator decides.
[[nodiscard]] Result<Mapping> map_sweeney(const MappingProblem& problem,
                                          const MapperOptions& options);

/// Runs the two passes alone, on a problem that has been checked: no constraint on rank 0.
/// Errors: out_of_range, as above.
[[nodiscard]] Result<std::vector<PuId>> sweeney_placement(const MappingProblem& problem);

inline constexpr std::size_t max_sets = 100'000;
/// Bounds memory where nearly all clusters of a level make one set.
inline constexpr std::size_t max_set_members = 100'000'000;

}  // namespace commmap
