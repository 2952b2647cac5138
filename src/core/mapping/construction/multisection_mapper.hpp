#pragma once

#include "core/mapping/problem/mapping_problem.hpp"
#include "core/tree_mapping/objective.hpp"

namespace commmap {

/// The mapping engine's placement (map_ranks.hpp) of a job, for the port cost; rank 0 is brought
/// to its node afterwards. Errors: as check_problem() and engine_problem(). Cost:
/// docs/user/mapping.md. Deterministic by seed, but for the deadline.
[[nodiscard]] Result<Mapping> map_multisection(const MappingProblem& problem,
                                               const MapperOptions& options);

/// The same for any objective, which the estimator of that name judges: port_cost(),
/// process_time() or hop_bytes(). Ranks in order are returned where they have no more of it. They
/// can have less: the engine sees its own tree, in which unlike links of one level are alike.
/// Errors and cost: as above, and three estimates.
[[nodiscard]] Result<Mapping> map_multisection_for(const MappingProblem& problem,
                                                   const MapperOptions& options,
                                                   Objective objective);

}  // namespace commmap
