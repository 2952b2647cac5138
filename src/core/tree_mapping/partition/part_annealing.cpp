// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/partition/part_annealing.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "core/tree_mapping/graph/cut_shares.hpp"

namespace commmap {
namespace {

// The unit of temperatures is the mean weight of a cut edge. All were chosen with the training set
// (bench/mapping/graph_sets.py). The cut changes little if they are halved or doubled.
constexpr double heat_of_only_cycle = 0.25;
constexpr double least_first_heat = 0.6;
/// The first heat rises by this number, times the share of edges that are cut: a partition that
/// cuts many edges is a poor start.
constexpr double heat_of_cut = 2.0;
constexpr double last_heat = 0.08;
constexpr double coldest = 0.08;            ///< a graph's last temperature, as a share of its heat
constexpr double hotter_when_coarse = 3.0;  ///< factor of the heat on the coarsest graph

constexpr std::size_t vertices_of_coarsest = 12;  ///< for each part
/// A graph with more than this share of the next finer graph's vertices is left out.
constexpr double as_large = 0.75;
/// Most looks at all vertices of a graph. Few vertices at the border would get many looks.
constexpr std::uint64_t most_looks = 64;
/// Most ranks too many in a part while a graph is annealed, as a share of the part's target. The
/// size of the largest vertex is always allowed.
constexpr double most_excess = 0.02;

/// Cost of a rank too many for each rank that comes, in temperatures, if all vertices are single
/// ranks.
constexpr double dear_size = 2.0;

constexpr float never = 1e30F;

/// The cost that a move may have, in temperatures: quantiles of the exponential distribution. To
/// draw a quantile and to compare it with the cost is the same as the usual comparison with
/// exp(-cost / temperature), and faster.
using Allowances = std::array<float, 1024>;

Allowances allowances() {
    Allowances values{};
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(
            -std::log((static_cast<double>(i) + 0.5) / static_cast<double>(values.size())));
    return values;
}

/// Returns the point of a line from `begin` at 0 to `end` at 1.
double between(double begin, double end, double at) { return begin + (end - begin) * at; }

}  // namespace

bool PartAnnealing::lower_cut(const Problem& problem, const Effort& effort, Random& random,
                              Parts& part_of, const Deadline& deadline) {
    assert(takes(problem.graph.num_vertices(), problem.targets.size()));
    assert(part_of.size() == problem.graph.num_vertices());
    const CutShares begin = cut_shares(problem.graph, part_of);
    if (begin.cut <= 0.0) return false;
    targets_ = problem.targets;
    const auto down_to = static_cast<std::uint32_t>(targets_.size() * vertices_of_coarsest);
    const double first_heat = least_first_heat + heat_of_cut * begin.edges;
    const unsigned cycles = begin.are_large(targets_.size())
                                ? effort.cycles
                                : std::min(effort.cycles, effort.with_good_cuts);
    double least = begin.cut;
    for (unsigned cycle = 0; cycle < cycles && !deadline.passed(); ++cycle) {
        const double heat = cycles == 1 ? heat_of_only_cycle
                                        : between(first_heat, last_heat, cycle / (cycles - 1.0));
        const Hierarchy hierarchy(problem.graph, down_to, random, Hierarchy::Step::two, part_of);
        part_of_ = part_of;
        if (!run_cycle(hierarchy, heat * begin.mean_weight, effort.tries, random, deadline)) break;
        // The cut is summed afresh, because the weights that moves have changed are floats.
        const double cut = cut_shares(problem.graph, part_of_).cut;
        if (cut >= least) continue;
        least = cut;
        part_of = part_of_;
    }
    return least < begin.cut;
}

bool PartAnnealing::run_cycle(const Hierarchy& hierarchy, double heat, unsigned tries,
                              Random& random, const Deadline& deadline) {
    const std::size_t levels = hierarchy.num_levels();
    for (std::size_t level = 0; level < levels; ++level)
        part_of_ = hierarchy.to_coarser(level, std::span<const std::uint32_t>(part_of_));
    const auto size_of = [&](std::size_t level) {
        return static_cast<double>(hierarchy.graph(level).num_vertices());
    };
    for (std::size_t level = levels;; --level) {
        if (deadline.passed()) return false;
        const bool left_out =
            level > 0 && level < levels && size_of(level) > as_large * size_of(level - 1);
        if (!left_out) {
            const double depth =
                level == 0 ? 0.0 : static_cast<double>(level) / static_cast<double>(levels);
            anneal(hierarchy.graph(level), heat * between(1.0, hotter_when_coarse, depth), tries,
                   random, deadline);
        }
        if (level == 0) return true;
        part_of_ = hierarchy.to_finer(level - 1, std::span<const std::uint32_t>(part_of_));
    }
}

void PartAnnealing::start(const CsrGraph& graph) {
    const std::uint32_t n = graph.num_vertices();
    const std::size_t num_parts = targets_.size();
    row_ = row_of(num_parts);
    weight_to_.assign(n * row_, 0.0F);
    total_.assign(n, 0.0F);
    excess_.assign(num_parts, 0);
    handicap_.assign(row_, never);
    for (std::size_t part = 0; part < num_parts; ++part) excess_[part] -= targets_[part];
    std::uint32_t largest = 1;
    for (std::uint32_t v = 0; v < n; ++v) {
        float* const weights = weights_to(v);
        for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            weights[part_of_[graph.neighbours[i]]] += graph.weights[i];
            total_[v] += graph.weights[i];
        }
        excess_[part_of_[v]] += graph.sizes[v];
        largest = std::max(largest, graph.sizes[v]);
    }
    most_excess_.clear();
    for (const std::uint32_t target : targets_)
        most_excess_.push_back(std::max<std::int64_t>(
            largest, static_cast<std::int64_t>(most_excess * static_cast<double>(target))));
}

void PartAnnealing::anneal(const CsrGraph& graph, double heat, unsigned tries, Random& random,
                           const Deadline& deadline) {
    start(graph);
    const std::uint32_t n = graph.num_vertices();
    std::uint64_t border = 0;
    for (std::uint32_t v = 0; v < n; ++v)
        if (at_border(v)) ++border;
    if (border == 0) return;
    const double mean_size = static_cast<double>(graph.num_ranks()) / static_cast<double>(n);
    const auto looks =
        static_cast<unsigned>(std::min(most_looks, std::uint64_t{tries} * n / border));
    for (unsigned look = 1; look <= looks && !deadline.passed(); ++look) {
        const double temperature =
            heat * between(1.0, coldest, static_cast<double>(look) / static_cast<double>(looks));
        temperature_ = static_cast<float>(temperature);
        price_ = static_cast<float>(dear_size * temperature / (mean_size * mean_size));
        for (std::size_t part = 0; part < excess_.size(); ++part) set_handicap(part);
        for (std::uint32_t v = 0; v < n; ++v)
            if (at_border(v)) try_move(graph, v, random.next());
    }
}

std::uint32_t PartAnnealing::best_other(std::uint32_t v, float size) {
    const float* const weights = weights_to(v);
    float& own = handicap_[part_of_[v]];
    const float handicap_of_own = std::exchange(own, never);
    // Lanes let the compiler vectorise: it may not change the order of comparisons by itself.
    std::array<float, lanes> most{};
    std::array<std::uint32_t, lanes> best{};
    most.fill(std::numeric_limits<float>::lowest());
    for (std::uint32_t part = 0; part < row_; part += lanes) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            const float value = weights[part + lane] - size * handicap_[part + lane];
            const bool more = value > most[lane];
            most[lane] = more ? value : most[lane];
            best[lane] = more ? part + lane : best[lane];
        }
    }
    own = handicap_of_own;
    std::size_t lane_of_most = 0;
    for (std::size_t lane = 1; lane < lanes; ++lane)
        if (most[lane] > most[lane_of_most]) lane_of_most = lane;
    return best[lane_of_most];
}

void PartAnnealing::try_move(const CsrGraph& graph, std::uint32_t v, std::uint64_t random) {
    static const Allowances allowance = allowances();
    const std::uint32_t from = part_of_[v];
    const std::int64_t size = graph.sizes[v];
    const std::uint32_t to = best_other(v, static_cast<float>(size));
    const std::int64_t excess = excess_[to] + size;  // after the move
    if (excess > most_excess_[to] && excess > excess_[from]) return;
    const float* const weights = weights_to(v);
    const float dearer =
        weights[from] - weights[to] +
        price_ * static_cast<float>(size) * static_cast<float>(excess - excess_[from]);
    if (dearer <= temperature_ * allowance[random % allowance.size()]) move(graph, v, to);
}

void PartAnnealing::move(const CsrGraph& graph, std::uint32_t v, std::uint32_t to) {
    const std::uint32_t from = part_of_[v];
    part_of_[v] = to;
    excess_[from] -= graph.sizes[v];
    excess_[to] += graph.sizes[v];
    set_handicap(from);
    set_handicap(to);
    for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
        float* const weights = weights_to(graph.neighbours[i]);
        weights[from] -= graph.weights[i];
        weights[to] += graph.weights[i];
    }
}

}  // namespace commmap
