// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/published/subset_refinement.hpp"

#include <algorithm>

#include "commmap/ids.hpp"
#include "core/base/cost_order.hpp"

namespace commmap {

namespace {

constexpr std::size_t fruitless_steps = 64;
constexpr unsigned most_passes = 32;  // rounding could let two partitions alternate for ever

bool lower(const SubsetCost& a, const SubsetCost& b) {
    if (a.broken != b.broken) return a.broken < b.broken;
    if (clearly_differ(a.f_s, b.f_s)) return a.f_s < b.f_s;
    return clearly_cheaper(a.sum_s, b.sum_s);
}

/// A partition that changes vertex by vertex, and keeps the gains of all moves up to date.
class Subsets {
public:
    Subsets(const SubsetProblem& problem, std::span<std::uint32_t> subset_of)
        : problem_(problem),
          subset_of_(subset_of),
          k_(problem.capacity.size()),
          processes_(k_, 0),
          vertices_(k_, 0),
          outside_s_(k_, 0.0),
          gain_s_(subset_of.size() * k_, 0.0) {
        for (std::uint32_t v = 0; v < subset_of.size(); ++v) {
            const std::uint32_t own = subset_of[v];
            processes_[own] += problem.graph.processes[v];
            ++vertices_[own];
            for_each_edge(v, [&](std::uint32_t u, double bytes) {
                outside_s_[own] += bytes * seconds(own, subset_of_[u]);
                for (std::uint32_t j = 0; j < k_; ++j)
                    gain_s_[v * k_ + j] +=
                        bytes * (seconds(own, subset_of_[u]) - seconds(j, subset_of_[u]));
            });
        }
    }

    [[nodiscard]] SubsetCost cost() const {
        SubsetCost cost;
        for (std::uint32_t i = 0; i < k_; ++i) {
            if (processes_[i] > problem_.capacity[i])
                cost.broken += processes_[i] - problem_.capacity[i];
            if (vertices_[i] == 0) ++cost.broken;
            cost.f_s = std::max(cost.f_s, outside_s_[i]);
            cost.sum_s += outside_s_[i];
        }
        return cost;
    }

    struct Move {
        std::uint32_t vertex = no_id;  ///< no_id: no move is allowed
        std::uint32_t subset = 0;
    };
    [[nodiscard]] Move best_move(const std::vector<bool>& moved) const {
        if (std::find(vertices_.begin(), vertices_.end(), 0U) != vertices_.end())
            return best_move(moved,
                             [&](std::uint32_t, std::uint32_t j) { return vertices_[j] == 0; });
        const auto has_room = [&](std::uint32_t v, std::uint32_t j) {
            return processes_[j] + problem_.graph.processes[v] <= problem_.capacity[j];
        };
        if (is_one_over()) {
            return best_move(moved, [&](std::uint32_t v, std::uint32_t j) {
                return is_over(subset_of_[v]) && has_room(v, j);
            });
        }
        const Move move = best_move(moved, has_room);
        if (move.vertex != no_id && gain_s_[move.vertex * k_ + move.subset] > 0.0) return move;
        return best_move(moved, [](std::uint32_t, std::uint32_t) { return true; });
    }

    void move(std::uint32_t vertex, std::uint32_t to) {
        const std::uint32_t from = subset_of_[vertex];
        for_each_edge(vertex, [&](std::uint32_t u, double bytes) {
            const std::uint32_t other = subset_of_[u];
            outside_s_[from] -= bytes * seconds(from, other);
            outside_s_[other] -= bytes * seconds(from, other);
            outside_s_[to] += bytes * seconds(to, other);
            outside_s_[other] += bytes * seconds(to, other);
            for (std::uint32_t j = 0; j < k_; ++j)
                gain_s_[u * k_ + j] += bytes * (seconds(other, to) - seconds(other, from) -
                                                seconds(j, to) + seconds(j, from));
        });
        const double own_gain_s = gain_s_[vertex * k_ + to];
        for (std::uint32_t j = 0; j < k_; ++j) gain_s_[vertex * k_ + j] -= own_gain_s;
        processes_[from] -= problem_.graph.processes[vertex];
        processes_[to] += problem_.graph.processes[vertex];
        --vertices_[from];
        ++vertices_[to];
        subset_of_[vertex] = to;
    }

    [[nodiscard]] std::uint32_t of(std::uint32_t vertex) const { return subset_of_[vertex]; }

private:
    template <class Allowed>
    [[nodiscard]] Move best_move(const std::vector<bool>& moved, Allowed&& allowed) const {
        Move best;
        double best_gain_s = 0.0;
        for (std::uint32_t v = 0; v < subset_of_.size(); ++v) {
            const std::uint32_t own = subset_of_[v];
            if (moved[v] || vertices_[own] < 2) continue;
            for (std::uint32_t j = 0; j < k_; ++j) {
                if (j == own || (best.vertex != no_id && gain_s_[v * k_ + j] <= best_gain_s) ||
                    !allowed(v, j))
                    continue;
                best = {v, j};
                best_gain_s = gain_s_[v * k_ + j];
            }
        }
        return best;
    }

    [[nodiscard]] double seconds(std::uint32_t i, std::uint32_t j) const {
        return problem_.seconds_per_byte[i * k_ + j];
    }

    template <class Use>
    void for_each_edge(std::uint32_t v, Use&& use) const {
        const WeightedGraph& edges = problem_.graph.edges;
        for (std::size_t i = edges.first[v]; i < edges.first[v + 1]; ++i)
            use(edges.neighbours[i], static_cast<double>(edges.weights[i]));
    }

    [[nodiscard]] bool is_over(std::uint32_t subset) const {
        return processes_[subset] > problem_.capacity[subset];
    }
    [[nodiscard]] bool is_one_over() const {
        for (std::uint32_t i = 0; i < k_; ++i)
            if (is_over(i)) return true;
        return false;
    }

    const SubsetProblem& problem_;
    std::span<std::uint32_t> subset_of_;
    std::size_t k_;
    std::vector<std::uint64_t> processes_;
    std::vector<std::uint32_t> vertices_;
    std::vector<double> outside_s_;  ///< by subset: the sum of c over the edges that leave it
    std::vector<double> gain_s_;     ///< by vertex and subset: the gain of moving the vertex there
};

/// Runs one pass of moves.
/// @return  false if the pass has found no better partition
bool pass(Subsets& subsets, std::size_t num_vertices) {
    struct Step {
        std::uint32_t vertex;
        std::uint32_t from;
    };
    std::vector<Step> steps;
    std::vector<bool> moved(num_vertices, false);
    SubsetCost best = subsets.cost();
    std::size_t best_steps = 0;
    while (best.broken > 0 || steps.size() < best_steps + fruitless_steps) {
        const Subsets::Move move = subsets.best_move(moved);
        if (move.vertex == no_id) break;
        moved[move.vertex] = true;
        steps.push_back({move.vertex, subsets.of(move.vertex)});
        subsets.move(move.vertex, move.subset);
        const SubsetCost now = subsets.cost();
        if (!lower(now, best)) continue;
        best = now;
        best_steps = steps.size();
    }
    for (; steps.size() > best_steps; steps.pop_back())
        subsets.move(steps.back().vertex, steps.back().from);
    return best_steps > 0;
}

}  // namespace

SubsetCost subset_cost(const SubsetProblem& problem, std::span<const std::uint32_t> subset_of) {
    std::vector<std::uint32_t> copy(subset_of.begin(), subset_of.end());
    return Subsets(problem, copy).cost();
}

void refine_subsets(const SubsetProblem& problem, std::span<std::uint32_t> subset_of) {
    Subsets subsets(problem, subset_of);
    for (unsigned i = 0; i < most_passes && pass(subsets, subset_of.size()); ++i) {
    }
}

}  // namespace commmap
