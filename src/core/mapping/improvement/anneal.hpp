// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Searches for a placement with a low port cost by simulated annealing: several coolings, each
/// from the best placement known, then a descent. It is a yardstick for the other mappers ("the
/// best placement known"), too slow to run before a job.
///
/// Energy = max port cost + a twentieth of the sum of squares, each relative to its value at the
/// start. The best placement is chosen by refine()'s lexicographic objective, and then judged by
/// port_cost(): never worse than linear.
/// Errors: as check_problem().
/// Cost: default_anneal_evaluations() evaluations, see PortCostState.
/// Deterministic by seed.
/// Source: Kirkpatrick, Gelatt, Vecchi, "Optimization by Simulated Annealing", Science 220, 1983.
/// Differs from the paper: geometric cooling over a fixed number of evaluations.
[[nodiscard]] Result<Mapping> map_anneal(const MappingProblem& problem,
                                         const MapperOptions& options);

/// Returns the number of evaluations when MapperOptions::max_evaluations is 0.
[[nodiscard]] std::uint64_t default_anneal_evaluations(std::size_t num_ranks);

}  // namespace commmap
