#pragma once

#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Rank i on candidate PU i: what launchers do by default. When rank 0 must be on another node than
/// candidate PU 0's, it changes places with the lowest rank there. Cost: O(ranks). Errors: as
/// check_problem().
[[nodiscard]] Result<Mapping> map_linear(const MappingProblem& problem,
                                         const MapperOptions& options);

/// The linear placement of a problem that has been checked.
[[nodiscard]] std::vector<PuId> linear_placement(const MappingProblem& problem);

/// Puts the linear placement in place of `mapping` when its port cost is lower, and says so in
/// mapping.linear_instead. What a plan or a search goes on with is then never worse than what the
/// launcher would have done. Of the mappers only searches call it: `--mapper` shows the placement
/// of the others. mapping.port_cost is set in any case. Cost: two port_cost().
void fall_back_to_linear(const MappingProblem& problem, Mapping& mapping);

}  // namespace commmap
