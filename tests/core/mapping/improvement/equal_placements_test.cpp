// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/improvement/equal_placements.hpp"

#include <gtest/gtest.h>

#include "core/mapping/problems.hpp"

namespace commmap {
namespace {

/// Two switches of two nodes of two PUs: PUs 0 1 | 2 3 and 4 5 | 6 7.
OwnedProblem four_nodes() {
    return problem_on("", CommGraph(4, {{0, 1, 1, 1}}), uniform_tree({2, 2, 2}, {1e8, 2e8, 2e9}));
}

class EqualToOne : public testing::Test {
protected:
    [[nodiscard]] std::vector<RankId> form_of(const std::vector<PuId>& placement) const {
        return equal_.form_of(placement);
    }

    const OwnedProblem problem_ = four_nodes();
    const EqualPlacements equal_{problem_.view()};
    const std::vector<RankId> form_ = form_of({0, 1, 2, 4});
};

TEST_F(EqualToOne, ExchangesOfEqualPartsAreOnePlacement) {
    EXPECT_EQ(form_of({1, 0, 2, 4}), form_) << "two PUs of a node";
    EXPECT_EQ(form_of({0, 1, 3, 4}), form_) << "a PU that is free";
    EXPECT_EQ(form_of({2, 3, 0, 4}), form_) << "two nodes of a switch";
    EXPECT_EQ(form_of({6, 7, 5, 2}), form_) << "two switches";
}

TEST_F(EqualToOne, OtherNeighboursAreOtherPlacements) {
    EXPECT_NE(form_of({0, 2, 1, 4}), form_) << "two ranks on other nodes";
    EXPECT_NE(form_of({0, 1, 4, 2}), form_) << "two ranks on other switches";
    EXPECT_NE(form_of({0, 1, 4, 5}), form_);
}

TEST(EqualPlacements, NodesWithOtherCandidatePusAreNotEqual) {
    OwnedProblem problem = four_nodes();
    const EqualPlacements all(problem.view());
    problem.candidate_pus = {0, 1, 2, 4, 5, 6};  // nodes 1 and 3 have one each
    const EqualPlacements some(problem.view());
    const std::vector<PuId> one{0, 1, 2, 4};
    const std::vector<PuId> other{0, 1, 2, 6};

    EXPECT_EQ(all.form_of(one), all.form_of(other));
    EXPECT_NE(some.form_of(one), some.form_of(other));
}

TEST(EqualPlacements, EqualFormsCostTheSame) {
    std::mt19937 random(51);
    for (int i = 0; i < 200; ++i) {
        const OwnedProblem problem =
            problem_on("", random_graph(4, 0.7, random), uniform_tree({2, 2, 2}, {1e8, 2e8, 2e9}));
        const EqualPlacements equal(problem.view());
        const auto one = random_placement(4, 8, random);
        for (int j = 0; j < 50; ++j) {
            const auto other = random_placement(4, 8, random);
            if (equal.form_of(one) != equal.form_of(other)) continue;
            const double cost = cost_of(problem, one);
            EXPECT_NEAR(cost_of(problem, other), cost, 1e-9 * cost);
        }
    }
}

TEST(SearchedPlacements, KnowsWhatIsEqual) {
    const OwnedProblem problem = four_nodes();
    SearchedPlacements searched(problem.view());

    EXPECT_TRUE(searched.add(std::vector<PuId>{0, 1, 2, 4}));
    EXPECT_FALSE(searched.add(std::vector<PuId>{7, 6, 4, 0}));
    EXPECT_TRUE(searched.add(std::vector<PuId>{0, 2, 4, 6}));
}

}  // namespace
}  // namespace commmap
