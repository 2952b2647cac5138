// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/construction/greedy.hpp"

#include <gtest/gtest.h>

#include "core/mapping/problems.hpp"

namespace commmap {
namespace {

TEST(Greedy, GroupsTheHeaviestPairsFirst) {
    // 0-3 is the heaviest pair, then 1-2; 0-1 and 2-3 lose.
    const OwnedProblem problem =
        problem_on("", CommGraph(4, {{0, 3, 1, 100}, {1, 2, 1, 90}, {0, 1, 1, 80}, {2, 3, 1, 70}}),
                   two_nodes_of_two());

    const auto placement = greedy_placement(problem.view());

    // The cluster {0, 3} was made first and goes to the first node.
    EXPECT_EQ(placement, (std::vector<PuId>{0, 2, 3, 1}));
}

TEST(Greedy, GroupsTheGroupsThatTalkMost) {
    // Pairs 0-7, 1-6, 2-5, 3-4; of these, {0,7} talks to {3,4} and {1,6} to {2,5}. Tree 2 x 2 x 2.
    const OwnedProblem problem = problem_on("",
                                            CommGraph(8, {{0, 7, 1, 1000},
                                                          {1, 6, 1, 990},
                                                          {2, 5, 1, 980},
                                                          {3, 4, 1, 970},
                                                          {7, 3, 1, 500},
                                                          {6, 2, 1, 400}}),
                                            uniform_tree({2, 2, 2}, {1e8, 1e8, 1e9}, 2));

    const auto placement = greedy_placement(problem.view());

    EXPECT_EQ(placement, (std::vector<PuId>{0, 4, 6, 2, 3, 7, 5, 1}));
}

TEST(Greedy, FillsUnevenSwitchesExactly) {
    // Sweeney's machine: 5 nodes and 3 nodes. A clique of ten ranks and one of six must each stay
    // below one switch.
    std::vector<Message> messages;
    for (RankId a = 0; a < 16; ++a) {
        for (RankId b = 0; b < 16; ++b) {
            const bool together = (a % 8 < 5) == (b % 8 < 5);
            if (a != b && together) messages.push_back({a, b, 1, 10'000});
        }
    }
    const OwnedProblem problem = problem_on("", CommGraph(16, messages), sweeney_8x2());

    const auto placement = greedy_placement(problem.view());

    for (RankId r = 0; r < 16; ++r) {
        EXPECT_EQ(placement[r] < 10, r % 8 < 5) << "rank " << r;
    }
}

TEST(Greedy, UsesThePusOfTheLinearPlacement) {
    OwnedProblem problem = problem_on("", CommGraph(3, {{0, 2, 1, 100}}), two_nodes_of_two());

    const auto placement = greedy_placement(problem.view());

    EXPECT_EQ(placement, (std::vector<PuId>{0, 2, 1}));
}

TEST(Greedy, IsNotReplacedByLinearWhichIsBetter) {
    // The heaviest pair leaves the two others apart, although 0-1 and 2-3 together load the link
    // less.
    const OwnedProblem problem = problem_on(
        "", CommGraph(4, {{0, 2, 1, 100}, {0, 1, 1, 90}, {2, 3, 1, 90}}), two_nodes_of_two());

    const auto mapping = map_greedy(problem.view(), {});

    ASSERT_TRUE(mapping);
    EXPECT_EQ(mapping.value().pu_of_rank, (std::vector<PuId>{0, 2, 1, 3}));
    EXPECT_FALSE(mapping.value().linear_instead);
}

}  // namespace
}  // namespace commmap
