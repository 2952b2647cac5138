// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/construction/multisection_mapper.hpp"

#include <utility>

#include "commmap/map_ranks.hpp"
#include "core/base/cost_order.hpp"
#include "core/estimate/hop_bytes.hpp"
#include "core/estimate/port_cost.hpp"
#include "core/estimate/process_time.hpp"
#include "core/mapping/construction/linear.hpp"
#include "core/mapping/construction/machine_of_hct.hpp"
#include "core/mapping/problem/candidate_pus.hpp"
#include "core/mapping/problem/rank0.hpp"

namespace commmap {

namespace {

/// Returns the mapping engine's placement, which ignores the problem's node for rank 0.
Result<Mapping> multisection_placement(const MappingProblem& problem, const MapperOptions& options,
                                       Objective objective) {
    if (problem.graph.num_ranks() == 0) return Mapping{};
    const std::vector<PuId> candidate_pus = used_pus(problem);
    const auto job = engine_problem(*ports_of(problem), problem.hct, candidate_pus, objective);
    if (!job) return job.error();
    MapSettings settings;
    settings.objective = objective;
    settings.seed = options.seed;
    settings.deadline = options.deadline;
    settings.threads = options.threads;
    auto found = map_ranks(job.value().graph, job.value().machine, settings);
    if (!found) return found.error();
    return Mapping{std::move(found.value().pu_of_rank), {}, {}, found.value().cut_short};
}

Result<double> estimated(const MappingProblem& problem, Objective objective, Placement placement) {
    if (objective == Objective::process_time)
        return process_time(problem.graph, problem.hct, placement);
    if (objective == Objective::hop_bytes) return hop_bytes(problem.graph, problem.hct, placement);
    const auto cost = port_cost(problem.graph, problem.hct, placement);
    if (!cost) return cost.error();
    return cost.value().cost_s;
}

}  // namespace

Result<Mapping> map_multisection(const MappingProblem& problem, const MapperOptions& options) {
    if (const Status ok = check_problem(problem); !ok) return ok.error();
    auto mapping = multisection_placement(problem, options, Objective::port_cost);
    if (mapping) put_rank0(problem, mapping.value().pu_of_rank);
    return mapping;
}

Result<Mapping> map_multisection_for(const MappingProblem& problem, const MapperOptions& options,
                                     Objective objective) {
    if (const Status ok = check_problem(problem); !ok) return ok.error();
    auto mapping = multisection_placement(problem, options, objective);
    if (!mapping) return mapping;
    std::vector<PuId> by_one_swap = mapping.value().pu_of_rank;
    put_rank0_by_one_swap(problem, by_one_swap);
    put_rank0(problem, mapping.value().pu_of_rank);  // the change with the lowest port cost
    std::vector<PuId>& best = mapping.value().pu_of_rank;
    auto lowest = estimated(problem, objective, best);
    if (!lowest) return lowest.error();
    for (std::vector<PuId> other : {std::move(by_one_swap), linear_placement(problem)}) {
        const auto figure = estimated(problem, objective, other);
        if (!figure) return figure.error();
        if (!clearly_cheaper(figure.value(), lowest.value())) continue;
        best = std::move(other);
        lowest = figure;
    }
    return mapping;
}

}  // namespace commmap
