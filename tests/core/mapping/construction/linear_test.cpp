// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/construction/linear.hpp"

#include <gtest/gtest.h>

#include "core/mapping/construction/round_robin.hpp"
#include "core/mapping/problem/candidate_pus.hpp"
#include "core/mapping/problems.hpp"

namespace commmap {
namespace {

TEST(Linear, PutsRankIOnCandidateI) {
    OwnedProblem problem = problem_on("", CommGraph(3, {}), uneven_tree());
    problem.candidate_pus = {1, 4, 7, 9};

    EXPECT_EQ(map_linear(problem.view(), {}).value().pu_of_rank, (std::vector<PuId>{1, 4, 7}));
}

TEST(UsedPus, MakeRoomForRank0sNode) {
    OwnedProblem problem = problem_on("", CommGraph(3, {}), uneven_tree());
    problem.rank0_node = 3;

    EXPECT_EQ(used_pus(problem.view()), (std::vector<PuId>{0, 1, 6}));
    EXPECT_EQ(map_linear(problem.view(), {}).value().pu_of_rank, (std::vector<PuId>{6, 1, 0}));
}

TEST(PuCounter, CountsBelowElementsAndPassesOverLevelsWithoutAChoice) {
    const Hct hct = two_nodes_of_two();
    const std::vector<PuId> candidate_pus{2, 3};
    const PuCounter counter(hct, candidate_pus);

    EXPECT_EQ(counter.count(0), 2U);
    EXPECT_EQ(counter.count(1), 0U);
    EXPECT_EQ(counter.children(0), (std::vector<ElementId>{2}));
    EXPECT_EQ(counter.next_choice(0), 2U);
}

TEST(RoundRobin, DealsOutInTheJobsNodeOrder) {
    // The job lists m7 first, then m0.
    const Port link = sample_port(1e8);
    const Hct hct =
        sample_hct({Level::switch_,
                    {},
                    {sample_node("m0", 2, link, link), sample_node("m7", 3, link, link)},
                    "s"},
                   {"m7", "m0"});
    const OwnedProblem problem = problem_on("", CommGraph(5, {}), hct);

    EXPECT_EQ(map_round_robin(problem.view(), {}).value().pu_of_rank,
              (std::vector<PuId>{2, 0, 3, 1, 4}));
}

}  // namespace
}  // namespace commmap
