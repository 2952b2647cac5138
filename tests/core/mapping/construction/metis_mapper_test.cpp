// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/construction/metis_mapper.hpp"

#include <gtest/gtest.h>

#include "core/mapping/problems.hpp"

namespace commmap {
namespace {

TEST(MetisMapper, KeepsCliquesBelowOneSwitch) {
    // Four groups of four, ranks dealt out in turn; tree 2 x 2 x 4.
    std::vector<Message> messages;
    for (RankId a = 0; a < 16; ++a) {
        for (RankId b = 0; b < 16; ++b) {
            if (a != b && a % 4 == b % 4) messages.push_back({a, b, 1, 10'000});
        }
    }
    const OwnedProblem problem =
        problem_on("", CommGraph(16, messages), uniform_tree({2, 2, 4}, {1e8, 1e8, 1e9}, 2));

    const auto placement = metis_placement(problem.view(), 1);

    ASSERT_TRUE(placement) << placement.error().message;
    for (RankId r = 4; r < 16; ++r) {
        EXPECT_EQ(placement.value()[r] / 4, placement.value()[r % 4] / 4) << "rank " << r;
    }
}

TEST(MetisMapper, IsExactOnUnevenSwitches) {
    const OwnedProblem problem = problem_on("", scrambled_halo(4, 4, 1, 64'000, 1), sweeney_8x2());

    const auto placement = metis_placement(problem.view(), 1);

    ASSERT_TRUE(placement);
    EXPECT_EQ(contract_violation(problem, {placement.value(), {}}), "");
}

}  // namespace
}  // namespace commmap
