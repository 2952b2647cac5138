// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "commmap/map_ranks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "commmap/ids.hpp"
#include "core/base/random.hpp"
#include "core/base/threads.hpp"
#include "core/tree_mapping/engine_parts.hpp"
#include "core/tree_mapping/graph/csr_graph.hpp"
#include "core/tree_mapping/grid/grid.hpp"
#include "core/tree_mapping/grid/grid_placement.hpp"
#include "core/tree_mapping/moves/bin_placement.hpp"
#include "core/tree_mapping/moves/iterated_local_search.hpp"
#include "core/tree_mapping/objective.hpp"
#include "core/tree_mapping/partition/multisection.hpp"
#include "core/tree_mapping/threaded_figures.hpp"

namespace commmap {
namespace {

/// The effort of a search with one preset.
struct SearchParameters {
    Preset preset = Preset::standard;
    MultisectionEffort effort;
    unsigned longest_chain;
    unsigned kicks;  ///< most kicks of small graphs
};

/// Most ranks of a small graph. There, two hierarchies of a bisection find what four do, at two
/// thirds of the cost. `fast` takes milliseconds there, so it may search a little longer.
constexpr std::size_t small_up_to = 1024;
/// Above this number of ranks, graphs are coarsened by Step::two. With Step::four, refinement finds
/// one percent less than METIS does there. The small graphs of a hierarchy then take a smaller
/// share of the time, so that more effort costs less there.
constexpr std::size_t small_steps_above = 65536;

constexpr BisectionEffort quick_below{
    .starts = 2, .kept = 1, .refinement = {2, 10}, .step = Hierarchy::Step::four};

SearchParameters parameters_of(Preset preset, Objective objective, std::size_t num_ranks) {
    using Step = Hierarchy::Step;
    const bool port_cost = objective == Objective::port_cost;
    const bool small = num_ranks <= small_up_to;
    SearchParameters parameters{preset, {}, 4, 400};
    DivisionEffort& top = parameters.effort.other.top;
    DivisionEffort& below = parameters.effort.other.below;
    switch (preset) {
        case Preset::fast:
            parameters.longest_chain = 2;
            parameters.kicks = 20;
            // The better of two quick searches on a coarse graph gains more than exchanges do.
            top.bisection = {.shared = small ? 300U : 1200U,
                             .hierarchies = 2,
                             .starts = small ? 4U : 2U,
                             .kept = small ? 2U : 1U,
                             .refinement = {4, 15},
                             .step = Step::four};
            top.sweeps = small ? 1 : 0;
            below.bisection = quick_below;
            top.even_out = 1;
            break;
        case Preset::standard:
            if (small) {
                top.bisection = {.shared = 2500,
                                 .hierarchies = 2,
                                 .starts = 6,
                                 .kept = 2,
                                 .combinations = 1,
                                 .step = Step::four};
                below.bisection = {.starts = 3, .kept = 1, .step = Step::four};
            } else if (num_ranks <= small_steps_above) {
                top.bisection = {.shared = 2500,
                                 .hierarchies = 4,
                                 .starts = 6,
                                 .kept = 2,
                                 .combinations = 4,
                                 .step = Step::four};
                below.bisection = {.starts = 4, .kept = 2, .step = Step::four};
            } else {
                top.bisection = {
                    .shared = 5000, .hierarchies = 4, .starts = 6, .kept = 2, .combinations = 4};
                below.bisection = {.starts = 4, .kept = 2, .refinement = {8, 50}};
            }
            top.sweeps = 1;
            top.even_out = 3;
            below.sweeps = below.even_out = port_cost ? 1 : 0;
            break;
        case Preset::strong:
            parameters.longest_chain = 6;
            parameters.kicks = 1000;
            top.bisection = {
                .shared = 10000, .hierarchies = 8, .starts = 8, .kept = 3, .combinations = 10};
            below.bisection = {
                .shared = 10000, .hierarchies = 2, .starts = 6, .kept = 2, .combinations = 2};
            top.sweeps = 4;
            top.cycles = 10;
            top.even_out = 20;
            below.sweeps = below.cycles = 2;
            below.even_out = 4;
            break;
    }
    if (!port_cost) top.even_out = below.even_out = 0;
    parameters.effort.annealed = parameters.effort.other;
    return parameters;
}

/// Above this number of ranks, hard graphs are annealed no longer than others: they take seconds.
constexpr std::size_t longer_up_to = 65536;
/// Microseconds for each rank that a longer annealing of hard graphs needs.
constexpr double us_for_longer = 80.0;

bool is_longer_annealed(bool hard, std::size_t num_ranks) {
    return hard && num_ranks <= longer_up_to;
}

bool anneals(const EngineSettings& settings) {
    return settings.parts.annealing && settings.objective == Objective::hop_bytes;
}

/// Returns the effort of annealing at the top with the preset `default`.
///
/// Graphs with hubs get a cycle less, because they take longer to halve. Hard graphs gain most by a
/// longer search. If the points of a partial grid are halved as well, less time is left.
/// @param hard     is_hard()
/// @param time_us  microseconds for each rank
PartAnnealing::Effort annealing_of(const CsrGraph& graph, bool hard, bool is_partial_grid,
                                   double time_us) {
    const std::size_t num_ranks = graph.num_vertices();
    const bool longer = is_longer_annealed(hard, num_ranks) && time_us >= us_for_longer;
    const unsigned with_good_cuts = is_partial_grid ? 2 : num_ranks <= small_up_to ? 6 : 4;
    return {.cycles = longer            ? 16U
                      : has_hubs(graph) ? 6U
                                        : 7U,
            .with_good_cuts = with_good_cuts,
            .tries = 7};
}

/// Sets the efforts for levels with annealing. Annealing lowers hop-bytes 2 to 6 % further than a
/// longer search for halves in the same time. It finds no lower port cost, because it lowers the
/// sum of the loads.
/// @param by_default  annealing_of()
void anneal_parts(SearchParameters& parameters, std::size_t num_ranks,
                  const PartAnnealing::Effort& by_default) {
    const bool small = num_ranks <= small_up_to;
    DivisionEffort& top = parameters.effort.annealed.top;
    DivisionEffort& below = parameters.effort.annealed.below;
    switch (parameters.preset) {
        case Preset::fast:
            top.bisection.look_first = true;
            top.annealing = {.cycles = small ? 2U : 1U, .with_good_cuts = 0, .tries = 6};
            break;
        case Preset::standard:
            top.bisection = {.shared = small ? 300U : 2500U,
                             .hierarchies = small ? 2U : 4U,
                             .starts = 6,
                             .kept = 2,
                             .combinations = small ? 1U : 3U,
                             .step = Hierarchy::Step::four,
                             .look_first = true};
            top.sweeps = small ? 1 : 0;
            below.bisection = quick_below;
            top.annealing = by_default;
            below.annealing = {.cycles = 1, .with_good_cuts = 1, .tries = 16};
            break;
        case Preset::strong:
            top.annealing = {.cycles = 24, .with_good_cuts = 24, .tries = 12};
            below.annealing = {.cycles = 4, .with_good_cuts = 4, .tries = 24};
            break;
    }
}

/// Returns the time that is left for each rank, in microseconds.
double us_of_rank(const Deadline& deadline, std::size_t num_ranks) {
    const std::optional<double> seconds = deadline.seconds_left();
    if (!seconds) return std::numeric_limits<double>::infinity();
    return 1e6 * *seconds / static_cast<double>(num_ranks + 1);
}

/// Returns the strongest preset for which there is time, up to the given one. A finished search
/// with less effort is better than an unfinished one with more effort. Ordinary graphs need at most
/// half of these times. The time of `strong` leaves out the search by default before it.
Preset within(double time_us, Preset preset) {
    if (time_us < 30.0) return Preset::fast;
    return time_us < 400.0 && preset == Preset::strong ? Preset::standard : preset;
}

SearchParameters parameters_of(const EngineSettings& settings, Preset preset, std::size_t num_ranks,
                               const PartAnnealing::Effort& by_default) {
    SearchParameters parameters = parameters_of(preset, settings.objective, num_ranks);
    const EngineParts& parts = settings.parts;
    if (anneals(settings)) anneal_parts(parameters, num_ranks, by_default);
    for (DivisionEffort* effort :
         {&parameters.effort.annealed.top, &parameters.effort.annealed.below,
          &parameters.effort.other.top, &parameters.effort.other.below}) {
        if (!parts.hierarchies) effort->bisection.hierarchies = 1;
        if (!parts.combinations) effort->bisection.combinations = 0;
        if (!parts.exchanges) effort->sweeps = effort->cycles = 0;
        if (!parts.balancing) effort->even_out = 0;
    }
    if (!parts.kicks) parameters.kicks = 0;
    return parameters;
}

/// Bound of the work of all kicks together: a few milliseconds. The work of a kick is the number of
/// edges' ends and ranks, and a share of the machine's groups.
constexpr std::size_t kick_work = 20'000;
/// Fewer kicks are left out: one or two found nothing, and took a sixth of the time of 1,024 ranks.
constexpr std::size_t fewest_kicks = 4;
constexpr std::size_t groups_like_a_rank = 16;
constexpr unsigned patience = 16;  ///< kicks in a row without a better placement until a new start

class RankMapper {
public:
    RankMapper(const WeightedGraph& graph, const MachineTree& machine,
               const EngineSettings& settings)
        : graph_(graph), machine_(machine), settings_(settings), threads_(settings.threads) {}

    RankMapping run() {
        std::optional<CsrGraph> made;
        std::optional<Grid> grid;
        threads_.parallel_invoke(
            [&] { consider("order", ranks_in_order(machine_, graph_.num_vertices()), true); },
            [&] {
                made.emplace(graph_, static_cast<double>(machine_.level(0).distance));
                if (settings_.parts.grids) grid = find_grid(*made, threads_);
            });
        best_.hard = is_hard(*made);
        us_of_rank_ = us_of_rank(settings_.deadline, graph_.num_vertices());
        std::optional<Boxes> boxes;
        if (grid && grid->full) boxes = boxes_of(*made, *grid);
        if (grid && !grid->full) partial_grid_ = std::move(grid);
        const auto affordable = [&] {
            return within(us_of_rank(settings_.deadline, graph_.num_vertices()), settings_.preset);
        };
        const Preset preset = affordable();
        const bool too_late_for_longer = preset != Preset::fast && anneals(settings_) &&
                                         is_longer_annealed(best_.hard, graph_.num_vertices()) &&
                                         us_of_rank_ < us_for_longer;
        best_.cut_short = preset != settings_.preset || too_late_for_longer;
        // `strong` must not find less than `default`, so it searches as `default` first.
        look(preset == Preset::strong ? Preset::standard : preset, *made, boxes);
        if (preset == Preset::strong && !is_best(boxes) && !settings_.deadline.passed()) {
            if (affordable() == Preset::strong) {
                look(Preset::strong, *made, boxes);
            } else {
                best_.cut_short = true;
            }
        }
        best_.figures = best_.candidates[best_.chosen].figures;
        best_.cut_short = best_.cut_short || settings_.deadline.passed();
        take_pus();
        return std::move(best_);
    }

private:
    struct Boxes {
        std::string_view name;
        std::vector<GroupId> bin_of_rank;
        bool sure;  ///< Tiling::sure: the boxes have the least hop-bytes
    };

    [[nodiscard]] Boxes boxes_of(const CsrGraph& graph, const Grid& grid) {
        std::optional<Tiling> tiling = tile_boxes(graph, machine_, grid, threads_);
        if (tiling) return {"boxes", std::move(tiling->bin_of_rank), tiling->sure};
        return {"halved boxes", halve_boxes(machine_, grid, threads_), false};
    }
    [[nodiscard]] bool is_best(const std::optional<Boxes>& boxes) const {
        return boxes && boxes->sure && settings_.objective == Objective::hop_bytes;
    }

    void look(Preset preset, const CsrGraph& graph, const std::optional<Boxes>& boxes) {
        parameters_ =
            parameters_of(settings_, preset, graph_.num_vertices(),
                          annealing_of(graph, best_.hard, partial_grid_.has_value(), us_of_rank_));
        if (boxes) consider(boxes->name, improved(graph, boxes->bin_of_rank));
        if (partial_grid_) consider("halved boxes", halved_boxes(graph));
        if (!is_best(boxes) && !settings_.deadline.passed()) consider("multisection", split(graph));
        if (best_is_in_order_ && settings_.objective != Objective::hop_bytes &&
            !settings_.deadline.passed())
            consider("order, improved", improved(graph, best_.bin_of_rank), true);
        kick(graph);
        // Kicks that have found nothing count for no candidate's time.
        since_ = std::chrono::steady_clock::now();
    }

    /// Improves a placement by chains, by hop-bytes first: a chain looks for near places.
    std::vector<GroupId> improved(const CsrGraph& graph, std::vector<GroupId> bins) {
        if (!settings_.parts.chains || settings_.deadline.passed()) return bins;
        BinPlacement placement(graph, machine_, std::move(bins));
        if (settings_.objective != Objective::hop_bytes)
            lower(placement, Objective::hop_bytes, parameters_.longest_chain, threads_,
                  settings_.deadline);
        lower(placement, settings_.objective, parameters_.longest_chain, threads_,
              settings_.deadline);
        return {placement.bins().begin(), placement.bins().end()};
    }

    std::vector<GroupId> split(const CsrGraph& graph) {
        const std::vector<RankId> order = breadth_first_order(graph);
        std::vector<std::uint32_t> number(order.size(), no_id);
        const CsrGraph ordered = graph_of(graph, order, number);
        Multisection found = multisect(ordered, machine_, parameters_.effort, settings_.seed,
                                       threads_, settings_.deadline);
        best_.cut_short = best_.cut_short || found.cut_short;
        const std::vector<GroupId> bins = improved(ordered, std::move(found.bin_of_rank));
        std::vector<GroupId> bin_of_rank(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) bin_of_rank[order[i]] = bins[i];
        return bin_of_rank;
    }

    /// Returns the bins by halving the points of a partial grid. The root's children are not
    /// annealed: trials never lowered cuts along a grid's axes. The children of lower groups are
    /// annealed.
    std::vector<GroupId> halved_boxes(const CsrGraph& graph) {
        MultisectionEffort effort = parameters_.effort;
        effort.annealed.top.annealing.cycles = 0;
        Multisection found = multisect(graph, machine_, effort, settings_.seed, threads_,
                                       settings_.deadline, &*partial_grid_);
        best_.cut_short = best_.cut_short || found.cut_short;
        return improved(graph, std::move(found.bin_of_rank));
    }

    /// Adds a candidate, and keeps it if it costs less than the best candidate so far.
    /// @param in_order  whether the bins have the ranks in order, or come from that by chains
    void consider(std::string_view name, std::vector<GroupId> bins, bool in_order = false) {
        const PlacementFigures figures = figures_of(graph_, machine_, bins, threads_);
        const auto now = std::chrono::steady_clock::now();
        best_.candidates.push_back({name, parameters_.preset, figures,
                                    std::chrono::duration<double>(now - since_).count()});
        since_ = now;
        const auto cost = judged(figures, settings_.objective);
        if (best_.candidates.size() > 1 &&
            cost >= judged(best_.candidates[best_.chosen].figures, settings_.objective))
            return;
        best_.bin_of_rank = std::move(bins);
        best_is_in_order_ = in_order;
        best_.chosen = best_.candidates.size() - 1;
    }

    /// Searches by kicks: exchanges some ranks at random, and lowers the cost again. It begins with
    /// the best placement, and after some fruitless kicks with a random one. In small graphs that
    /// costs little, and finds placements that chains do not find.
    void kick(const CsrGraph& graph) {
        const std::size_t n = graph.num_vertices();
        const std::size_t kicks = std::min<std::size_t>(
            parameters_.kicks, kick_work / (n + graph.neighbours.size() +
                                            machine_.num_groups() / groups_like_a_rank + 1));
        if (n < 3 || graph.neighbours.empty() || kicks < fewest_kicks) return;
        const auto cost_of = [&](const std::vector<GroupId>& bins) {
            return judged(figures_of(graph_, machine_, bins), settings_.objective);
        };
        Random random(settings_.seed);
        std::size_t left = kicks;
        using Kicked = CostedSolution<std::vector<GroupId>, decltype(cost_of({}))>;
        const Kicked start{best_.bin_of_rank, cost_of(best_.bin_of_rank)};
        Kicked best = iterated_local_search(
            start, {.restart_after = patience, .takes_equal = true}, std::less<>(),
            [&] { return left > 0 && !settings_.deadline.passed(); },
            [&](std::vector<GroupId> kicked, bool anew) {
                --left;
                if (anew) {
                    shuffle(std::span(kicked), random);
                } else {
                    for (std::uint64_t swaps = 1 + random.below(std::min<std::size_t>(4, n / 2));
                         swaps > 0; --swaps)
                        std::swap(kicked[random.below(n)], kicked[random.below(n)]);
                }
                BinPlacement placement(graph, machine_, std::move(kicked));
                lower(placement, settings_.objective, parameters_.longest_chain, threads_,
                      settings_.deadline);
                kicked.assign(placement.bins().begin(), placement.bins().end());
                auto cost = cost_of(kicked);
                return std::optional(Kicked{std::move(kicked), cost});
            });
        if (best.cost < start.cost) consider("kicks", std::move(best.solution));
    }

    void take_pus() {
        std::vector<std::uint32_t> taken(machine_.num_bins(), 0);
        best_.pu_of_rank.reserve(best_.bin_of_rank.size());
        for (const GroupId bin : best_.bin_of_rank)
            best_.pu_of_rank.push_back(machine_.pus_of(bin)[taken[bin]++]);
    }

    const WeightedGraph& graph_;
    const MachineTree& machine_;
    EngineSettings settings_;
    SearchParameters parameters_{};  ///< of the current search
    double us_of_rank_ = 0.0;
    std::optional<Grid> partial_grid_;
    Threads threads_;
    RankMapping best_;
    bool best_is_in_order_ = true;
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace

std::vector<GroupId> ranks_in_order(const MachineTree& machine, std::size_t num_ranks) {
    std::vector<GroupId> bins;
    bins.reserve(num_ranks);
    for (GroupId bin = 0; bins.size() < num_ranks; ++bin)
        for (std::uint32_t i = 0; i < machine.bins().capacity[bin] && bins.size() < num_ranks; ++i)
            bins.push_back(bin);
    return bins;
}

double default_budget_s(std::size_t num_ranks, Preset preset) {
    const double seconds = 2.0 + 100e-6 * static_cast<double>(num_ranks);
    return preset == Preset::strong ? 10 * seconds : seconds;
}

Result<RankMapping> map_ranks(const WeightedGraph& graph, const MachineTree& machine,
                              const EngineSettings& settings) {
    if (graph.num_vertices() > machine.num_pus()) {
        return Error{Errc::invalid_input, fmt::format("{} ranks do not fit on {} PUs",
                                                      graph.num_vertices(), machine.num_pus())};
    }
    constexpr std::size_t most_ends = std::size_t{1} << 32U;
    if (graph.neighbours.size() >= most_ends)
        return Error{Errc::out_of_range, "2^31 edges or more: they are too many"};
    return RankMapper(graph, machine, settings).run();
}

Result<RankMapping> map_ranks(const WeightedGraph& graph, const MachineTree& machine,
                              const MapSettings& settings) {
    return map_ranks(graph, machine, EngineSettings{settings, {}});
}

}  // namespace commmap
