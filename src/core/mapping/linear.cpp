#include "core/mapping/linear.hpp"

#include <cassert>

#include "core/estimate/cost_order.hpp"
#include "core/estimate/port_cost.hpp"
#include "core/mapping/rank0.hpp"
#include "core/mapping/slots.hpp"

namespace commmap {

std::vector<PuId> linear_placement(const MappingProblem& problem) {
    std::vector<PuId> placement = used_slots(problem);
    put_rank0_by_one_swap(problem, placement);
    return placement;
}

Result<Mapping> map_linear(const MappingProblem& problem, const MapperOptions& /*options*/) {
    if (const Status ok = check_problem(problem); !ok) return ok.error();
    return Mapping{linear_placement(problem), {}};
}

void fall_back_to_linear(const MappingProblem& problem, Mapping& mapping) {
    std::vector<PuId> linear = linear_placement(problem);
    const auto found = port_cost(problem.graph, problem.hct, mapping.pu_of_rank);
    const auto known = port_cost(problem.graph, problem.hct, linear);
    assert(found && known && "a mapper made a placement that does not fit its problem");
    if (clearly_cheaper(known.value().cost_s, found.value().cost_s))
        mapping.pu_of_rank = std::move(linear);
}

}  // namespace commmap
