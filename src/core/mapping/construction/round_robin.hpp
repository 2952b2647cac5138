// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Deals the ranks out to the nodes, one rank to each node in turn, in the job's node order. Full
/// nodes are passed over. When rank 0 must be on another node, it changes places with the lowest
/// rank there. When that node has no rank, rank 0 moves to its first candidate PU.
/// Cost: O(candidate PUs).
/// Errors: as check_problem().
[[nodiscard]] Result<Mapping> map_round_robin(const MappingProblem& problem,
                                              const MapperOptions& options);

}  // namespace commmap
