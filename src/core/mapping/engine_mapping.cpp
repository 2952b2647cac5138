#include "core/mapping/engine_mapping.hpp"

#include <utility>

#include "core/mapping/machine_of_hct.hpp"
#include "core/mapping/mapper.hpp"
#include "core/mapping/rank0.hpp"
#include "core/mapping/slots.hpp"

namespace commmap {

Result<Mapping> map_engine(const MappingProblem& problem, const MapperOptions& options) {
    if (const Status ok = check_problem(problem); !ok) return ok.error();
    if (problem.graph.num_ranks() == 0) return Mapping{};
    const std::vector<PuId> slots = used_slots(problem);
    const auto job = engine_problem(*ports_of(problem), problem.hct, slots);
    if (!job) return job.error();
    MapSettings settings;
    settings.objective = Objective::port_cost;
    settings.seed = options.seed;
    settings.deadline = options.deadline;
    settings.threads = options.threads;
    auto found = map_ranks(job.value().graph, job.value().machine, settings);
    if (!found) return found.error();
    Mapping mapping{std::move(found.value().pu_of_rank), {}, {}, found.value().cut_short};
    put_rank0(problem, mapping.pu_of_rank);
    return mapping;
}

}  // namespace commmap
