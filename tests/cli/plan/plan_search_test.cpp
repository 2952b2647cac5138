// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/plan/plan_search.hpp"

#include <gmock/gmock.h>

namespace commmap::cli {
namespace {

Candidate tried(std::string name, std::vector<PuId> pus) {
    Candidate candidate;
    candidate.name = std::move(name);
    candidate.pu_of_rank = std::move(pus);
    candidate.cut_short = true;
    return candidate;
}

TEST(PlanSearch, APlanWithMoreTimeHasEachPlacementUnderANameOfItsOwn) {
    Plan plan;
    plan.candidates = {tried("slurm", {0, 1}), tried("multisection", {1, 0}),
                       tried("multisection, earlier", {0, 2})};

    const auto earlier = placements_of_text(text_of_search(plan, 0));

    ASSERT_TRUE(earlier);
    ASSERT_EQ(earlier->tried.size(), 2U);
    EXPECT_EQ(earlier->tried[0].name, "multisection, earlier");
    EXPECT_EQ(earlier->tried[1].name, "multisection, earlier, earlier");
    EXPECT_THAT(earlier->tried[1].pu_of_rank, testing::ElementsAre(0, 2));
    EXPECT_FALSE(earlier->tried[0].cut_short);
}

TEST(PlanSearch, KeepsWhereLinearStands) {
    Plan plan;
    plan.candidates = {tried("slurm", {0, 1}), tried("greedy", {0, 1}),
                       tried("multisection", {1, 0})};
    plan.candidates[1].linear_instead = true;

    const auto earlier = search_of_text(text_of_search(plan, 0));

    ASSERT_TRUE(earlier);
    EXPECT_TRUE(earlier->tried[0].linear_instead);
    EXPECT_FALSE(earlier->tried[1].linear_instead);
}

TEST(PlanSearch, WhatIsNoSearchHasNoPlacements) {
    EXPECT_FALSE(placements_of_text(""));
    EXPECT_FALSE(placements_of_text("not CBOR"));
}

}  // namespace
}  // namespace commmap::cli
