// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Puts rank i on candidate PU i, as launchers do by default. When rank 0 must be on another node,
/// it changes places with the lowest rank on that node.
/// Cost: O(ranks).
/// Errors: as check_problem().
[[nodiscard]] Result<Mapping> map_linear(const MappingProblem& problem,
                                         const MapperOptions& options);

/// Returns the linear placement, without checks.
/// @pre check_problem() holds
[[nodiscard]] std::vector<PuId> linear_placement(const MappingProblem& problem);

/// Replaces `mapping` by the linear placement when the linear placement has the lower port cost,
/// and sets mapping.linear_instead. So a plan or a search never goes on with a placement that is
/// worse than what the launcher would have done. Plans and searches call it; other mappers do not,
/// so that `--mapper` shows their own placement.
/// Sets mapping.port_cost in any case.
/// Cost: two port_cost().
void fall_back_to_linear(const MappingProblem& problem, Mapping& mapping);

}  // namespace commmap
