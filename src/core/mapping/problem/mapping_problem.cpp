// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/problem/mapping_problem.hpp"

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
        return Error{Errc::invalid_input, std::to_string(num_ranks) + " ranks do not fit on " +
                                              std::to_string(problem.candidate_pus.size()) +
                                              " PUs: ask for more nodes or fewer ranks"};
    }
    bool rank0_has_pu = problem.rank0_node == no_id || num_ranks == 0;
    for (std::size_t i = 0; i < problem.candidate_pus.size(); ++i) {
        const PuId pu = problem.candidate_pus[i];
        if (pu >= problem.hct.num_pus()) {
            return Error{Errc::invalid_input, "internal error: PU " + std::to_string(pu) +
                                                  " is not in the topology, which has " +
                                                  std::to_string(problem.hct.num_pus())};
        }
        if (i > 0 && pu <= problem.candidate_pus[i - 1]) {
            return Error{Errc::invalid_input,
                         "internal error: PU " + std::to_string(pu) +
                             " stands twice or out of order among the candidate PUs"};
        }
        if (problem.hct.pu(pu).node == problem.rank0_node) rank0_has_pu = true;
    }
    if (!rank0_has_pu) {
        return Error{Errc::invalid_input, "internal error: rank 0 must be on node " +
                                              std::to_string(problem.rank0_node) +
                                              ", which has no PU among the candidate PUs"};
    }
    return Ok{};
}

}  // namespace commmap
