// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/improvement/local_search.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/cost_order.hpp"
#include "core/estimate/port_cost.hpp"
#include "core/mapping/improvement/placement_search.hpp"
#include "core/tree_mapping/moves/iterated_local_search.hpp"

namespace commmap {

namespace {

/// A descent looks at all (rank, candidate PU) pairs if they are at most this many.
constexpr std::size_t full_descent_pairs = std::size_t{64} * 64;
constexpr unsigned kicks_before_restart = 12;
/// A search ends after this many kicks in a row without a better placement.
constexpr unsigned enough_kicks = 40;

using FoundPlacement = CostedSolution<std::vector<PuId>, SearchObjective>;

}  // namespace

std::uint64_t default_refine_evaluations(std::size_t num_ranks) {
    // These are upper bounds: a search also ends after enough_kicks.
    if (num_ranks <= 16) return 20'000;
    if (num_ranks <= 64) return 10'000;
    if (num_ranks <= 128) return 5'000;
    if (num_ranks <= 512) return 30'000;
    return 100'000;
}

Mapping refine_mapping(const MappingProblem& problem, const MapperOptions& options, Mapping mapping,
                       SearchedPlacements* searched) {
    const std::vector<PuId>& start = mapping.pu_of_rank;
    const std::size_t num_ranks = start.size();
    if (num_ranks < 2 || problem.graph.num_entries() == 0) return mapping;
    const std::uint64_t budget = options.max_evaluations != 0
                                     ? options.max_evaluations
                                     : default_refine_evaluations(num_ranks);
    PlacementSearch search(problem, start, PortCostState::default_detail(num_ranks), budget,
                           options.seed, options.deadline);
    const bool small = num_ranks * problem.candidate_pus.size() <= full_descent_pairs;
    const std::uint64_t patience = 16 * static_cast<std::uint64_t>(num_ranks);
    const auto descend = [&] { small ? search.descend() : search.descend_sampled(patience); };
    std::optional<SearchedPlacements> own;
    if (searched == nullptr && small) searched = &own.emplace(problem);
    const auto is_new = [&](const std::vector<PuId>& placement) {
        return searched == nullptr || searched->add(placement);
    };

    // A kick must be large enough to leave the last descent's basin. When kicks from one placement
    // stop helping, a small search starts anew from another placement.
    const KickRules rules{.restart_after = small ? kicks_before_restart : KickRules::never,
                          .end_after = enough_kicks};
    const auto most = std::min<std::uint64_t>(std::max<std::size_t>(1, num_ranks / 4), 6);
    bool is_any_allowed = true;
    const auto next = [&](const std::vector<PuId>& current, bool anew) {
        const std::uint64_t evaluations_before = search.num_evaluations();
        search.restore(current);
        search.kick(anew ? static_cast<unsigned>(2 * num_ranks)
                         : 2 + static_cast<unsigned>(search.random().below(most)));
        descend();
        is_any_allowed = search.num_evaluations() != evaluations_before;
        std::optional<FoundPlacement> found =
            FoundPlacement{search.placement(), search.objective()};
        if (!is_any_allowed || !is_new(found->solution)) found.reset();
        return found;
    };

    descend();
    FoundPlacement best{search.placement(), search.objective()};
    if (is_new(best.solution))
        best = iterated_local_search(
            std::move(best), rules, better, [&] { return is_any_allowed && !search.exhausted(); },
            next);
    mapping.cut_short = search.cut_short();
    mapping.evaluations = search.num_evaluations();
    // Above 128 ranks the search sees only the additive surrogate, so the exact time decides here.
    if (best.solution == start) return mapping;
    const PortTable& whole = search.run().whole();
    if (!mapping.port_cost) mapping.port_cost = port_cost(whole, start);
    const PortCost found = port_cost(whole, best.solution);
    const auto time_s = [&](Placement placement, const PortCost& cost) {
        return problem.time.of(search.run().parts_of(placement, cost.cost_s).data());
    };
    if (clearly_cheaper(time_s(start, *mapping.port_cost), time_s(best.solution, found)))
        return mapping;
    mapping.pu_of_rank = std::move(best.solution);
    mapping.port_cost = found;
    return mapping;
}

std::vector<PuId> refine(const MappingProblem& problem, const MapperOptions& options,
                         std::span<const PuId> start) {
    return refine_mapping(problem, options, {{start.begin(), start.end()}, {}, {}}).pu_of_rank;
}

}  // namespace commmap
