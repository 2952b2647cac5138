// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/improvement/anneal.hpp"

#include <algorithm>
#include <cmath>

#include "core/mapping/construction/linear.hpp"
#include "core/mapping/improvement/local_search.hpp"
#include "core/mapping/improvement/placement_search.hpp"

namespace commmap {

namespace {

constexpr unsigned num_coolings = 4;
constexpr double hot = 0.3;  ///< first temperature, as a share of the start's energy
constexpr double cold = 3e-4;

/// Keeps the best placement that a search has had.
class BestPlacement {
public:
    explicit BestPlacement(const PlacementSearch& search)
        : placement_(search.placement()), objective_(search.objective()) {}

    void look_at(const PlacementSearch& search) {
        if (!better(search.objective(), objective_)) return;
        objective_ = search.objective();
        placement_ = search.placement();
    }
    [[nodiscard]] const std::vector<PuId>& placement() const { return placement_; }

private:
    std::vector<PuId> placement_;
    SearchObjective objective_;
};

/// Cools once, over `steps` evaluations. Returns the best placement on the way.
std::vector<PuId> cool(PlacementSearch& search, std::uint64_t steps, const SearchObjective& scale) {
    const auto energy = [&](const SearchObjective& o) {
        return o.time_s / scale.time_s + 0.05 * o.sum_squares / scale.sum_squares;
    };
    BestPlacement best(search);
    Random& random = search.random();
    double now = energy(search.objective());
    for (std::uint64_t step = 0; step < steps && !search.exhausted(); ++step) {
        const double progress = static_cast<double>(step) / static_cast<double>(steps);
        const double temperature = hot * std::pow(cold / hot, progress);
        PlacementSearch::Exchange e =
            random.below(2) == 0 ? search.draw_near_peer() : search.draw_any();
        if (e.rank == no_id) e = search.draw_any();
        if (e.rank == no_id) continue;
        const double then = energy(search.try_exchange(e.rank, e.pu));
        if (then > now && random.unit() >= std::exp((now - then) / temperature)) continue;
        search.keep();
        now = then;
        best.look_at(search);
    }
    return best.placement();
}

}  // namespace

std::uint64_t default_anneal_evaluations(std::size_t num_ranks) {
    return num_ranks <= 64 ? 300'000 : 1'000'000;
}

Result<Mapping> map_anneal(const MappingProblem& problem, const MapperOptions& options) {
    if (const Status ok = check_problem(problem); !ok) return ok.error();
    Mapping mapping{linear_placement(problem), {}};
    const std::size_t num_ranks = problem.graph.num_ranks();
    if (num_ranks < 2 || problem.graph.num_entries() == 0) return mapping;
    const std::uint64_t budget = options.max_evaluations != 0
                                     ? options.max_evaluations
                                     : default_anneal_evaluations(num_ranks);
    PlacementSearch search(problem, mapping.pu_of_rank, PortCostState::default_detail(num_ranks),
                           budget, options.seed);
    const SearchObjective scale = search.objective();
    if (scale.time_s <= 0.0) return mapping;  // all placements cost nothing
    BestPlacement best(search);
    const std::uint64_t steps = budget / num_coolings;
    while (!search.exhausted()) {
        const std::uint64_t before = search.num_evaluations();
        search.restore(cool(search, steps, scale));
        best.look_at(search);
        if (search.num_evaluations() == before) break;  // no exchange is allowed
    }
    // refine() takes the last steps: it never returns a placement that costs more than its start.
    MapperOptions finish = options;
    finish.max_evaluations = std::max<std::uint64_t>(1, budget / 8);
    mapping.pu_of_rank = refine(problem, finish, best.placement());
    fall_back_to_linear(problem, mapping);
    return mapping;
}

}  // namespace commmap
