#pragma once

#include <span>

#include "core/mapping/mapper_table.hpp"
#include "core/mapping/metis_partition.hpp"

namespace commmap {

/// TMMGP: the communication graph is partitioned among the children of the root, each part among
/// the children of its element, and so on down to the PUs, with METIS.
///
/// Errors: as check_problem(). When METIS fails the placement is greedy's, with the note "METIS
/// failed (...): used greedy". A plan takes linear's placement instead where that costs less
/// (MapperInfo::or_linear_in_plans). Cost: O(levels * E log k). Source: Khoroshevsky, Kurnosov, "Mapping Parallel Programs into
/// Hierarchical Distributed Computer Systems", ICSOFT 2009, Sec. 4.2 (TMMGP). Differs from the
/// paper: it partitions once, into the elements of the lowest level, with edge weights d_uv /
/// b_g(L,i,j) that depend on the parts, which METIS cannot express; going down level by level gives
/// the upper, slower levels the first choice instead. Parts have exactly as many ranks as their
/// child has slots in use: METIS gets target sizes, and the few vertices that it puts too many are
/// moved where they cost least. Of up to `attempts` seeds the partition is kept whose most loaded
/// part has the smallest cut, the paper's F (5). Children that are PUs take their ranks in rank
/// order.
[[nodiscard]] Result<Mapping> map_multilevel(const MappingProblem& problem,
                                             const MapperOptions& options);

/// The placement alone, on a problem that has been checked: no constraint on rank 0.
/// Errors: METIS's; timed_out when the deadline passed before the last partition.
[[nodiscard]] Result<std::vector<PuId>> multilevel_placement(const MappingProblem& problem,
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
