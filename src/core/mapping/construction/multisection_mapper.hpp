// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/mapping/problem/mapping_problem.hpp"
#include "core/tree_mapping/objective.hpp"

namespace commmap {

/// Places the ranks of a job with the mapping engine (map_ranks.hpp) so that the port cost is low,
/// and then brings rank 0 to its node.
/// Errors: as check_problem() and engine_problem().
/// Cost: see docs/developer/mapping-engine.md.
/// Deterministic by seed, unless the deadline cuts the search short.
[[nodiscard]] Result<Mapping> map_multisection(const MappingProblem& problem,
                                               const MapperOptions& options);

/// Does the same for any objective. The exact estimator of that objective then judges the result:
/// port_cost(), process_time() or hop_bytes(). When the ranks in order are no worse by that
/// estimator, they are returned. That happens because the engine sees a simpler tree, in which all
/// links of a level are alike.
/// Errors and cost: as above, plus three estimates.
[[nodiscard]] Result<Mapping> map_multisection_for(const MappingProblem& problem,
                                                   const MapperOptions& options,
                                                   Objective objective);

}  // namespace commmap
