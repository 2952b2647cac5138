#include "core/mapping/refine.hpp"

#include <algorithm>
#include <cassert>

#include "core/estimate/cost_order.hpp"
#include "core/estimate/port_cost.hpp"
#include "core/mapping/placement_search.hpp"

namespace commmap {

namespace {

/// Up to this many (rank, slot) pairs a descent looks at all of them.
constexpr std::size_t full_descent_pairs = std::size_t{64} * 64;

double exact_cost(const MappingProblem& problem, std::span<const PuId> placement) {
    const auto cost = port_cost(problem.graph, problem.hct, placement);
    assert(cost && "the placement does not fit the problem");
    return cost.value().cost_s;
}

}  // namespace

std::uint64_t default_refine_evaluations(std::size_t num_ranks) {
    // An evaluation takes about 2 us for 16 ranks, 40 us for 512 (exact, long folds), 20 us above
    // (surrogate): one to three seconds at most.
    if (num_ranks <= 128) return 40'000;
    if (num_ranks <= 512) return 20'000;
    return 100'000;
}

std::vector<PuId> refine(const MappingProblem& problem, const MapperOptions& options,
                         std::span<const PuId> start) {
    std::vector<PuId> best(start.begin(), start.end());
    const std::size_t num_ranks = start.size();
    if (num_ranks < 2 || problem.graph.num_entries() == 0) return best;
    const std::uint64_t budget = options.max_evaluations != 0
                                     ? options.max_evaluations
                                     : default_refine_evaluations(num_ranks);
    PlacementSearch search(problem, start, PortCostState::default_detail(num_ranks), budget,
                           options.seed);
    const bool small = num_ranks * problem.slots.size() <= full_descent_pairs;
    const std::uint64_t patience = 16 * static_cast<std::uint64_t>(num_ranks);
    const auto descend = [&] { small ? search.descend() : search.descend_sampled(patience); };

    descend();
    SearchObjective best_objective = search.objective();
    std::vector<PuId> current = search.placement();
    SearchObjective current_objective = best_objective;
    best = current;
    // A kick must leave the basin of the last descent; when kicks from one place stop helping,
    // start elsewhere.
    constexpr unsigned kicks_before_restart = 12;
    unsigned fruitless = 0;
    while (!search.exhausted()) {
        const std::uint64_t evaluations_before = search.num_evaluations();
        const bool restart = small && fruitless >= kicks_before_restart;
        const auto most = static_cast<std::uint64_t>(std::max<std::size_t>(1, num_ranks / 4));
        search.kick(restart ? static_cast<unsigned>(2 * num_ranks)
                            : 2 + static_cast<unsigned>(
                                      search.random().below(std::min<std::uint64_t>(most, 6))));
        descend();
        if (search.num_evaluations() == evaluations_before) break;  // no exchange is allowed at all
        const SearchObjective objective = search.objective();
        if (restart || better(objective, current_objective)) {
            fruitless = 0;
            current = search.placement();
            current_objective = objective;
        } else {
            ++fruitless;
            search.restore(current);
        }
        if (better(current_objective, best_objective)) {
            best_objective = current_objective;
            best = current;
        }
    }
    // above 512 ranks the search itself sees an approximation
    if (clearly_cheaper(exact_cost(problem, start), exact_cost(problem, best))) {
        best.assign(start.begin(), start.end());
    }
    return best;
}

}  // namespace commmap
