// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "core/estimate/graphs.hpp"
#include "core/estimate/port_cost.hpp"
#include "core/mapping/mapper_table.hpp"

/// Mapping problems that own what MappingProblem only refers to.
namespace commmap {

struct OwnedProblem {
    std::string name;
    CommGraph graph;
    Hct hct;
    std::vector<PuId> candidate_pus;
    NodeId rank0_node = no_id;
    [[nodiscard]] MappingProblem view() const { return {graph, hct, candidate_pus, rank0_node}; }
};

inline std::vector<PuId> all_pus(const Hct& hct) {
    std::vector<PuId> pus(hct.num_pus());
    std::iota(pus.begin(), pus.end(), 0U);
    return pus;
}

inline OwnedProblem problem_on(const std::string& name, CommGraph graph, Hct hct) {
    std::vector<PuId> candidate_pus = all_pus(hct);
    return {name, std::move(graph), std::move(hct), std::move(candidate_pus), no_id};
}

/// Returns the graph of an x * y * z grid whose ranks exchange faces. The ranks' places are
/// shuffled.
inline CommGraph scrambled_halo(std::uint32_t x, std::uint32_t y, std::uint32_t z,
                                std::uint64_t bytes, unsigned seed, bool corners = false) {
    std::vector<RankId> rank(std::size_t{x} * y * z);
    std::iota(rank.begin(), rank.end(), 0U);
    std::mt19937 random(seed);
    std::shuffle(rank.begin(), rank.end(), random);
    const auto at = [&](int i, int j, int k) {
        return rank[(static_cast<std::size_t>(i) * y + static_cast<std::size_t>(j)) * z +
                    static_cast<std::size_t>(k)];
    };
    const auto inside = [](int v, std::uint32_t n) { return v >= 0 && v < static_cast<int>(n); };
    std::vector<Message> messages;
    for (int i = 0; i < static_cast<int>(x); ++i) {
        for (int j = 0; j < static_cast<int>(y); ++j) {
            for (int k = 0; k < static_cast<int>(z); ++k) {
                for (int d = 0; d < 27; ++d) {
                    const int a = d / 9 - 1;
                    const int b = d / 3 % 3 - 1;
                    const int c = d % 3 - 1;
                    const int axes = a * a + b * b + c * c;
                    if (axes == 0 || (axes > 1 && !corners)) continue;
                    if (!inside(i + a, x) || !inside(j + b, y) || !inside(k + c, z)) continue;
                    const std::uint64_t length = axes == 1 ? bytes : axes == 2 ? bytes / 64 : 8;
                    messages.push_back({at(i, j, k), at(i + a, j + b, k + c), 100, 100 * length});
                }
            }
        }
    }
    return CommGraph(rank.size(), std::move(messages));
}

/// Returns the graph of NPB CG on 4 x 4 ranks: sums along rows by recursive doubling, and an
/// exchange with the transposed place. The ranks' places are shuffled.
inline CommGraph scrambled_cg(std::uint64_t bytes, unsigned seed) {
    std::vector<RankId> rank(16);
    std::iota(rank.begin(), rank.end(), 0U);
    std::mt19937 random(seed);
    std::shuffle(rank.begin(), rank.end(), random);
    std::vector<Message> messages;
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
            for (std::size_t d = 1; d < 4; d *= 2) {
                messages.push_back({rank[4 * i + j], rank[4 * i + (j ^ d)], 200, 200 * bytes});
            }
            if (i != j) messages.push_back({rank[4 * i + j], rank[4 * j + i], 200, 200 * bytes});
        }
    }
    return CommGraph(16, std::move(messages));
}

inline double cost_of(const OwnedProblem& problem, std::span<const PuId> placement) {
    return port_cost(problem.graph, problem.hct, placement).value().cost_s;
}

/// The lowest port cost of all placements. Only for a few ranks.
inline double exhaustive_cost(const OwnedProblem& problem) {
    const std::size_t n = problem.graph.num_ranks();
    std::vector<PuId> order = problem.candidate_pus;
    double best = std::numeric_limits<double>::infinity();
    do {
        const bool fits =
            problem.rank0_node == no_id || problem.hct.pu(order[0]).node == problem.rank0_node;
        if (fits) best = std::min(best, cost_of(problem, std::span(order).first(n)));
        // The reversal skips the other orders of the PUs behind the first n.
        std::reverse(order.begin() + static_cast<std::ptrdiff_t>(n), order.end());
    } while (std::next_permutation(order.begin(), order.end()));
    return best;
}

/// Returns a random problem of 2 to 7 ranks on one of four small trees. Candidate PUs are drawn at
/// random, and sometimes there is one more than ranks.
inline OwnedProblem random_small_problem(std::mt19937& random) {
    const std::size_t n = 2 + random() % 5 + (random() % 8 == 0 ? 1 : 0);
    const auto tree = [&]() -> Hct {
        switch (random() % 4) {
            case 0:
                return uniform_tree({4, 2}, {1e8, 1e9});
            case 1:
                return uniform_tree({2, 2, 2}, {1e8, 2e8, 2e9}, 2);
            case 2:
                return uneven_tree();
            default:
                return sweeney_8x2();
        }
    };
    OwnedProblem p{"random",
                   random_graph(n, 0.2 + 0.1 * static_cast<double>(random() % 8), random),
                   tree(),
                   {},
                   no_id};
    p.candidate_pus =
        random_placement(std::min(n + random() % 2, p.hct.num_pus()), p.hct.num_pus(), random);
    std::sort(p.candidate_pus.begin(), p.candidate_pus.end());
    return p;
}

/// Returns what is wrong with a mapping; empty: it keeps the contract.
inline std::string contract_violation(const OwnedProblem& problem, const Mapping& mapping) {
    if (mapping.pu_of_rank.size() != problem.graph.num_ranks()) return "wrong length";
    std::vector<PuId> used = mapping.pu_of_rank;
    std::sort(used.begin(), used.end());
    if (std::adjacent_find(used.begin(), used.end()) != used.end()) return "two ranks on one PU";
    if (!std::includes(problem.candidate_pus.begin(), problem.candidate_pus.end(), used.begin(),
                       used.end())) {
        return "a PU that is not a candidate PU";
    }
    if (problem.rank0_node != no_id && !used.empty() &&
        problem.hct.pu(mapping.pu_of_rank[0]).node != problem.rank0_node) {
        return "rank 0 is on the wrong node";
    }
    return "";
}

}  // namespace commmap
