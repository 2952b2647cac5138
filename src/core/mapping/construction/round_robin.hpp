#pragma once

#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// One rank to each node in turn, in the job's node order, until all are placed; nodes that are
/// full are passed over. When rank 0 must be on another node, it changes places with the lowest
/// rank there, or moves to its first candidate PU. Cost: O(candidate PUs). Errors: as
/// check_problem().
[[nodiscard]] Result<Mapping> map_round_robin(const MappingProblem& problem,
                                              const MapperOptions& options);

}  // namespace commmap
