// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/base/cost_order.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace commmap {
namespace {

TEST(CostOrder, RoundingMakesNoDifference) {
    EXPECT_TRUE(clearly_cheaper(1.0, 1.001));
    EXPECT_FALSE(clearly_cheaper(1.001, 1.0));
    EXPECT_FALSE(clearly_cheaper(1.0, 1.0 + 1e-10));
    EXPECT_TRUE(clearly_cheaper(1.0, 1.0 + 1e-10, 1e-11));
    EXPECT_TRUE(clearly_differ(2.0, 1.0));
    EXPECT_FALSE(clearly_differ(1.0 + 1e-10, 1.0));
}

TEST(CostOrder, NothingAndInfinityAreCostsToo) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(clearly_cheaper(0.0, 1e-300));
    EXPECT_FALSE(clearly_differ(0.0, 0.0));
    EXPECT_TRUE(clearly_cheaper(1.0, infinite));
    EXPECT_FALSE(clearly_differ(infinite, infinite));
}

}  // namespace
}  // namespace commmap
