// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/partition/part_refinement.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>

#include "commmap/ids.hpp"
#include "core/base/cost_order.hpp"

namespace commmap {
namespace {

constexpr unsigned both_of_pair[] = {0, 1};
/// A pair is refined if the potential of one of its parts is at least this share of the highest.
constexpr double least_worth = 0.01;
/// Most other parts to which a vertex may go in a sweep: those to which it has most weight. In
/// complete graphs each vertex would otherwise be tried with all parts.
constexpr std::size_t most_ways = 4;
constexpr std::uint32_t most_neighbours_of_moved = 4096;
constexpr std::size_t pairs_between_looks = 8;  ///< pairs between two looks at the deadline

}  // namespace

std::vector<double> PartRefinement::loads_of(const Problem& problem, const Parts& part_of) {
    const CsrGraph& graph = problem.graph;
    std::vector<double> loads(problem.targets.size(), 0.0);
    for (std::uint32_t v = 0; v < graph.num_vertices(); ++v) {
        double out = problem.outside.empty() ? 0.0 : problem.outside[v];
        for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            if (part_of[graph.neighbours[i]] != part_of[v])
                out += static_cast<double>(graph.weights[i]);
        }
        loads[part_of[v]] += out;
    }
    return loads;
}

double PartRefinement::potential_of(const Problem& problem, const Parts& part_of) {
    double sum = 0.0;
    for (const double load : loads_of(problem, part_of)) sum += problem.potential.of(load);
    return sum;
}

void PartRefinement::start(const Problem& problem, Parts& part_of) {
    const CsrGraph& graph = problem.graph;
    problem_ = &problem;
    part_of_ = &part_of;
    const std::size_t num_parts = problem.targets.size();
    loads_ = loads_of(problem, part_of);
    excess_.assign(num_parts, 0);
    largest_ = 1;
    for (std::size_t part = 0; part < num_parts; ++part) excess_[part] -= problem.targets[part];
    for (std::uint32_t v = 0; v < graph.num_vertices(); ++v) {
        excess_[part_of[v]] += graph.sizes[v];
        largest_ = std::max(largest_, graph.sizes[v]);
    }
    weight_to_.assign(num_parts, 0.0);
    near_.clear();
}

bool PartRefinement::is_hub(std::uint32_t v) const {
    return problem_->graph.first[v + 1] - problem_->graph.first[v] > most_neighbours_of_moved;
}

void PartRefinement::find_weights(std::uint32_t v) {
    const CsrGraph& graph = problem_->graph;
    for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
        const std::uint32_t part = (*part_of_)[graph.neighbours[i]];
        if (weight_to_[part] == 0.0) near_.push_back(part);
        weight_to_[part] += static_cast<double>(graph.weights[i]);
    }
}

void PartRefinement::forget_weights() {
    for (const std::uint32_t part : near_) weight_to_[part] = 0.0;
    near_.clear();
}

void PartRefinement::refine(const Problem& problem, const Effort& effort, Parts& part_of,
                            const Deadline& deadline) {
    const CsrGraph& graph = problem.graph;
    start(problem, part_of);
    const std::size_t num_parts = problem.targets.size();
    gains_.resize(graph.num_vertices());
    moved_in_.assign(graph.num_vertices(), 0);
    pass_ = 0;
    for (GainHeap& heap : heaps_) heap.reset(graph.num_vertices(), gains_.data());
    active_.assign(num_parts, 1);
    wanted_.assign(num_parts, 1);
    for (unsigned sweep = 0; sweep < effort.sweeps; ++sweep) {
        const double enough =
            least_worth * problem.potential.of(*std::max_element(loads_.begin(), loads_.end()));
        const auto worth_it = [&](std::uint32_t part) {
            return active_[part] != 0 && problem.potential.of(loads_[part]) >= enough;
        };
        for (std::uint32_t part = 0; part < num_parts; ++part)
            wanted_[part] = worth_it(part) ? 1 : 0;
        find_borders();
        changed_.assign(num_parts, 0);
        bool any = false;
        std::size_t pairs = 0;
        for (std::size_t begin = 0; begin < borders_.size();) {
            if (pairs++ % pairs_between_looks == 0 && deadline.passed()) return;
            const std::uint64_t key = borders_[begin].pair;
            std::size_t end = begin;
            while (end < borders_.size() && borders_[end].pair == key) ++end;
            const Pair pair{
                {static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(key)}};
            if (refine_pair(pair, {borders_.data() + begin, end - begin}, effort.patience)) {
                any = true;
                changed_[pair.parts[0]] = changed_[pair.parts[1]] = 1;
            }
            begin = end;
        }
        if (!any) break;
        active_.swap(changed_);
    }
}

/// Sets borders_: for each two parts of which one is wanted, the vertices that may change between
/// them.
void PartRefinement::find_borders() {
    const CsrGraph& graph = problem_->graph;
    const Parts& part_of = *part_of_;
    borders_.clear();
    for (std::uint32_t v = 0; v < graph.num_vertices(); ++v) {
        if (is_hub(v)) continue;
        const std::uint32_t own = part_of[v];
        const auto neighbours = graph.neighbours_of(v);
        if (std::all_of(neighbours.begin(), neighbours.end(),
                        [&](std::uint32_t u) { return part_of[u] == own; }))
            continue;
        find_weights(v);
        const auto may = [&](std::uint32_t other) {
            return other != own && (wanted_[own] != 0 || wanted_[other] != 0);
        };
        const auto end = std::partition(near_.begin(), near_.end(), may);
        auto last = end;
        if (static_cast<std::size_t>(end - near_.begin()) > most_ways) {
            last = near_.begin() + most_ways;
            std::nth_element(near_.begin(), last, end, [&](std::uint32_t a, std::uint32_t b) {
                return weight_to_[a] != weight_to_[b] ? weight_to_[a] > weight_to_[b] : a < b;
            });
        }
        std::for_each(near_.begin(), last, [&](std::uint32_t other) {
            borders_.push_back(
                {(std::uint64_t{std::min(own, other)} << 32U) | std::max(own, other), v});
        });
        forget_weights();
    }
    std::sort(borders_.begin(), borders_.end(), [](const Border& a, const Border& b) {
        return a.pair != b.pair ? a.pair < b.pair : a.vertex < b.vertex;
    });
}

PartRefinement::PairWeights PartRefinement::weights_of(std::uint32_t v, Pair pair) const {
    const CsrGraph& graph = problem_->graph;
    PairWeights weights;
    if (!problem_->outside.empty()) weights.rest = problem_->outside[v];
    for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
        const std::uint32_t other = (*part_of_)[graph.neighbours[i]];
        const auto weight = static_cast<double>(graph.weights[i]);
        if (other == pair.parts[0])
            weights.to[0] += weight;
        else if (other == pair.parts[1])
            weights.to[1] += weight;
        else
            weights.rest += weight;
    }
    return weights;
}

/// Puts a vertex of the pair into its heap.
void PartRefinement::offer(std::uint32_t v, Pair pair) {
    const unsigned side = (*part_of_)[v] == pair.parts[0] ? 0 : 1;
    const PairWeights weights = weights_of(v, pair);
    const double own = weights.to[side];
    const double other = weights.to[1 - side];
    // The gain is the decrease of the two links' loads, each times its price of a byte.
    gains_[v] = (other + weights.rest - own) * price_[side] +
                (other - own - weights.rest) * price_[1 - side];
    heaps_[side].set(v);
}

void PartRefinement::move(std::uint32_t v, Pair pair) {
    const CsrGraph& graph = problem_->graph;
    Parts& part_of = *part_of_;
    const unsigned side = part_of[v] == pair.parts[0] ? 0 : 1;
    part_of[v] = pair.parts[1 - side];
    moved_in_[v] = pass_;
    const double prices = price_[0] + price_[1];
    for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
        const std::uint32_t u = graph.neighbours[i];
        const std::uint32_t part = part_of[u];
        if (moved_in_[u] == pass_ || (part != pair.parts[0] && part != pair.parts[1]) || is_hub(u))
            continue;
        const unsigned side_of_u = part == pair.parts[0] ? 0 : 1;
        if (!heaps_[side_of_u].contains(u)) {
            offer(u, pair);
            continue;
        }
        const double change = 2.0 * static_cast<double>(graph.weights[i]) * prices;
        gains_[u] += side_of_u == side ? change : -change;
        heaps_[side_of_u].set(u);
    }
}

/// Refines one pair of parts.
/// @return  whether a better state was found
bool PartRefinement::refine_pair(Pair pair, std::span<const Border> border, unsigned patience) {
    const Potential& potential = problem_->potential;
    ++pass_;
    double load[2];
    Excess excess;
    for (const unsigned side : both_of_pair) {
        load[side] = loads_[pair.parts[side]];
        excess[side] = excess_[pair.parts[side]];
        price_[side] = potential.price(load[side]);
    }
    for (const Border& at : border) {
        const std::uint32_t part = (*part_of_)[at.vertex];
        if (part == pair.parts[0] || part == pair.parts[1]) offer(at.vertex, pair);
    }
    const auto tolerance = static_cast<std::int64_t>(problem_->tolerance);
    const std::int64_t slack = std::max<std::int64_t>(tolerance, largest_);
    const auto wrong_now = [&] {
        return std::max<std::int64_t>(0, std::abs(excess[0]) - tolerance) +
               std::max<std::int64_t>(0, std::abs(excess[1]) - tolerance);
    };
    log_.clear();
    const double before = potential.of(load[0]) + potential.of(load[1]);
    const std::int64_t wrong_before = wrong_now();
    double best = before;
    std::int64_t least_wrong = wrong_before;
    double best_load[2] = {load[0], load[1]};
    Excess best_excess = {excess[0], excess[1]};
    std::size_t best_moves = 0;
    while (log_.size() - best_moves < patience) {
        bool allowed[2];
        for (const unsigned side : both_of_pair) {
            allowed[side] = false;
            if (heaps_[side].empty()) continue;
            const auto size = static_cast<std::int64_t>(problem_->graph.sizes[heaps_[side].top()]);
            const std::int64_t left = std::abs(excess[side] - size);
            const std::int64_t entered = std::abs(excess[1 - side] + size);
            allowed[side] = (left <= slack && entered <= slack) ||
                            left + entered < std::abs(excess[0]) + std::abs(excess[1]);
        }
        if (!allowed[0] && !allowed[1]) {  // take vertices off that are too large for this pass
            bool any = false;
            for (GainHeap& heap : heaps_) {
                if (heap.empty()) continue;
                moved_in_[heap.top()] = pass_;
                heap.remove_top();
                any = true;
            }
            if (!any) break;
            continue;
        }
        unsigned side = allowed[0] ? 0 : 1;
        if (allowed[0] && allowed[1]) {
            const double difference = heaps_[0].top_gain() - heaps_[1].top_gain();
            side = difference > 0.0 || (difference == 0.0 && excess[0] > excess[1]) ? 0 : 1;
        }
        const std::uint32_t v = heaps_[side].top();
        heaps_[side].remove_top();
        const PairWeights weights = weights_of(v, pair);
        load[side] += weights.to[side] - weights.to[1 - side] - weights.rest;
        load[1 - side] += weights.rest + weights.to[side] - weights.to[1 - side];
        const auto size = static_cast<std::int64_t>(problem_->graph.sizes[v]);
        excess[side] -= size;
        excess[1 - side] += size;
        move(v, pair);
        log_.push_back(v);
        const std::int64_t wrong = wrong_now();
        const double now = potential.of(load[0]) + potential.of(load[1]);
        if (wrong < least_wrong || (wrong == least_wrong && clearly_cheaper(now, best))) {
            least_wrong = wrong;
            best = now;
            best_moves = log_.size();
            std::copy_n(load, 2, best_load);
            std::copy_n(excess, 2, best_excess);
        }
    }
    while (log_.size() > best_moves) {
        std::uint32_t& part = (*part_of_)[log_.back()];
        part = part == pair.parts[0] ? pair.parts[1] : pair.parts[0];
        log_.pop_back();
    }
    for (GainHeap& heap : heaps_) heap.clear();
    for (const unsigned side : both_of_pair) {
        loads_[pair.parts[side]] = best_load[side];
        excess_[pair.parts[side]] = best_excess[side];
    }
    return least_wrong < wrong_before || best < before;
}

std::uint32_t PartRefinement::least_loaded_with_room() const {
    std::uint32_t least = no_id;
    for (std::uint32_t part = 0; part < excess_.size(); ++part) {
        if (excess_[part] < 0 && (least == no_id || loads_[part] < loads_[least])) least = part;
    }
    return least;
}

PartRefinement::Exit PartRefinement::exit_of(std::uint32_t v, std::uint32_t least_loaded) {
    const Potential& potential = problem_->potential;
    const std::uint32_t from = (*part_of_)[v];
    find_weights(v);
    double all = problem_->outside.empty() ? 0.0 : problem_->outside[v];
    for (const std::uint32_t part : near_) all += weight_to_[part];
    const double left = loads_[from] + 2.0 * weight_to_[from] - all;
    const double leaving = potential.of(left) - potential.of(loads_[from]);
    const auto entering = [&](std::uint32_t to) {
        return potential.of(loads_[to] + all - 2.0 * weight_to_[to]) - potential.of(loads_[to]);
    };
    // Among the parts without an edge to the vertex, the least loaded part's potential rises least.
    Exit best{leaving + entering(least_loaded), v, least_loaded};
    for (const std::uint32_t to : near_) {
        if (excess_[to] >= 0) continue;
        const double change = leaving + entering(to);
        if (change < best.change || (change == best.change && to < best.to)) best = {change, v, to};
    }
    forget_weights();
    return best;
}

void PartRefinement::fill_exactly(const Problem& problem, Parts& part_of) {
    const CsrGraph& graph = problem.graph;
    start(problem, part_of);
    std::uint32_t least_loaded = least_loaded_with_room();
    if (least_loaded == no_id) return;
    const auto later = [](const Exit& a, const Exit& b) {
        return a.change != b.change ? a.change > b.change : a.vertex > b.vertex;
    };
    std::vector<Exit> exits;
    for (std::uint32_t v = 0; v < graph.num_vertices(); ++v)
        if (excess_[part_of[v]] > 0) exits.push_back(exit_of(v, least_loaded));
    std::make_heap(exits.begin(), exits.end(), later);
    while (!exits.empty()) {
        const std::uint32_t v = exits.front().vertex;
        std::pop_heap(exits.begin(), exits.end(), later);
        exits.pop_back();
        const std::uint32_t from = part_of[v];
        if (excess_[from] <= 0) continue;
        // Loads may have changed since this exit was found, so it is computed again.
        const Exit exit = exit_of(v, least_loaded);
        if (!exits.empty() && later(exit, exits.front())) {
            exits.push_back(exit);
            std::push_heap(exits.begin(), exits.end(), later);
            continue;
        }
        const PairWeights weights = weights_of(v, {{from, exit.to}});
        loads_[from] += weights.to[0] - weights.to[1] - weights.rest;
        loads_[exit.to] += weights.rest + weights.to[0] - weights.to[1];
        --excess_[from];
        ++excess_[exit.to];
        part_of[v] = exit.to;
        least_loaded = least_loaded_with_room();
        if (least_loaded == no_id) return;
        if (is_hub(v)) continue;
        for (const std::uint32_t u : graph.neighbours_of(v)) {
            if (excess_[part_of[u]] <= 0 || is_hub(u)) continue;
            exits.push_back(exit_of(u, least_loaded));
            std::push_heap(exits.begin(), exits.end(), later);
        }
    }
}

}  // namespace commmap
