// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/construction/linear.hpp"

#include <cassert>

#include "core/base/cost_order.hpp"
#include "core/estimate/port_cost.hpp"
#include "core/mapping/problem/candidate_pus.hpp"
#include "core/mapping/problem/rank0.hpp"

namespace commmap {

std::vector<PuId> linear_placement(const MappingProblem& problem) {
    std::vector<PuId> placement = used_pus(problem);
    put_rank0_by_one_swap(problem, placement);
    return placement;
}

Result<Mapping> map_linear(const MappingProblem& problem, const MapperOptions& /*options*/) {
    if (const Status ok = check_problem(problem); !ok) return ok.error();
    return Mapping{linear_placement(problem), {}};
}

void fall_back_to_linear(const MappingProblem& problem, Mapping& mapping) {
    assert(check_placement(problem.graph, problem.hct, mapping.pu_of_rank).ok() &&
           "a mapper made a placement that does not fit its problem");
    const auto ports = ports_of(problem);
    std::vector<PuId> linear = linear_placement(problem);
    const PortCost known = problem.linear_cost ? *problem.linear_cost : port_cost(*ports, linear);
    mapping.port_cost = port_cost(*ports, mapping.pu_of_rank);
    if (!clearly_cheaper(known.cost_s, mapping.port_cost->cost_s)) return;
    mapping.pu_of_rank = std::move(linear);
    mapping.port_cost = known;
    mapping.linear_instead = true;
}

}  // namespace commmap
