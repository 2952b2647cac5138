// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/partition/two_way_refinement.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>

#include "core/base/cost_order.hpp"

namespace commmap {

namespace {
constexpr std::uint8_t both_sides[] = {0, 1};
/// Most vertices without neighbours of each side that a pass begins with, because they gain
/// nothing. If right sizes need more of them, all vertices are offered.
constexpr std::size_t most_alone = 50;
}  // namespace

void TwoWayRefinement::refine(const CsrGraph& graph, const Goal& goal, const Effort& effort,
                              Bipartition& split) {
    Sides& sides = split.sides;
    assert(sides.size() == graph.num_vertices() && "sides of another graph");
    assert((split.border.empty() || split.border.size() == sides.size()) && "another's border");
    off_ = -static_cast<std::int64_t>(goal.target);
    max_size_ = 1;
    for (std::uint32_t v = 0; v < graph.num_vertices(); ++v) {
        if (sides[v] == 0) off_ += graph.sizes[v];
        max_size_ = std::max<std::int64_t>(max_size_, graph.sizes[v]);
    }
    find_gains(graph, split);
    moved_in_.assign(graph.num_vertices(), 0);
    pass_ = 0;
    for (GainHeap& heap : heaps_) heap.reset(graph.num_vertices(), gains_.data());
    for (unsigned pass = 0; pass < effort.passes; ++pass)
        if (!run_pass(graph, goal, effort.patience, sides, split.cut)) break;
    split.border.assign(graph.num_vertices(), 0);
    for (const std::uint32_t v : near_) split.border[v] = is_boundary(v) ? 1 : 0;
}

/// Computes the cut, and the gains of the vertices at the border.
void TwoWayRefinement::find_gains(const CsrGraph& graph, Bipartition& split) {
    const std::uint32_t n = graph.num_vertices();
    const Sides& sides = split.sides;
    gains_.resize(n);
    totals_.assign(n, unknown);
    near_.clear();
    double cut = 0.0;
    for (std::uint32_t v = 0; v < n; ++v) {
        if (!split.border.empty() && split.border[v] == 0) continue;
        double across = 0.0;
        double total = 0.0;
        for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            const auto weight = static_cast<double>(graph.weights[i]);
            total += weight;
            across += sides[graph.neighbours[i]] == sides[v] ? 0.0 : weight;
        }
        gains_[v] = 2.0 * across - total;
        totals_[v] = total;
        cut += across;
        if (is_boundary(v)) near_.push_back(v);
    }
    split.cut = cut / 2;
}

/// Computes the gain of a vertex whose neighbours are all on its side.
void TwoWayRefinement::find_gain(const CsrGraph& graph, std::uint32_t v) {
    totals_[v] = graph.weight_of(v);
    gains_[v] = -totals_[v];
}

/// Runs one pass of moves.
/// @return  true if a better state was found
bool TwoWayRefinement::run_pass(const CsrGraph& graph, const Goal& goal, unsigned patience,
                                Sides& sides, double& cut) {
    ++pass_;
    log_.clear();
    offer_boundary(sides);

    const auto tolerance = static_cast<std::int64_t>(goal.tolerance);
    // During a pass, sizes may be off by one vertex. With half a percent of all ranks, cuts were a
    // third larger.
    const std::int64_t slack = std::max({tolerance, max_size_});
    const auto too_much = [&] { return std::max<std::int64_t>(0, std::abs(off_) - tolerance); };
    const auto off_without = [&](std::uint8_t side) {
        const std::int64_t size = graph.sizes[heaps_[side].top()];
        return side == 0 ? off_ - size : off_ + size;
    };

    const double before = cut;
    const std::int64_t wrong_before = too_much();
    double best = cut;
    std::int64_t least_wrong = wrong_before;
    double now = cut;
    std::size_t best_moves = 0;
    for (unsigned fruitless = 0; fruitless < patience;) {
        // Until sizes have been right once, only moves that bring them nearer are allowed.
        const std::uint8_t larger = off_ > 0 ? 0 : 1;
        const bool must = least_wrong > 0 || std::abs(off_) > slack;
        if (must && heaps_[larger].empty()) {
            offer_all(graph, larger, sides);
            if (heaps_[larger].empty()) break;
        }
        bool allowed[2];
        for (const std::uint8_t side : both_sides) {
            allowed[side] =
                !heaps_[side].empty() && ((!must && std::abs(off_without(side)) <= slack) ||
                                          std::abs(off_without(side)) < std::abs(off_));
        }
        if (!allowed[0] && !allowed[1]) {  // take vertices off that are too large for this pass
            bool any = false;
            for (const std::uint8_t side : both_sides) {
                GainHeap& heap = heaps_[side];
                if (heap.empty() || (must && side != larger)) continue;
                moved_in_[heap.top()] = pass_;
                heap.remove_top();
                any = true;
            }
            if (!any) break;
            continue;
        }
        std::uint8_t side = allowed[0] ? 0 : 1;
        if (allowed[0] && allowed[1]) {
            const double difference = heaps_[0].top_gain() - heaps_[1].top_gain();
            side = difference > 0.0 || (difference == 0.0 && off_ > 0) ? 0 : 1;
        }
        const std::uint32_t v = heaps_[side].top();
        now -= gains_[v];
        off_ = off_without(side);
        heaps_[side].remove_top();
        move(graph, v, sides);
        log_.push_back(v);
        const std::int64_t wrong = too_much();
        if (wrong < least_wrong ||
            (wrong == least_wrong && now < best - same_cost * std::abs(best))) {
            least_wrong = wrong;
            best = now;
            best_moves = log_.size();
            fruitless = 0;
        } else {
            ++fruitless;
        }
    }
    for (GainHeap& heap : heaps_) heap.clear();
    while (log_.size() > best_moves) {
        const std::uint32_t v = log_.back();
        log_.pop_back();
        off_ += sides[v] == 0 ? -static_cast<std::int64_t>(graph.sizes[v])
                              : static_cast<std::int64_t>(graph.sizes[v]);
        flip(graph, v, sides, [](std::uint32_t) {});
    }
    cut = best;
    return least_wrong < wrong_before || best < before;
}

/// Moves a vertex to its other side, updates its neighbours' gains, and calls use(u) for each
/// neighbour.
template <class Use>
void TwoWayRefinement::flip(const CsrGraph& graph, std::uint32_t v, Sides& sides, const Use& use) {
    const std::uint8_t side = sides[v] ^= 1U;
    gains_[v] = -gains_[v];
    const std::uint32_t end = graph.first[v + 1];
    for (std::uint32_t i = graph.first[v]; i < end; ++i) {
        const std::uint32_t u = graph.neighbours[i];
        const double twice = 2.0 * static_cast<double>(graph.weights[i]);
        if (totals_[u] == unknown) find_gain(graph, u);
        gains_[u] += sides[u] == side ? -twice : twice;
        use(u);
    }
}

void TwoWayRefinement::move(const CsrGraph& graph, std::uint32_t v, Sides& sides) {
    moved_in_[v] = pass_;
    flip(graph, v, sides, [&](std::uint32_t u) {
        if (moved_in_[u] != pass_) offer(u, sides[u]);
    });
}

void TwoWayRefinement::offer(std::uint32_t v, std::uint8_t side) {
    // Vertices without neighbours are in near_ from the beginning.
    if (heaps_[side].set(v) && totals_[v] != 0.0) near_.push_back(v);
}

void TwoWayRefinement::offer_boundary(const Sides& sides) {
    std::size_t kept = 0;
    std::size_t alone[2] = {0, 0};
    for (const std::uint32_t v : near_) {
        if (!is_boundary(v)) continue;
        near_[kept++] = v;
        if (totals_[v] == 0.0 && ++alone[sides[v]] > most_alone) continue;
        heaps_[sides[v]].set(v);
    }
    near_.resize(kept);
}

/// Offers all vertices of a side, if no vertex at the boundary is left that makes the sizes right.
void TwoWayRefinement::offer_all(const CsrGraph& graph, std::uint8_t side, const Sides& sides) {
    for (std::uint32_t v = 0; v < sides.size(); ++v) {
        if (sides[v] != side || moved_in_[v] == pass_) continue;
        if (totals_[v] == unknown) find_gain(graph, v);
        offer(v, side);
    }
}

}  // namespace commmap
