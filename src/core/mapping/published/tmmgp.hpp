// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// TMMGP as published: the task graph is partitioned once, into as many subsets as elements of the
/// lowest level are needed for all processes. An edge between subsets i and j costs
/// d_uv / b_g(L,i,j): the bytes over the bandwidth of the level at which the two elements meet. The
/// largest sum of such costs over one subset's outer edges, F (5), is to be low. Then the processes
/// of subset i take the PUs of element i in turn.
///
/// Phases (Fig. 2): heavy edge matching down to 10 k vertices, recursive bisection of the smallest
/// graph by METIS, and on the way back projection and refinement (Fiduccia, Mattheyses) in each
/// graph. Port cost is never asked: the placement can be dearer than ranks in order.
///
/// Errors: as check_problem(); METIS's; out_of_range where processes times subsets are more than
/// max_gains; timed_out when the deadline passed before the last refinement.
/// Cost: that of refine_subsets() in each graph, and O(k^2 * depth). Deterministic by seed.
/// Source: Khoroshevsky, Kurnosov, "Mapping Parallel Programs into Hierarchical Distributed
/// Computer Systems", ICSOFT 2009, Sec. 4.1 and 4.2, Fig. 2. What the paper leaves open, and what
/// is done here:
/// - METIS cannot weigh an edge by its subsets: the bisection minimises bytes. W(i, j) = 1 / b is
///   the refinement's.
/// - Refinement moves by the gain in the sum of all costs, and keeps the partition with the lowest
///   F on its way.
/// - The smallest graph's partition is refined too: jobs of up to 10 k processes have no other.
/// - Level L: the lowest elements with two PUs or more that may be used. Levels below with one PU
///   an element leave no choice.
/// - b has one value a level. Here it is the slowest port between the elements' first PUs, in
///   either direction. The bandwidth of a port is that at the mean length of all messages.
/// - Elements of different size: each subset has the capacity of its element, and METIS gets
///   these as target weights. Which elements: those of used_pus().
/// - A joined vertex has at most as many processes as the largest element has PUs.
/// - Rank 0's node: put_rank0_by_one_swap() at the end.
[[nodiscard]] Result<Mapping> map_tmmgp(const MappingProblem& problem,
                                        const MapperOptions& options);

/// Returns the placement alone, of a problem that has been checked: no constraint on rank 0.
/// Errors: as above.
[[nodiscard]] Result<std::vector<PuId>> tmmgp_placement(const MappingProblem& problem,
                                                        const MapperOptions& options);

/// Most entries of the refinement's table: 128 MiB.
inline constexpr std::size_t max_gains = std::size_t{1} << 24U;

}  // namespace commmap
