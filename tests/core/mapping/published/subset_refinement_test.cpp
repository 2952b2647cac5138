// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/published/subset_refinement.hpp"

#include <gtest/gtest.h>

namespace commmap {
namespace {

TEST(SubsetCost, IsTheSubsetWithTheDearestOuterEdges) {
    // A byte takes 1 s between subsets 0 and 1, and 4 s from either to subset 2. Each subset has
    // one vertex of the path 0 -10- 1 -3- 2, so subset 1 has the cost 10 + 12.
    const TaskGraph path{{{0, 1, 3, 4}, {1, 0, 2, 1}, {10, 10, 3, 3}}, {1, 1, 1}};
    const std::vector<double> w{0, 1, 4, 1, 0, 4, 4, 4, 0};
    const std::vector<std::uint32_t> capacity{1, 1, 1};

    const SubsetCost cost = subset_cost({path, w, capacity}, std::vector<std::uint32_t>{0, 1, 2});

    EXPECT_EQ(cost.broken, 0U);
    EXPECT_EQ(cost.f_s, 22.0);
    EXPECT_EQ(cost.sum_s, 10.0 + 22.0 + 12.0);
}

TEST(SubsetCost, CountsWhatIsTooManyOrNone) {
    const TaskGraph three{{{0, 0, 0, 0}, {}, {}}, {1, 1, 1}};
    const std::vector<double> w{0, 1, 1, 0};
    const std::vector<std::uint32_t> capacity{2, 2};

    EXPECT_EQ(subset_cost({three, w, capacity}, std::vector<std::uint32_t>{0, 0, 0}).broken, 2U);
}

TEST(RefineSubsets, SwapsThroughAFullSubset) {
    // Two pairs crossed over two full subsets: no single move is allowed to stay.
    const TaskGraph pairs{{{0, 1, 2, 3, 4}, {2, 3, 0, 1}, {9, 9, 9, 9}}, {1, 1, 1, 1}};
    const std::vector<double> w{0, 1, 1, 0};
    const std::vector<std::uint32_t> capacity{2, 2};
    std::vector<std::uint32_t> subset_of{0, 0, 1, 1};

    refine_subsets({pairs, w, capacity}, subset_of);

    EXPECT_EQ(subset_of[0], subset_of[2]);
    EXPECT_EQ(subset_of[1], subset_of[3]);
    EXPECT_EQ(subset_cost({pairs, w, capacity}, subset_of).f_s, 0.0);
}

TEST(RefineSubsets, GoesNearWhereThereIsNoRoomInside) {
    // Vertex 3 has an edge to 0, whose subset 0 is full. It moves from subset 2, which is far from
    // subset 0, to the near subset 1. The bytes that are cut stay the same.
    const TaskGraph graph{{{0, 2, 3, 3, 4, 4}, {1, 3, 0, 0}, {1000, 9, 1000, 9}}, {1, 1, 1, 1, 1}};
    const std::vector<double> w{0, 1, 5, 1, 0, 5, 5, 5, 0};
    const std::vector<std::uint32_t> capacity{2, 2, 2};
    std::vector<std::uint32_t> subset_of{0, 0, 1, 2, 2};

    refine_subsets({graph, w, capacity}, subset_of);

    EXPECT_EQ(subset_of, (std::vector<std::uint32_t>{0, 0, 1, 1, 2}));
    EXPECT_EQ(subset_cost({graph, w, capacity}, subset_of).f_s, 9.0);
}

TEST(RefineSubsets, RepairsSizesAndFillsEmptySubsets) {
    const TaskGraph five{{{0, 0, 0, 0, 0, 0}, {}, {}}, {1, 1, 1, 1, 1}};
    const std::vector<double> w{0, 1, 1, 1, 0, 1, 1, 1, 0};
    const std::vector<std::uint32_t> capacity{2, 2, 1};
    std::vector<std::uint32_t> subset_of{0, 0, 0, 0, 0};

    refine_subsets({five, w, capacity}, subset_of);

    EXPECT_EQ(subset_cost({five, w, capacity}, subset_of).broken, 0U);
}

}  // namespace
}  // namespace commmap
