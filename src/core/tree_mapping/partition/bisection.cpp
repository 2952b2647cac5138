// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/partition/bisection.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "commmap/ids.hpp"
#include "core/tree_mapping/graph/cut_shares.hpp"

namespace commmap {
namespace {

constexpr std::uint32_t smallest = 40;        ///< vertices of the smallest graphs
constexpr std::uint32_t kept_up_to = 600;     ///< in larger graphs only the best split is refined
constexpr std::uint32_t second_up_to = 4096;  ///< the same for the best splits of two hierarchies
/// A coarsest graph this many times larger than asked for gets little effort. Its vertices found no
/// more partners, so each start takes as long as on the whole graph.
constexpr std::uint32_t much_larger = 4;
constexpr std::uint32_t uncoarsened_up_to = 8192;  ///< vertices of graphs with hubs

constexpr BisectionEffort few_starts{.starts = 2, .kept = 1};
constexpr unsigned most_patience = 300;            ///< moves
constexpr std::uint32_t vertices_for_a_move = 50;  ///< patience rises by a move for so many

/// Refinement in the first search, which tells whether a graph has good cuts.
constexpr TwoWayRefinement::Effort quick_refinement{4, 15};

/// Returns the goal of a split. Sizes may miss the target by the largest vertex, but not at all if
/// all vertices are single ranks.
TwoWayRefinement::Goal goal_of(const CsrGraph& graph, std::uint64_t target) {
    const std::uint32_t largest = *std::max_element(graph.sizes.begin(), graph.sizes.end());
    return {target, largest > 1 ? largest : 0U};
}

void best_first(std::vector<Bipartition>& candidates) {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.cut < b.cut; });
}

/// Drops candidates with the same cut as the candidate before. @pre the best candidate is first
void drop_equals(std::vector<Bipartition>& candidates) {
    candidates.erase(std::unique(candidates.begin(), candidates.end(),
                                 [](const auto& a, const auto& b) { return a.cut == b.cut; }),
                     candidates.end());
}

}  // namespace

Sides Bisection::split(Hierarchy& hierarchy, std::uint64_t target, const BisectionEffort& effort,
                       std::uint64_t seed, Threads& threads) {
    const CsrGraph& graph = hierarchy.graph(0);
    const std::uint64_t total = graph.num_ranks();
    if (target == 0 || target >= total)
        return Sides(graph.num_vertices(), static_cast<std::uint8_t>(target == 0 ? 1 : 0));
    if (graph.neighbours.empty() && total == graph.num_vertices()) {  // nothing to cut
        Sides sides(graph.num_vertices(), 1);
        std::fill(sides.begin(), sides.begin() + static_cast<std::ptrdiff_t>(target), 0);
        return sides;
    }
    random_ = Random(seed);
    const bool hubs = has_hubs(graph);
    effort_ = effort.look_first ? quick_refinement : effort.refinement;
    bool once = hubs || effort.hierarchies < 2 || graph.num_vertices() <= smallest;
    step_ = hubs ? Hierarchy::Step::four : effort.step;
    hierarchy.coarsen(once ? smallest : effort.shared, random_, step_);
    const CsrGraph& coarsest = hierarchy.coarsest();
    once = once || coarsest.num_vertices() > much_larger * effort.shared;
    Bipartitions candidates;
    if (once) {
        candidates = split_levels(hierarchy, target, effort);
        if (effort.look_first && !cut_shares(graph, candidates.front().sides).are_large(2)) {
            effort_ = effort.refinement;
            candidates.push_back(std::move(split_levels(hierarchy, target, effort).front()));
            best_first(candidates);
        }
    } else {
        candidates = try_hierarchies(coarsest, target, effort, threads);
        if (candidates.size() > 2) candidates.resize(2);
        refine_down(hierarchy, second_up_to, target, candidates);
    }
    if (hubs && graph.num_vertices() <= uncoarsened_up_to) {
        for (Bipartition& start : starts(graph, target, few_starts))
            candidates.push_back(std::move(start));
        best_first(candidates);
    }
    return std::move(candidates.front().sides);
}

/// Returns the splits of several hierarchies of a graph, and their combinations; the best first.
Bisection::Bipartitions Bisection::try_hierarchies(const CsrGraph& graph, std::uint64_t target,
                                                   const BisectionEffort& effort,
                                                   Threads& threads) {
    Bipartitions candidates;
    if (effort.look_first) {
        add_hierarchies(graph, target, effort, 1, threads, candidates);
        if (cut_shares(graph, candidates.front().sides).are_large(2)) return candidates;
    }
    effort_ = effort.refinement;
    add_hierarchies(graph, target, effort, effort.hierarchies - candidates.size(), threads,
                    candidates);
    add_combinations(graph, target, effort.combinations, candidates);
    return candidates;
}

void Bisection::add_hierarchies(const CsrGraph& graph, std::uint64_t target,
                                const BisectionEffort& effort, std::size_t count, Threads& threads,
                                Bipartitions& candidates) {
    std::vector<std::uint64_t> seeds(count);
    for (std::uint64_t& seed : seeds) seed = random_.next();
    const std::size_t known = candidates.size();
    candidates.resize(known + count);
    threads.parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
        Bisection bisection;
        for (std::size_t h = begin; h < end; ++h) {
            bisection.random_ = Random(seeds[h]);
            bisection.effort_ = effort_;
            bisection.step_ = step_;
            candidates[known + h] = bisection.split_coarse(graph, target, effort);
        }
    });
    best_first(candidates);
}

Bipartition Bisection::split_coarse(const CsrGraph& graph, std::uint64_t target,
                                    const BisectionEffort& effort) {
    const Hierarchy hierarchy(graph, smallest, random_, step_);
    return std::move(split_levels(hierarchy, target, effort).front());
}

/// Returns the splits of a hierarchy's finest graph, the best first.
/// @param hierarchy  goes down to the smallest graph
Bisection::Bipartitions Bisection::split_levels(const Hierarchy& hierarchy, std::uint64_t target,
                                                const BisectionEffort& effort) {
    const CsrGraph& coarsest = hierarchy.coarsest();
    const bool small = coarsest.num_vertices() <= much_larger * smallest;
    Bipartitions candidates = starts(coarsest, target, small ? effort : few_starts);
    refine_down(hierarchy, kept_up_to, target, candidates);
    return candidates;
}

void Bisection::add_combinations(const CsrGraph& graph, std::uint64_t target, unsigned count,
                                 Bipartitions& candidates) {
    for (unsigned c = 0; c < count && candidates.size() > 1; ++c) {
        // Combine in turn the best candidate with another, and any two candidates.
        const std::size_t a = c % 2 == 0 ? 0 : random_.below(candidates.size());
        std::size_t b = random_.below(candidates.size() - 1);
        if (b >= a) ++b;
        candidates.push_back(combine(graph, target, candidates[a], candidates[b]));
        best_first(candidates);
        drop_equals(candidates);
    }
}

Bipartition Bisection::combine(const CsrGraph& graph, std::uint64_t target, const Bipartition& a,
                               const Bipartition& b) {
    std::vector<std::uint32_t> labels(graph.num_vertices());
    for (std::uint32_t v = 0; v < labels.size(); ++v) labels[v] = 2U * a.sides[v] + b.sides[v];
    const Hierarchy hierarchy(graph, smallest, random_, Hierarchy::Step::two, labels);
    const CsrGraph& coarsest = hierarchy.coarsest();
    Bipartitions candidates{a, b};
    for (Bipartition& candidate : candidates) {
        for (std::size_t level = 0; level < hierarchy.num_levels(); ++level)
            candidate.sides =
                hierarchy.to_coarser(level, std::span<const std::uint8_t>(candidate.sides));
        candidate.border.clear();
        refinement_.refine(coarsest, goal_of(coarsest, target), refinement_of(coarsest), candidate);
    }
    best_first(candidates);
    refine_down(hierarchy, kept_up_to, target, candidates);
    return std::move(candidates.front());
}

void Bisection::refine_down(const Hierarchy& hierarchy, std::uint32_t alone, std::uint64_t target,
                            Bipartitions& candidates) {
    for (std::size_t level = hierarchy.num_levels(); level-- > 0;) {
        if (hierarchy.graph(level).num_vertices() > alone) candidates.resize(1);
        refine_all(hierarchy, level, target, candidates);
    }
}

void Bisection::refine_all(const Hierarchy& hierarchy, std::size_t level, std::uint64_t target,
                           Bipartitions& candidates) {
    const CsrGraph& finer = hierarchy.graph(level);
    for (Bipartition& candidate : candidates) {
        candidate.sides = hierarchy.to_finer(level, std::span<const std::uint8_t>(candidate.sides));
        candidate.border =
            hierarchy.to_finer(level, std::span<const std::uint8_t>(candidate.border));
        refinement_.refine(finer, goal_of(finer, target), refinement_of(finer), candidate);
    }
    best_first(candidates);
}

/// Returns refined starts, the best first: no two with the same cut, and at least one.
Bisection::Bipartitions Bisection::starts(const CsrGraph& graph, std::uint64_t target,
                                          const BisectionEffort& effort) {
    Bipartitions candidates;
    for (unsigned start = 0; start < std::max(1U, effort.starts); ++start) {
        Bipartition& split = candidates.emplace_back();
        split.sides =
            start % 2 == 0 ? grow_breadth_first(graph, target) : grow_greedily(graph, target);
        refinement_.refine(graph, goal_of(graph, target), refinement_of(graph), split);
    }
    best_first(candidates);
    drop_equals(candidates);
    if (candidates.size() > effort.kept) candidates.resize(std::max(1U, effort.kept));
    return candidates;
}

TwoWayRefinement::Effort Bisection::refinement_of(const CsrGraph& graph) const {
    return {effort_.passes,
            std::min(most_patience, effort_.patience + graph.num_vertices() / vertices_for_a_move)};
}

std::uint32_t Bisection::random_outside(const CsrGraph& graph, const Sides& sides) {
    const std::uint32_t n = graph.num_vertices();
    const auto from = static_cast<std::uint32_t>(random_.below(n));
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t v = (from + i) % n;
        if (sides[v] == 1) return v;
    }
    return no_id;
}

Sides Bisection::grow_breadth_first(const CsrGraph& graph, std::uint64_t target) {
    Sides sides(graph.num_vertices(), 1);
    queue_.clear();
    std::uint64_t size = 0;
    for (std::size_t next = 0; size < target; ++next) {
        if (next == queue_.size()) {
            const std::uint32_t v = random_outside(graph, sides);
            if (v == no_id || size + graph.sizes[v] / 2 > target) break;
            sides[v] = 0;
            size += graph.sizes[v];
            queue_.push_back(v);
        }
        for (const std::uint32_t u : graph.neighbours_of(queue_[next])) {
            if (sides[u] == 0 || size + graph.sizes[u] / 2 > target) continue;
            sides[u] = 0;
            size += graph.sizes[u];
            queue_.push_back(u);
        }
    }
    return sides;
}

Sides Bisection::grow_greedily(const CsrGraph& graph, std::uint64_t target) {
    const std::uint32_t n = graph.num_vertices();
    Sides sides(n, 1);
    gains_.assign(n, 0.0);
    heap_.reset(n, gains_.data());
    std::uint64_t size = 0;
    while (size < target) {
        std::uint32_t v = no_id;
        if (heap_.empty()) {
            v = random_outside(graph, sides);
            if (v == no_id) break;
        } else {
            v = heap_.top();
            heap_.remove_top();
        }
        if (size + graph.sizes[v] / 2 > target) break;
        sides[v] = 0;
        size += graph.sizes[v];
        for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            const std::uint32_t u = graph.neighbours[i];
            if (sides[u] == 0) continue;
            if (!heap_.contains(u)) gains_[u] = -graph.weight_of(u);
            gains_[u] += 2.0 * static_cast<double>(graph.weights[i]);
            heap_.set(u);
        }
    }
    return sides;
}

}  // namespace commmap
