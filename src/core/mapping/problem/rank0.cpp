// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/problem/rank0.hpp"

#include <algorithm>
#include <cassert>
#include <optional>

#include "core/estimate/port_cost_state.hpp"

namespace commmap {

namespace {

/// Returns the rank on each PU of the tree; no_id: the PU is free.
std::vector<RankId> ranks_by_pu(const Hct& hct, const std::vector<PuId>& pu_of_rank) {
    std::vector<RankId> rank_at(hct.num_pus(), no_id);
    for (std::size_t r = 0; r < pu_of_rank.size(); ++r) {
        rank_at[pu_of_rank[r]] = static_cast<RankId>(r);
    }
    return rank_at;
}

/// Returns the placement in which the ranks below a and below b have changed places, PU by PU.
/// Returns nothing if the used PUs below a and b differ.
std::optional<std::vector<PuId>> exchanged(const Hct& hct, const std::vector<PuId>& pu_of_rank,
                                           const std::vector<RankId>& rank_at, ElementId a,
                                           ElementId b) {
    const Element& x = hct.element(a);
    const Element& y = hct.element(b);
    if (x.num_pus != y.num_pus) return std::nullopt;
    std::vector<PuId> result = pu_of_rank;
    for (std::uint32_t i = 0; i < x.num_pus; ++i) {
        const RankId at_x = rank_at[x.first_pu + i];
        const RankId at_y = rank_at[y.first_pu + i];
        if ((at_x == no_id) != (at_y == no_id)) return std::nullopt;
        if (at_x == no_id) continue;
        result[at_x] = y.first_pu + i;
        result[at_y] = x.first_pu + i;
    }
    return result;
}

}  // namespace

void put_rank0_by_one_swap(const MappingProblem& problem, std::vector<PuId>& pu_of_rank) {
    if (pu_of_rank.empty() || may_be_on(problem, 0, pu_of_rank[0])) return;
    const auto there = [&](PuId pu) { return problem.hct.pu(pu).node == problem.rank0_node; };
    const auto rank = std::find_if(pu_of_rank.begin(), pu_of_rank.end(), there);
    if (rank != pu_of_rank.end()) {
        std::swap(pu_of_rank[0], *rank);
    } else {
        pu_of_rank[0] =
            *std::find_if(problem.candidate_pus.begin(), problem.candidate_pus.end(), there);
    }
}

void put_rank0(const MappingProblem& problem, std::vector<PuId>& pu_of_rank) {
    if (pu_of_rank.empty() || may_be_on(problem, 0, pu_of_rank[0])) return;
    const Hct& hct = problem.hct;
    const NodeInfo& node = hct.node(problem.rank0_node);
    const std::vector<RankId> rank_at = ranks_by_pu(hct, pu_of_rank);
    const PortCostState::Detail detail = PortCostState::default_detail(pu_of_rank.size());

    std::vector<PuId> best = pu_of_rank;
    SearchObjective best_objective;
    bool found = false;
    const auto consider = [&](const SearchObjective& objective, auto&& placement) {
        if (found && !better(objective, best_objective)) return;
        found = true;
        best_objective = objective;
        best = placement();
    };

    const auto ports = ports_of(problem);
    PortCostState state(ports, hct, pu_of_rank, detail);
    for (PuId pu = node.first_pu; pu < node.first_pu + node.num_pus; ++pu) {
        const RankId other = rank_at[pu];
        if (other == no_id &&
            !std::binary_search(problem.candidate_pus.begin(), problem.candidate_pus.end(), pu)) {
            continue;
        }
        const SearchObjective objective =
            other == no_id ? state.try_move(0, pu) : state.try_swap(0, other);
        consider(objective, [&] {
            std::vector<PuId> placement = pu_of_rank;
            if (other != no_id) placement[other] = pu_of_rank[0];
            placement[0] = pu;
            return placement;
        });
    }

    // Try to exchange subtrees, from the two nodes up to the children of their common ancestor.
    ElementId a = hct.node(hct.pu(pu_of_rank[0]).node).element;
    ElementId b = node.element;
    const auto climb = [&](ElementId& deeper, ElementId other) {
        while (hct.element(deeper).depth > hct.element(other).depth) {
            deeper = hct.element(deeper).parent;
        }
    };
    climb(a, b);
    climb(b, a);
    while (a != b) {
        if (const auto placement = exchanged(hct, pu_of_rank, rank_at, a, b);
            placement && may_be_on(problem, 0, (*placement)[0])) {
            const PortCostState other(ports, hct, *placement, detail);
            consider(other.objective(), [&] { return *placement; });
        }
        a = hct.element(a).parent;
        b = hct.element(b).parent;
    }
    assert(found && "check_problem() promises a candidate PU on rank 0's node");
    pu_of_rank = std::move(best);
}

}  // namespace commmap
