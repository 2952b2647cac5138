// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/mapping/construction/metis_partition.hpp"
#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Places ranks by partitioning the communication graph with METIS, level by level. The ranks are
/// first divided among the children of the root. Then each part is divided among the children of
/// its element, and so on down to the PUs. The method is TMMGP with the changes below.
///
/// Errors: as check_problem(). When METIS fails, the result is greedy's placement, with the note
/// "METIS failed (...): the placement of the mapper greedy is used". A plan takes linear's
/// placement instead when that costs less (MapperInfo::or_linear_in_plans).
/// Cost: O(levels * E log k) for E edges and k parts.
/// Source: Khoroshevsky, Kurnosov, "Mapping Parallel Programs into Hierarchical Distributed
/// Computer Systems", ICSOFT 2009, Sec. 4.2 (TMMGP). map_tmmgp() is the algorithm as published.
/// Differs from the paper:
/// - The paper partitions once, into the elements of the lowest level. Here the graph is divided
///   level by level, which gives the upper, slower levels the first choice.
/// - In the paper an edge between subsets i and j weighs d_uv / b_g(L,i,j). Here each edge weighs
///   its bytes, because the children of one element are alike.
/// - In the paper a part has at most as many ranks as its child has PUs. Here it has exactly as
///   many as its child has PUs in use. METIS gets these sizes as targets; surplus vertices are then
///   moved where they cost least (PartRefinement::fill_exactly()).
/// - The paper lowers F (5). METIS lowers the sum of the cut. Of up to `attempts` seeds, the
///   partition with the smallest F is kept, with W = 1.
/// - Rank 0's node: put_rank0(), which uses the port cost, runs at the end.
/// As in the paper, children that are PUs take their ranks in rank order.
[[nodiscard]] Result<Mapping> map_metis(const MappingProblem& problem,
                                        const MapperOptions& options);

/// Computes the placement alone, without the constraint on rank 0.
/// @pre check_problem() holds
/// Errors: as metis_partition(); timed_out when the deadline passed before the last partition.
[[nodiscard]] Result<std::vector<PuId>> metis_placement(const MappingProblem& problem,
                                                        std::uint64_t seed,
                                                        const Deadline& deadline = {});

}  // namespace commmap
