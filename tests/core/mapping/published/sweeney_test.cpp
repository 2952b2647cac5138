// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/published/sweeney.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "core/mapping/construction/greedy.hpp"
#include "core/mapping/construction/linear.hpp"
#include "core/mapping/problems.hpp"

namespace commmap {
namespace {

std::vector<PuId> placed(const OwnedProblem& problem) {
    const auto placement = sweeney_placement(problem.view());
    EXPECT_TRUE(placement) << placement.error().message;
    return placement.value();
}

TEST(Sweeney, TakesTheHeaviestSetNotTheHeaviestPair) {
    // Of the sets of three, 3-4-5 exchange 180, and 0-1 with any third rank 100. The mapper greedy
    // grows from the heaviest pair, 0-1.
    const OwnedProblem problem =
        problem_on("", CommGraph(6, {{0, 1, 1, 100}, {3, 4, 1, 60}, {4, 5, 1, 60}, {3, 5, 1, 60}}),
                   uniform_tree({2, 3}, {1e8, 1e9}));

    EXPECT_EQ(placed(problem), (std::vector<PuId>{3, 4, 5, 0, 1, 2}));
    EXPECT_EQ(greedy_placement(problem.view())[0], 0U);
}

TEST(Sweeney, PairsAreAsInGreedy) {
    std::mt19937 random(51);
    for (int round = 0; round < 20; ++round) {
        const OwnedProblem problem = problem_on("", random_graph(8, 0.7, random),
                                                uniform_tree({2, 2, 2}, {1e8, 2e8, 1e9}, 2));

        EXPECT_EQ(placed(problem), greedy_placement(problem.view())) << "round " << round;
    }
}

TEST(Sweeney, NeverAsksTheEstimator) {
    // The heaviest pair parts the two other pairs: 180 bytes cross the link, but only 100 in order.
    const CommGraph graph(4, {{0, 2, 1, 100}, {0, 1, 1, 90}, {2, 3, 1, 90}});
    const OwnedProblem problem = problem_on("", graph, two_nodes_of_two());

    const auto mapping = map_sweeney(problem.view(), {});

    ASSERT_TRUE(mapping) << mapping.error().message;
    EXPECT_EQ(mapping.value().pu_of_rank, (std::vector<PuId>{0, 2, 1, 3}));
    EXPECT_TRUE(mapping.value().notes.empty());
    EXPECT_FALSE(mapping.value().port_cost);
    EXPECT_GT(cost_of(problem, mapping.value().pu_of_rank),
              cost_of(problem, linear_placement(problem.view())))
        << "the case is one in which the estimator would say no";
    // links slower inside the nodes than between them
    EXPECT_EQ(placed(problem_on("", graph, uniform_tree({2, 2}, {1e9, 1e6}))),
              mapping.value().pu_of_rank);
}

TEST(Sweeney, RefusesMoreSetsThanItCanLookAt) {
    // 64 nodes of two in switches of four: C(64, 4) = 635,376 sets; C(32, 4) = 35,960.
    const OwnedProblem too_many =
        problem_on("", CommGraph(128, {}), uniform_tree({16, 4, 2}, {1e8, 1e8, 1e9}, 2));
    const OwnedProblem enough =
        problem_on("", CommGraph(64, {}), uniform_tree({8, 4, 2}, {1e8, 1e8, 1e9}, 2));

    const auto refused = map_sweeney(too_many.view(), {});

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::out_of_range);
    EXPECT_EQ(
        refused.error().message,
        "the mapper sweeney would list every set of 4 out of 64 clusters, more than 100000 sets: "
        "use the mapper greedy");
    EXPECT_TRUE(map_sweeney(enough.view(), {}));
}

TEST(Sweeney, UsesThePusOfTheLinearPlacement) {
    const OwnedProblem problem = problem_on("", CommGraph(3, {{0, 2, 1, 100}}), two_nodes_of_two());

    EXPECT_EQ(placed(problem), (std::vector<PuId>{0, 2, 1}));
}

TEST(Sweeney, BringsRank0ToItsNodeByOneSwap) {
    OwnedProblem problem =
        problem_on("", CommGraph(4, {{0, 3, 1, 100}, {1, 2, 1, 90}}), two_nodes_of_two());
    problem.rank0_node = 1;

    const auto mapping = map_sweeney(problem.view(), {});

    // {0, 3} | {1, 2}, then rank 0 and the lowest rank on node 1 change places.
    ASSERT_TRUE(mapping);
    EXPECT_EQ(mapping.value().pu_of_rank, (std::vector<PuId>{2, 0, 3, 1}));
}

/// The tree as Fig. 3 needs it: children from left to right. A tree without children is a
/// processor.
struct PageTree {
    std::vector<PageTree> children;
    [[nodiscard]] std::size_t levels() const {
        return children.empty() ? 0 : 1 + children[0].levels();
    }
    [[nodiscard]] std::size_t processors() const {
        std::size_t sum = children.empty() ? 1 : 0;
        for (const PageTree& child : children) sum += child.processors();
        return sum;
    }
};

PageTree uniform_page(std::vector<std::size_t> arities) {
    if (arities.empty()) return {};
    const std::size_t here = arities.front();
    arities.erase(arities.begin());
    return {std::vector<PageTree>(here, uniform_page(arities))};
}

/// Computes Fig. 3 directly, with its names. A cluster is the set of its tasks, and C[i] has the
/// clusters of level i in the order in which they are made.
class Page {
public:
    Page(const CommGraph& P, const PageTree& T) : P_(P), T_(T), M_(P.num_ranks()) {}

    std::vector<PuId> run() {
        C_.resize(T_.levels() + 1);
        for (RankId i = 0; i < P_.num_ranks(); ++i) C_[0].push_back({i});
        for (std::size_t i = 1; i <= T_.levels(); ++i) exploit_bandwidth(i);
        PuId next = 0;
        exploit_concurrency(T_, T_.levels(), C_.back().front(), next);
        return M_;
    }

private:
    using Tasks = std::set<RankId>;
    struct Pair {
        std::vector<std::size_t> Q;
        std::uint64_t b;
    };

    /// How many elements of level i have how many children.
    void count(const PageTree& element, std::size_t level, std::size_t i,
               std::map<std::size_t, int, std::greater<>>& elements) const {
        if (level == i) ++elements[element.children.size()];
        if (level > i)
            for (const PageTree& child : element.children) count(child, level - 1, i, elements);
    }

    void combinations(std::size_t from, std::size_t size, std::size_t of,
                      std::vector<std::size_t>& chosen, std::vector<Pair>& S, std::size_t i) const {
        if (chosen.size() == size) {
            std::uint64_t b = 0;
            for (const std::size_t x : chosen)
                for (const std::size_t y : chosen)
                    if (x != y) b += bytes(C_[i - 1][x], C_[i - 1][y]);
            S.push_back({chosen, b});
            return;
        }
        for (std::size_t c = from; c < of; ++c) {
            chosen.push_back(c);
            combinations(c + 1, size, of, chosen, S, i);
            chosen.pop_back();
        }
    }

    [[nodiscard]] std::uint64_t bytes(const Tasks& from, const Tasks& to) const {
        std::uint64_t sum = 0;
        for (const RankId a : from)
            for (const Traffic& t : P_.sent_by(a)) sum += to.count(t.peer) > 0 ? t.bytes : 0;
        return sum;
    }

    void exploit_bandwidth(std::size_t i) {
        std::map<std::size_t, int, std::greater<>> elements;
        count(T_, T_.levels(), i, elements);
        std::vector<Pair> S;
        for (const auto& [children, number] : elements) {
            std::vector<std::size_t> chosen;
            combinations(0, children, C_[i - 1].size(), chosen, S, i);
        }
        std::stable_sort(S.begin(), S.end(),
                         [](const Pair& x, const Pair& y) { return x.b > y.b; });
        for (const Pair& pair : S) {
            Tasks tasks;
            for (const std::size_t c : pair.Q)
                tasks.insert(C_[i - 1][c].begin(), C_[i - 1][c].end());
            bool already = false;
            for (const Tasks& made : C_[i])
                for (const RankId task : tasks) already = already || made.count(task) > 0;
            if (already || elements[pair.Q.size()] == 0) continue;
            --elements[pair.Q.size()];
            C_[i].push_back(tasks);
        }
    }

    void exploit_concurrency(const PageTree& element, std::size_t i, const Tasks& cluster,
                             PuId& next) {
        if (element.children.empty()) {
            M_[*cluster.begin()] = next++;
            return;
        }
        std::set<std::size_t> used;
        for (const PageTree& child : element.children) {
            // the first of the clusters below that has the child's number of tasks
            for (std::size_t c = 0;; ++c) {
                const Tasks& below = C_[i - 1].at(c);
                const bool inside =
                    std::includes(cluster.begin(), cluster.end(), below.begin(), below.end());
                if (!inside || used.count(c) > 0 || below.size() != child.processors()) continue;
                used.insert(c);
                exploit_concurrency(child, i - 1, below, next);
                break;
            }
        }
    }

    const CommGraph& P_;
    const PageTree& T_;
    std::vector<std::vector<Tasks>> C_;
    std::vector<PuId> M_;
};

TEST(Sweeney, AgreesWithThePageOnRandomCases) {
    struct Case {
        PageTree page;
        Hct hct;
    };
    const PageTree node = uniform_page({2});
    const std::vector<Case> cases{
        {uniform_page({2, 2, 2}), uniform_tree({2, 2, 2}, {}, 2)},
        {uniform_page({3, 2}), uniform_tree({3, 2})},
        {uniform_page({2, 3}), uniform_tree({2, 3})},
        {uniform_page({4, 2}), uniform_tree({4, 2})},
        {uniform_page({2, 4}), uniform_tree({2, 4})},
        {uniform_page({2, 3, 2}), uniform_tree({2, 3, 2}, {}, 2)},
        {{{PageTree{std::vector<PageTree>(5, node)}, PageTree{std::vector<PageTree>(3, node)}}},
         sweeney_8x2()}};
    std::mt19937 random(52);
    int unlike_greedy = 0;
    for (int round = 0; round < 140; ++round) {
        const Case& c = cases[static_cast<std::size_t>(round) % cases.size()];
        CommGraph graph = random_graph(c.hct.num_pus(), 0.3 + 0.1 * (round % 7), random, 3);
        if (round % 4 == 0) {  // many sets with the same bytes
            std::vector<Message> messages;
            for (RankId a = 0; a < c.hct.num_pus(); ++a)
                for (RankId b = 0; b < c.hct.num_pus(); ++b)
                    if (a != b && random() % 3 == 0) messages.push_back({a, b, 1, random() % 3});
            graph = CommGraph(c.hct.num_pus(), messages);
        }
        const OwnedProblem problem = problem_on("", graph, c.hct);

        EXPECT_EQ(placed(problem), Page(problem.graph, c.page).run()) << "round " << round;
        if (placed(problem) != greedy_placement(problem.view())) ++unlike_greedy;
    }
    EXPECT_GE(unlike_greedy, 10) << "the cases tell the figure from the mapper that grows groups";
}

}  // namespace
}  // namespace commmap
