// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/published/tmmgp.hpp"

#include <gtest/gtest.h>
#include <metis.h>

#include <array>
#include <numeric>
#include <optional>

#include "core/base/random.hpp"
#include "core/estimate/process_time.hpp"
#include "core/mapping/problems.hpp"

namespace commmap {
namespace {

std::vector<PuId> placed(const OwnedProblem& problem, std::uint64_t seed = 1) {
    const auto placement = tmmgp_placement(problem.view(), {seed});
    EXPECT_TRUE(placement) << placement.error().message;
    return placement.value();
}

TEST(Tmmgp, TheMachineOfFig3) {
    // The paper's caption has N = 16, L = 3, M = 12, and b = 2, 6 and 8 GB/s. The task graph is
    // ours, because the text has no picture: six pairs, each of which exchanges less with the next
    // pair.
    std::vector<Message> messages;
    for (RankId i = 0; i < 6; ++i) messages.push_back({i, 11 - i, 1, 8'000'000});
    for (RankId i = 0; i < 5; ++i) messages.push_back({i, i + 1, 1, 600'000});
    const OwnedProblem problem =
        problem_on("", CommGraph(12, messages), uniform_tree({4, 2, 2}, {2e9, 6e9, 8e9}));

    const auto pu = placed(problem);

    // k = [(12 - 1) / 2] + 1 = 6 processors, the first ones
    for (RankId r = 0; r < 12; ++r) EXPECT_LT(pu[r], 12U) << "rank " << r;
    for (RankId i = 0; i < 6; ++i)
        EXPECT_EQ(pu[i] / 2, pu[11 - i] / 2) << "ranks " << i << " and " << 11 - i;
    // T(X): 8 MB in the processor, 0.6 MB in the node and 0.6 MB to another node
    EXPECT_NEAR(process_time(problem.graph, problem.hct, pu).value(),
                8e6 / 8e9 + 6e5 / 6e9 + 6e5 / 2e9, 1e-12);
    // Round robin, with which Table 1 compares, deals ranks to nodes in turn: all bytes go between
    // nodes.
    std::vector<PuId> round_robin;
    for (RankId r = 0; r < 12; ++r) round_robin.push_back(4 * (r % 4) + r / 4);
    EXPECT_GT(process_time(problem.graph, problem.hct, round_robin).value(), 4e-3);
}

TEST(Tmmgp, ItsSubsetsMayBeLessThanFull) {
    // Three ranks in a row on two elements of two PUs: one rank is alone.
    const OwnedProblem problem =
        problem_on("", CommGraph(3, {{0, 1, 1, 10}, {1, 2, 1, 50}}), two_nodes_of_two());

    const auto pu = placed(problem);

    EXPECT_EQ(pu[1] / 2, pu[2] / 2);
    EXPECT_NE(pu[0] / 2, pu[1] / 2);
}

TEST(Tmmgp, NeverAsksThePortCost) {
    const OwnedProblem problem = problem_on("", scrambled_halo(4, 4, 1, 64'000, 1), sweeney_8x2());

    const auto mapping = map_tmmgp(problem.view(), {});

    ASSERT_TRUE(mapping) << mapping.error().message;
    EXPECT_EQ(contract_violation(problem, mapping.value()), "");
    EXPECT_FALSE(mapping.value().port_cost);
    EXPECT_FALSE(mapping.value().linear_instead);
    EXPECT_TRUE(mapping.value().notes.empty());
}

TEST(Tmmgp, RefusesATableOfGainsThatIsTooLarge) {
    const OwnedProblem problem = problem_on("", CommGraph(8192, {}), uniform_tree({4096, 2}));

    const auto refused = map_tmmgp(problem.view(), {});

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::out_of_range);
    EXPECT_EQ(refused.error().message,
              "mapper tmmgp keeps a gain for each rank and element: 8192 times 4096 is more than "
              "16777216");
}

/// Computes Sec. 4 directly, with its names: by dense matrices, each value computed anew, and with
/// a direct call of METIS. The tree is uniform, and each level has one bandwidth.
class Page {
public:
    /// @param arities  from the root; the last is c_L1
    /// @param b        b_1, ..., b_L; b_L is inside the lowest elements
    Page(const CommGraph& graph, std::vector<std::size_t> arities, std::vector<double> b,
         std::uint64_t seed)
        : arities_(std::move(arities)),
          b_(std::move(b)),
          seed_(seed),
          M_(graph.num_ranks()),
          s_(arities_.back()),
          k_((M_ - 1) / s_ + 1) {
        G G0;
        G0.size.assign(M_, 1);
        G0.d.assign(M_, std::vector<std::optional<double>>(M_));
        for (RankId i = 0; i < M_; ++i) {
            for (const Traffic& t : graph.sent_by(i)) {
                const double both = G0.d[i][t.peer].value_or(0) + static_cast<double>(t.bytes);
                G0.d[i][t.peer] = G0.d[t.peer][i] = both;
            }
        }
        graphs_.push_back(G0);
    }

    std::vector<PuId> run() {
        Random random(seed_);
        while (graphs_.back().size.size() > 10 * k_) {
            if (!coarse_graph(random)) break;
        }
        std::vector<std::size_t> P = recursive_bisection(graphs_.back());
        for (std::size_t i = graphs_.size();;) {
            refine_partition(graphs_[--i], P);
            if (i == 0) break;
            std::vector<std::size_t> projected;
            for (const std::size_t c : coarse_of_[i - 1]) projected.push_back(P[c]);
            P = projected;
        }
        std::vector<PuId> f;
        for (std::size_t j = 0; j < M_; ++j) {
            const auto before =
                std::count(P.begin(), P.begin() + static_cast<std::ptrdiff_t>(j), P[j]);
            f.push_back(static_cast<PuId>(P[j] * s_ + static_cast<std::size_t>(before)));
        }
        return f;
    }

    [[nodiscard]] std::size_t num_graphs() const { return graphs_.size(); }
    [[nodiscard]] bool refined() const { return refined_; }

private:
    struct G {
        std::vector<std::size_t> size;
        std::vector<std::vector<std::optional<double>>> d;
    };
    using Subsets = std::vector<std::size_t>;

    /// 1 / b_g(L,i,j), g the level of the lowest element that i and j have in common
    [[nodiscard]] double W(std::size_t i, std::size_t j) const {
        std::size_t below = 1;
        for (std::size_t a = 1; a + 1 < arities_.size(); ++a) below *= arities_[a];
        for (std::size_t level = 0;; ++level) {
            if (i / below != j / below) return 1 / b_[level];
            if (below == 1) return 0;
            below /= arities_[level + 1];
        }
    }

    bool coarse_graph(Random& random) {
        const G& fine = graphs_.back();
        const std::size_t n = fine.size.size();
        std::vector<std::uint32_t> order(n);
        std::iota(order.begin(), order.end(), 0U);
        shuffle(std::span(order), random);
        std::vector<std::size_t> coarse_of(n, SIZE_MAX);
        std::size_t made = 0;
        for (const std::size_t v : order) {
            if (coarse_of[v] != SIZE_MAX) continue;
            std::size_t heaviest = SIZE_MAX;
            for (std::size_t u = 0; u < n; ++u) {
                if (u == v || coarse_of[u] != SIZE_MAX || !fine.d[v][u]) continue;
                if (fine.size[v] + fine.size[u] > s_) continue;
                if (heaviest == SIZE_MAX || *fine.d[v][u] > *fine.d[v][heaviest]) heaviest = u;
            }
            coarse_of[v] = made;
            if (heaviest != SIZE_MAX) coarse_of[heaviest] = made;
            ++made;
        }
        if (static_cast<double>(made) > 0.95 * static_cast<double>(n)) return false;
        G coarse;
        coarse.size.assign(made, 0);
        coarse.d.assign(made, std::vector<std::optional<double>>(made));
        for (std::size_t v = 0; v < n; ++v) {
            coarse.size[coarse_of[v]] += fine.size[v];
            for (std::size_t u = 0; u < n; ++u) {
                auto& d = coarse.d[coarse_of[v]][coarse_of[u]];
                if (fine.d[v][u] && coarse_of[v] != coarse_of[u]) d = d.value_or(0) + *fine.d[v][u];
            }
        }
        graphs_.push_back(coarse);
        coarse_of_.push_back(coarse_of);
        return true;
    }

    [[nodiscard]] Subsets recursive_bisection(const G& g) const {
        std::vector<idx_t> xadj{0};
        std::vector<idx_t> adjncy;
        std::vector<idx_t> adjwgt;
        std::vector<idx_t> vwgt;
        for (std::size_t v = 0; v < g.size.size(); ++v) {
            vwgt.push_back(static_cast<idx_t>(g.size[v]));
            for (std::size_t u = 0; u < g.size.size(); ++u) {
                if (!g.d[v][u]) continue;
                adjncy.push_back(static_cast<idx_t>(u));
                adjwgt.push_back(std::max<idx_t>(1, static_cast<idx_t>(*g.d[v][u])));
            }
            xadj.push_back(static_cast<idx_t>(adjncy.size()));
        }
        auto n = static_cast<idx_t>(g.size.size());
        auto k = static_cast<idx_t>(k_);
        idx_t one = 1;
        idx_t cut = 0;
        std::vector<real_t> share(k_, static_cast<real_t>(1.0 / static_cast<double>(k_)));
        std::vector<idx_t> part(g.size.size());
        std::array<idx_t, METIS_NOPTIONS> options{};
        METIS_SetDefaultOptions(options.data());
        options[METIS_OPTION_SEED] = static_cast<idx_t>(seed_);
        options[METIS_OPTION_UFACTOR] = 1;
        METIS_PartGraphRecursive(&n, &one, xadj.data(), adjncy.data(), vwgt.data(), nullptr,
                                 adjwgt.data(), &k, share.data(), nullptr, options.data(), &cut,
                                 part.data());
        return {part.begin(), part.end()};
    }

    /// Sum of c(u, v, i, j) over all edges.
    [[nodiscard]] double sum_c(const G& g, const Subsets& p) const {
        double sum = 0;
        for (std::size_t v = 0; v < p.size(); ++v)
            for (std::size_t u = 0; u < v; ++u)
                if (g.d[v][u]) sum += *g.d[v][u] * W(p[v], p[u]);
        return sum;
    }
    /// (5)
    [[nodiscard]] double F(const G& g, const Subsets& p) const {
        double largest = 0;
        for (std::size_t i = 0; i < k_; ++i) {
            double sum = 0;
            for (std::size_t v = 0; v < p.size(); ++v)
                for (std::size_t u = 0; u < p.size(); ++u)
                    if (p[v] == i && g.d[v][u]) sum += *g.d[v][u] * W(i, p[u]);
            largest = std::max(largest, sum);
        }
        return largest;
    }
    [[nodiscard]] std::size_t weight(const G& g, const Subsets& p, std::size_t i) const {
        std::size_t sum = 0;
        for (std::size_t v = 0; v < p.size(); ++v) sum += p[v] == i ? g.size[v] : 0;
        return sum;
    }
    /// SubsetCost::broken: how much (8) and (9) are violated.
    [[nodiscard]] std::size_t broken(const G& g, const Subsets& p) const {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < k_; ++i) {
            const std::size_t w = weight(g, p, i);
            sum += w == 0 ? 1 : w > s_ ? w - s_ : 0;
        }
        return sum;
    }

    using Cost = std::array<double, 3>;
    [[nodiscard]] Cost cost(const G& g, const Subsets& p) const {
        return {static_cast<double>(broken(g, p)), F(g, p), sum_c(g, p)};
    }

    [[nodiscard]] bool allowed(const G& g, const Subsets& p, std::size_t v, std::size_t j,
                               bool only_with_room) const {
        if (p[v] == j || std::count(p.begin(), p.end(), p[v]) < 2) return false;
        bool one_is_empty = false;
        bool one_is_over = false;
        for (std::size_t i = 0; i < k_; ++i) {
            one_is_empty = one_is_empty || weight(g, p, i) == 0;
            one_is_over = one_is_over || weight(g, p, i) > s_;
        }
        if (one_is_empty) return weight(g, p, j) == 0;
        const bool room = weight(g, p, j) + g.size[v] <= s_;
        if (one_is_over) return weight(g, p, p[v]) > s_ && room;
        return room || !only_with_room;
    }

    using Move = std::optional<std::pair<std::size_t, std::size_t>>;
    [[nodiscard]] std::pair<Move, double> best_move(const G& g, const Subsets& now,
                                                    const std::vector<bool>& locked,
                                                    bool only_with_room) const {
        double highest = 0;
        Move move;
        const double before = sum_c(g, now);
        for (std::size_t v = 0; v < now.size(); ++v) {
            for (std::size_t j = 0; j < k_; ++j) {
                if (locked[v] || !allowed(g, now, v, j, only_with_room)) continue;
                Subsets then = now;
                then[v] = j;
                const double gain = before - sum_c(g, then);
                if (move && gain <= highest) continue;
                move = {v, j};
                highest = gain;
            }
        }
        return {move, highest};
    }

    void refine_partition(const G& g, Subsets& p) {
        for (int pass = 0; pass < 32; ++pass) {
            Subsets now = p;
            Subsets best = p;
            Cost lowest = cost(g, p);
            std::vector<bool> locked(p.size(), false);
            for (std::size_t since = 0; lowest[0] > 0 || since < 64; ++since) {
                auto [move, gain] = best_move(g, now, locked, true);
                if (broken(g, now) == 0 && (!move || gain <= 0))
                    move = best_move(g, now, locked, false).first;
                if (!move) break;
                now[move->first] = move->second;
                locked[move->first] = true;
                if (cost(g, now) >= lowest) continue;
                lowest = cost(g, now);
                best = now;
                since = SIZE_MAX;
            }
            if (best == p) return;
            refined_ = true;
            p = best;
        }
    }

    std::vector<std::size_t> arities_;
    std::vector<double> b_;
    std::uint64_t seed_;
    std::size_t M_;
    std::size_t s_;
    std::size_t k_;
    std::vector<G> graphs_;
    std::vector<std::vector<std::size_t>> coarse_of_;
    bool refined_ = false;
};

TEST(Tmmgp, AgreesWithThePageOnRandomCases) {
    // Bandwidths are powers of two: all sums are exact, whatever their order.
    struct Case {
        std::vector<std::size_t> arities;
        std::size_t fewest, most;  ///< ranks
    };
    const double b1 = 0x1p27;
    const std::vector<Case> cases{{{4, 2, 2}, 9, 16},
                                  {{2, 2, 4}, 9, 16},
                                  {{3, 2, 2}, 5, 12},
                                  {{6, 2}, 3, 12},
                                  {{2, 12}, 22, 24}};
    std::mt19937 random(61);
    int coarsened = 0;
    int refined = 0;
    for (unsigned round = 0; round < 50; ++round) {
        const Case& c = cases[round % cases.size()];
        std::vector<double> b;
        for (std::size_t level = 0; level < c.arities.size(); ++level)
            b.push_back(b1 * static_cast<double>(1U << (2 * level)));
        const std::size_t num_ranks = c.fewest + random() % (c.most - c.fewest + 1);
        const std::uint64_t seed = 1 + random() % 5;
        const OwnedProblem problem = problem_on(
            "", random_graph(num_ranks, 0.2 + 0.1 * static_cast<double>(random() % 5), random),
            uniform_tree({c.arities.begin(), c.arities.end()}, b));

        Page page(problem.graph, c.arities, b, seed);
        EXPECT_EQ(placed(problem, seed), page.run()) << "round " << round;

        coarsened += page.num_graphs() > 1 ? 1 : 0;
        refined += page.refined() ? 1 : 0;
    }
    EXPECT_GE(coarsened, 8);
    EXPECT_GE(refined, 10) << "else W has no say";
}

}  // namespace
}  // namespace commmap
