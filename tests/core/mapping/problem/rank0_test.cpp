// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/problem/rank0.hpp"

#include <gtest/gtest.h>

#include "core/mapping/problems.hpp"

namespace commmap {
namespace {

TEST(Rank0, OneSwapTakesTheLowestRankThere) {
    OwnedProblem problem = problem_on("", CommGraph(4, {}), two_nodes_of_two());
    problem.rank0_node = 1;
    std::vector<PuId> placement{0, 1, 2, 3};

    put_rank0_by_one_swap(problem.view(), placement);

    EXPECT_EQ(placement, (std::vector<PuId>{2, 1, 0, 3}));
}

TEST(Rank0, OneSwapMovesToAFreePu) {
    OwnedProblem problem = problem_on("", CommGraph(2, {}), two_nodes_of_two());
    problem.rank0_node = 1;
    std::vector<PuId> placement{0, 1};

    put_rank0_by_one_swap(problem.view(), placement);

    EXPECT_EQ(placement, (std::vector<PuId>{2, 1}));
}

TEST(Rank0, ExchangesWholeNodesWhenThatIsFree) {
    // Ranks 0 and 1 talk, 2 and 3 talk: parting them costs, exchanging the nodes does not.
    OwnedProblem problem =
        problem_on("", CommGraph(4, {{0, 1, 1, 1000}, {2, 3, 1, 1000}}), two_nodes_of_two());
    problem.rank0_node = 1;
    std::vector<PuId> placement{0, 1, 2, 3};

    put_rank0(problem.view(), placement);

    EXPECT_EQ(placement, (std::vector<PuId>{2, 3, 0, 1}));
}

TEST(Rank0, SwapsWithTheRankThatCostsLeast) {
    // Nodes of 3 and 1 PUs cannot be exchanged; n1's only rank is the partner.
    OwnedProblem problem = problem_on("", CommGraph(10, {}), uneven_tree());
    problem.rank0_node = 1;
    std::vector<PuId> placement = problem.candidate_pus;

    put_rank0(problem.view(), placement);

    EXPECT_EQ(placement[0], 3U);
    EXPECT_EQ(placement[3], 0U);
}

TEST(Rank0, StaysWhereItMayBe) {
    OwnedProblem problem = problem_on("", CommGraph(4, {}), two_nodes_of_two());
    std::vector<PuId> placement{3, 2, 1, 0};

    put_rank0(problem.view(), placement);
    EXPECT_EQ(placement, (std::vector<PuId>{3, 2, 1, 0}));

    problem.rank0_node = 1;
    put_rank0(problem.view(), placement);
    EXPECT_EQ(placement, (std::vector<PuId>{3, 2, 1, 0}));
}

}  // namespace
}  // namespace commmap
