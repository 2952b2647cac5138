// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/construction/round_robin.hpp"

#include "core/mapping/problem/rank0.hpp"

namespace commmap {

Result<Mapping> map_round_robin(const MappingProblem& problem, const MapperOptions& /*options*/) {
    if (const Status ok = check_problem(problem); !ok) return ok.error();
    std::vector<std::vector<PuId>> candidates_of_node(problem.hct.num_nodes());
    for (const PuId pu : problem.candidate_pus)
        candidates_of_node[problem.hct.pu(pu).node].push_back(pu);
    std::erase_if(candidates_of_node,
                  [](const std::vector<PuId>& candidate_pus) { return candidate_pus.empty(); });

    Mapping mapping;
    const std::size_t num_ranks = problem.graph.num_ranks();
    mapping.pu_of_rank.reserve(num_ranks);
    for (std::size_t turn = 0; mapping.pu_of_rank.size() < num_ranks; ++turn) {
        for (const std::vector<PuId>& candidate_pus : candidates_of_node) {
            if (turn < candidate_pus.size() && mapping.pu_of_rank.size() < num_ranks) {
                mapping.pu_of_rank.push_back(candidate_pus[turn]);
            }
        }
    }
    put_rank0_by_one_swap(problem, mapping.pu_of_rank);
    return mapping;
}

}  // namespace commmap
