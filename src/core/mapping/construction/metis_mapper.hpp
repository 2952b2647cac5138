#pragma once

#include <span>

#include "core/mapping/construction/metis_partition.hpp"
#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// TMMGP: the communication graph is partitioned among the children of the root, each part among
/// the children of its element, and so on down to the PUs, with METIS.
///
/// Errors: as check_problem(). When METIS fails the placement is greedy's, with the note "METIS
/// failed (...): used greedy". A plan takes linear's placement instead where that costs less
/// (MapperInfo::or_linear_in_plans). Cost: O(levels * E log k).
/// Source: Khoroshevsky, Kurnosov, "Mapping Parallel Programs into Hierarchical Distributed
/// Computer Systems", ICSOFT 2009, Sec. 4.2 (TMMGP). map_tmmgp() is the algorithm as published.
/// Differs from it:
/// - It partitions once, into the elements of the lowest level. Here the graph is divided level
///   by level, which gives the upper, slower levels the first choice.
/// - There an edge between subsets i and j weighs d_uv / b_g(L,i,j). Here all edges weigh their
///   bytes: the children of one element are alike.
/// - Parts have exactly as many ranks as their child has candidate PUs in use; there at most as
///   many. METIS gets target sizes, and the few vertices that it puts too many are moved where they
///   cost least.
/// - F (5) is to be low there. METIS lowers the sum of the cut; of up to `attempts` seeds the
///   partition with the smallest F is kept, W being 1.
/// - Children that are PUs take their ranks in rank order, as there.
/// - Rank 0's node: put_rank0() at the end, which asks the port cost.
[[nodiscard]] Result<Mapping> map_metis(const MappingProblem& problem,
                                        const MapperOptions& options);

/// The placement alone, on a problem that has been checked: no constraint on rank 0.
/// Errors: METIS's; timed_out when the deadline passed before the last partition.
[[nodiscard]] Result<std::vector<PuId>> metis_placement(const MappingProblem& problem,
                                                        std::uint64_t seed,
                                                        const Deadline& deadline = {});

/// Moves vertices out of parts that are too large into parts that are too small, at each step the
/// vertex and part that add the least cut weight (ties: the lowest vertex, then part), until all
/// sizes are exact.
/// @pre the sizes add up to the number of vertices; every entry of part is < part_sizes.size()
/// Cost: O(moves * (vertices * parts + edges)).
void repair_sizes(const WeightedGraph& graph, std::span<const std::uint32_t> part_sizes,
                  std::span<std::uint32_t> part);

}  // namespace commmap
