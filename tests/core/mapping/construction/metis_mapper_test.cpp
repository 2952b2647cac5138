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

TEST(RepairSizes, MovesTheVertexThatCostsLeast) {
    // A path 0-1-2-3 with weights 5, 1, 5 and all in part 0: 3 goes with its neighbour 2.
    const WeightedGraph path{{0, 1, 3, 5, 6}, {1, 0, 2, 1, 3, 2}, {5, 5, 1, 1, 5, 5}};
    const std::vector<std::uint32_t> sizes{2, 2};
    std::vector<std::uint32_t> part{0, 0, 1, 0};

    repair_sizes(path, sizes, part);

    EXPECT_EQ(part, (std::vector<std::uint32_t>{0, 0, 1, 1}));
}

TEST(RepairSizes, FillsAnEmptyPart) {
    const WeightedGraph none{{0, 0, 0, 0, 0}, {}, {}};
    const std::vector<std::uint32_t> sizes{1, 3};
    std::vector<std::uint32_t> part{0, 0, 0, 0};

    repair_sizes(none, sizes, part);

    EXPECT_EQ(part, (std::vector<std::uint32_t>{1, 1, 1, 0}));
}

}  // namespace
}  // namespace commmap
