#pragma once

#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Simulated annealing on the port cost: several coolings, each from the best placement known, then
/// a descent. It is there to say how good the others are ("the best placement known"), not to be
/// run before a job.
///
/// Energy = max port cost + a twentieth of the sum of squares, each relative to the start's; the
/// best placement is chosen by refine()'s lexicographic objective and judged by port_cost(): never
/// worse than linear. Errors: as check_problem(). Cost: default_anneal_evaluations() evaluations,
/// see PortCostState. Deterministic by seed. Source: Kirkpatrick, Gelatt, Vecchi, "Optimization by
/// Simulated Annealing", Science 220, 1983. Differs from the paper: geometric cooling over a fixed
/// number of evaluations.
[[nodiscard]] Result<Mapping> map_anneal(const MappingProblem& problem,
                                         const MapperOptions& options);

/// Evaluations when MapperOptions::max_evaluations is 0.
[[nodiscard]] std::uint64_t default_anneal_evaluations(std::size_t num_ranks);

}  // namespace commmap
