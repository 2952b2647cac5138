// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/problem/mapping_problem.hpp"

#include <fmt/core.h>

namespace commmap {

std::shared_ptr<const PortTable> ports_of(const MappingProblem& problem) {
    if (problem.run) return problem.run->shared_whole();
    return std::make_shared<const PortTable>(problem.graph, problem.hct);
}

std::shared_ptr<const RunCost> run_of(const MappingProblem& problem) {
    return problem.run ? problem.run : std::make_shared<const RunCost>(ports_of(problem));
}

Status check_problem(const MappingProblem& problem) {
    const std::size_t num_ranks = problem.graph.num_ranks();
    if (problem.candidate_pus.size() < num_ranks) {
        return Error{Errc::invalid_input,
                     fmt::format("{} ranks do not fit on {} PUs: ask for more nodes or fewer ranks",
                                 num_ranks, problem.candidate_pus.size())};
    }
    bool rank0_has_pu = problem.rank0_node == no_id || num_ranks == 0;
    for (std::size_t i = 0; i < problem.candidate_pus.size(); ++i) {
        const PuId pu = problem.candidate_pus[i];
        if (pu >= problem.hct.num_pus()) {
            return Error{Errc::invalid_input,
                         fmt::format("internal error: PU {} is not in the topology, which has {}",
                                     pu, problem.hct.num_pus())};
        }
        if (i > 0 && pu <= problem.candidate_pus[i - 1]) {
            return Error{
                Errc::invalid_input,
                fmt::format(
                    "internal error: PU {} stands twice or out of order among the candidate PUs",
                    pu)};
        }
        if (problem.hct.pu(pu).node == problem.rank0_node) rank0_has_pu = true;
    }
    if (!rank0_has_pu) {
        return Error{Errc::invalid_input, fmt::format("internal error: rank 0 must be on node {}, "
                                                      "which has no PU among the candidate PUs",
                                                      problem.rank0_node)};
    }
    return Ok{};
}

}  // namespace commmap
