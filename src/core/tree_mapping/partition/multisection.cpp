// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/partition/multisection.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "commmap/ids.hpp"
#include "core/tree_mapping/grid/grid_placement.hpp"
#include "core/tree_mapping/machine/group_filling.hpp"
#include "core/tree_mapping/moves/link_cost.hpp"
#include "core/tree_mapping/partition/multilevel_refinement.hpp"
#include "core/tree_mapping/partition/waiting_parts.hpp"

namespace commmap {
namespace {

/// A level is split with little effort if its links cost less than this share of the dearest links.
constexpr double small_share = 0.05;
constexpr TwoWayRefinement::Effort little_refinement{3, 10};
/// Uneven loads are lowered with these powers in turn, as numbers of squarings.
constexpr unsigned squarings[] = {2, 4};
/// The children's loads need no balancing if their links cost less than this share of the group's
/// own link.
constexpr double far_below = 0.5;
/// Share of the time for the exchanges of each level. The rest is for the levels below, which must
/// be split too.
constexpr double share_for_exchanges = 0.3;

/// Divides the ranks of groups. Each thread uses its own divider.
class GroupDivider {
public:
    explicit GroupDivider(const CsrGraph& graph)
        : graph_(graph), local_(graph.num_vertices(), no_id) {}

    /// Halves ranks, and puts `target` of them in front.
    /// @param leave  by half, whether its part goes into `waiting` for the divisions to come
    void halve(std::span<RankId> ranks, std::size_t target, const BisectionEffort& effort,
               std::uint64_t seed, const std::array<bool, 2>& leave, WaitingParts& waiting,
               Threads& threads, const Deadline& deadline) {
        std::unique_ptr<Part> part = waiting.take(ranks.data());
        if (!part) part = part_of(ranks);
        assert(part->graph().num_vertices() == ranks.size() && "a part of other ranks");
        const Sides sides = bisection_.split(part->hierarchy(), target, effort, seed, threads);
        others_.clear();
        std::size_t kept = 0;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if (sides[i] == 0)
                ranks[kept++] = ranks[i];
            else
                others_.push_back(ranks[i]);
        }
        assert(kept == target && "a half does not fit its groups");
        std::copy(others_.begin(), others_.end(),
                  ranks.begin() + static_cast<std::ptrdiff_t>(kept));
        // Pairs with hubs are of no use to a half, so a half of such a graph is coarsened anew.
        if (deadline.passed() || has_hubs(part->graph())) return;
        const auto leave_half = [&](std::uint8_t side) {
            const std::span<RankId> half = side == 0 ? ranks.first(target) : ranks.subspan(target);
            if (leave[side] && half.size() > large_part)
                waiting.put(half.data(), std::make_unique<Part>(*part, sides, side));
        };
        if (ranks.size() < worth_a_thread) {
            leave_half(0);
            leave_half(1);
        } else {
            threads.parallel_invoke([&] { leave_half(0); }, [&] { leave_half(1); });
        }
    }

    /// Halves points across the axis of the grid on which the cut weighs least.
    void halve_points(const Grid& grid, std::span<RankId> ranks, std::size_t target) {
        if (side_of_.empty()) side_of_.assign(graph_.num_vertices(), neither);
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t axis = 0; axis < grid.dimensions; ++axis) {
            for (const bool backwards : {false, true}) {
                sorted_.assign(ranks.begin(), ranks.end());
                halve_along(grid, axis, backwards, sorted_, target);
                for (std::size_t i = 0; i < sorted_.size(); ++i)
                    side_of_[sorted_[i]] = i < target ? 0 : 1;
                const double cut = weight_between_sides(ranks);
                if (cut >= least) continue;
                least = cut;
                others_ = sorted_;
            }
        }
        for (const RankId rank : ranks) side_of_[rank] = neither;
        std::copy(others_.begin(), others_.end(), ranks.begin());
    }

    struct LinkCosts {
        double child;   ///< cost of a byte on the children's links
        double parent;  ///< cost of a byte on the group's own link
    };

    void improve(std::span<RankId> ranks, std::span<const std::uint32_t> first,
                 const DivisionEffort& effort, const LinkCosts& costs, std::uint64_t seed,
                 const Deadline& deadline) {
        take(ranks);
        std::vector<std::uint32_t> targets;
        Parts parts(ranks.size());
        for (std::size_t child = 0; child + 1 < first.size(); ++child) {
            targets.push_back(first[child + 1] - first[child]);
            std::fill(parts.begin() + first[child], parts.begin() + first[child + 1],
                      static_cast<std::uint32_t>(child));
        }
        const PartRefinement::Problem cut{part_, targets, 0, Potential::linear(1.0)};
        const PartRefinement::Effort exchanges{effort.sweeps, patience};
        Random random(seed);
        if (effort.annealing.cycles > 0 && PartAnnealing::takes(ranks.size(), targets.size()))
            anneal(cut, effort.annealing, random, parts, deadline);
        if (exchanges.sweeps > 0) refinement_.refine(cut, exchanges, parts, deadline);
        for (unsigned cycle = 0; cycle < effort.cycles && !deadline.passed(); ++cycle)
            refine_multilevel(refinement_, cut, exchanges, random, parts, deadline);
        if (effort.even_out > 0) even_out(targets, effort, costs, random, parts, deadline);
        sorted_.assign(ranks.begin(), ranks.end());
        std::vector<std::uint32_t> next(first.begin(), first.end());
        for (std::size_t i = 0; i < sorted_.size(); ++i) ranks[next[parts[i]]++] = sorted_[i];
        // At the top these are as large as the whole graph, so their memory is freed.
        part_ = {};
        annealing_ = {};
    }

private:
    static constexpr std::uint8_t neither = 2;

    [[nodiscard]] double weight_between_sides(std::span<const RankId> ranks) const {
        double sum = 0.0;
        for (const RankId v : ranks)
            for (std::uint32_t i = graph_.first[v]; i < graph_.first[v + 1]; ++i)
                if (side_of_[v] + side_of_[graph_.neighbours[i]] == 1)
                    sum += static_cast<double>(graph_.weights[i]);
        return sum;
    }

    static constexpr unsigned patience = 60;
    static constexpr std::size_t worth_a_thread = 4096;
    static constexpr std::size_t large_part = 64;  ///< smaller parts are quickly coarsened anew

    std::unique_ptr<Part> part_of(std::span<const RankId> ranks) {
        // All ranks are still in order, because nothing has been halved yet.
        if (ranks.size() == graph_.num_vertices()) return std::make_unique<Part>(&graph_);
        return std::make_unique<Part>(graph_of(graph_, ranks, local_));
    }

    void anneal(const PartRefinement::Problem& cut, const PartAnnealing::Effort& effort,
                Random& random, Parts& parts, const Deadline& deadline) {
        Parts annealed = parts;
        if (!annealing_.lower_cut({part_, cut.targets}, effort, random, annealed, deadline)) return;
        refinement_.fill_exactly(cut, annealed);
        if (PartRefinement::potential_of(cut, annealed) < PartRefinement::potential_of(cut, parts))
            parts = std::move(annealed);
    }

    void even_out(std::span<const std::uint32_t> targets, const DivisionEffort& effort,
                  const LinkCosts& costs, Random& random, Parts& parts, const Deadline& deadline) {
        const double of_group =
            std::accumulate(outside_.begin(), outside_.end(), 0.0) * costs.parent;
        for (const unsigned power : squarings) {
            for (unsigned cycle = 0; cycle < effort.even_out; ++cycle) {
                if (deadline.passed()) return;
                PartRefinement::Problem problem{part_, targets, 0, Potential::linear(1.0),
                                                outside_};
                const std::vector<double> loads = PartRefinement::loads_of(problem, parts);
                const double most = *std::max_element(loads.begin(), loads.end());
                if (most * costs.child <= far_below * of_group) return;
                problem.potential = Potential::power(1.0, most, power);
                refine_multilevel(refinement_, problem, {std::max(1U, effort.sweeps), patience},
                                  random, parts, deadline);
            }
        }
    }

    /// Sets part_ to the graph of these ranks, and outside_ to the weight of each rank's edges to
    /// other ranks.
    void take(std::span<const RankId> ranks) {
        part_ = graph_of(graph_, ranks, local_);
        outside_.clear();
        for (std::uint32_t i = 0; i < ranks.size(); ++i)
            outside_.push_back(graph_.weight_of(ranks[i]) - part_.weight_of(i));
    }

    const CsrGraph& graph_;
    Bisection bisection_;
    PartRefinement refinement_;
    PartAnnealing annealing_;
    std::vector<std::uint32_t> local_;  ///< scratch of graph_of(): no_id for each rank
    CsrGraph part_;
    std::vector<double> outside_;
    std::vector<RankId> others_;
    std::vector<RankId> sorted_;
    std::vector<std::uint8_t> side_of_;  ///< by rank, while points are halved
};

/// A pool of dividers: as many as there are threads at once.
class GroupDividers {
public:
    explicit GroupDividers(const CsrGraph& graph) : graph_(graph) {}

    template <class Use>
    void with_one(const Use& use) {
        std::unique_ptr<GroupDivider> divider = take();
        use(*divider);
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(divider));
    }

private:
    std::unique_ptr<GroupDivider> take() {
        const std::lock_guard lock(mutex_);
        if (idle_.empty()) return std::make_unique<GroupDivider>(graph_);
        std::unique_ptr<GroupDivider> divider = std::move(idle_.back());
        idle_.pop_back();
        return divider;
    }

    const CsrGraph& graph_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<GroupDivider>> idle_;
};

/// The most ranks and the most children that a group of one level has.
struct LargestGroup {
    std::size_t ranks = 0;
    std::size_t children = 0;
};

std::vector<LargestGroup> largest_groups(const MachineTree& machine, std::uint32_t num_ranks) {
    const std::vector<std::vector<std::uint32_t>> filled = fill_groups(machine, num_ranks);
    std::vector<LargestGroup> largest(machine.num_levels());
    for (std::size_t depth = 0; depth + 1 < machine.num_levels(); ++depth) {
        const std::vector<GroupId>& first = machine.level(depth).first_child;
        for (GroupId group = 0; group < filled[depth].size(); ++group) {
            const auto begin = filled[depth + 1].begin();
            const auto children = static_cast<std::size_t>(
                std::count_if(begin + first[group], begin + first[group + 1],
                              [](std::uint32_t ranks) { return ranks > 0; }));
            largest[depth].ranks =
                std::max<std::size_t>(largest[depth].ranks, filled[depth][group]);
            largest[depth].children = std::max(largest[depth].children, children);
        }
    }
    return largest;
}

/// Returns the effort for the groups of each level.
std::vector<DivisionEffort> efforts_of(const MachineTree& machine, std::uint32_t num_ranks,
                                       const MultisectionEffort& effort) {
    const std::vector<LargestGroup> parents = largest_groups(machine, num_ranks);
    // The links of the levels above `first` carry nothing, because all ranks are in one group
    // there.
    std::size_t first = 1;
    while (first + 1 < machine.num_levels() && parents[first - 1].children < 2) ++first;
    double dearest = 0.0;
    for (std::size_t depth = first; depth < machine.num_levels(); ++depth)
        dearest = std::max(dearest, cost_of_byte(machine, depth));
    std::vector<DivisionEffort> efforts(machine.num_levels());
    for (std::size_t depth = first; depth < machine.num_levels(); ++depth) {
        const LargestGroup& parent = parents[depth - 1];
        const LevelEfforts& level =
            PartAnnealing::takes(parent.ranks, parent.children) ? effort.annealed : effort.other;
        efforts[depth] = depth == first ? level.top : level.below;
        if (depth == first || cost_of_byte(machine, depth) >= small_share * dearest) continue;
        DivisionEffort& little = efforts[depth];
        little.bisection.starts = little.bisection.kept = 1;
        little.bisection.refinement = little_refinement;
        little.sweeps = little.cycles = little.even_out = little.annealing.cycles = 0;
    }
    return efforts;
}

}  // namespace

Multisection multisect(const CsrGraph& graph, const MachineTree& machine,
                       const MultisectionEffort& effort, std::uint64_t seed, Threads& threads,
                       const Deadline& deadline, const Grid* grid) {
    GroupDividers dividers(graph);
    WaitingParts waiting;
    const std::vector<DivisionEffort> efforts = efforts_of(machine, graph.num_vertices(), effort);
    std::atomic<bool> cut_short{false};
    const std::optional<double> seconds = deadline.seconds_left();
    const auto for_exchanges = [&](std::size_t num_ranks) {
        return deadline.at_most(share_for_exchanges * seconds.value_or(0.0) *
                                static_cast<double>(num_ranks) /
                                static_cast<double>(graph.num_vertices()));
    };
    const auto seed_of = [&](const Division& division) {
        return Random(seed ^ Random(division.number).next()).next();
    };
    const Splitting splitting{
        [&](std::span<RankId> ranks, std::size_t target, const Division& division) {
            if (grid != nullptr) {
                dividers.with_one(
                    [&](GroupDivider& divider) { divider.halve_points(*grid, ranks, target); });
                return;
            }
            if (deadline.passed()) return;
            // A part is of no use later if improve() changes the half before it is divided.
            const DivisionEffort& here = efforts[division.depth];
            std::array<bool, 2> leave{};
            for (std::size_t side = 0; side < leave.size(); ++side) {
                const Division::Half& half = division.halves[side];
                leave[side] = half.halved || (half.goes_on && !here.improves());
            }
            dividers.with_one([&](GroupDivider& divider) {
                divider.halve(ranks, target, here.bisection, seed_of(division), leave, waiting,
                              threads, deadline);
            });
        },
        [&](std::span<RankId> ranks, std::span<const std::uint32_t> first,
            const Division& division) {
            const std::size_t depth = division.depth;
            if (deadline.passed() || !efforts[depth].improves()) return;
            const GroupDivider::LinkCosts costs{cost_of_byte(machine, depth),
                                                depth > 1 ? cost_of_byte(machine, depth - 1) : 0.0};
            const Deadline own = for_exchanges(ranks.size());
            dividers.with_one([&](GroupDivider& divider) {
                divider.improve(ranks, first, efforts[depth], costs, seed_of(division), own);
            });
            if (own.passed()) cut_short = true;
        }};
    std::vector<RankId> ranks(graph.num_vertices());
    std::iota(ranks.begin(), ranks.end(), RankId{0});
    Multisection result;
    result.bin_of_rank = fill_by_halves(machine, std::move(ranks), splitting, threads);
    result.cut_short = cut_short || deadline.passed();
    return result;
}

}  // namespace commmap
