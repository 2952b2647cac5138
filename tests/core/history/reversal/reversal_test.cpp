// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/reversal/reversal.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace commmap {
namespace {

TEST(Reversal, LooksAreAtDoubledPairs) {
    EXPECT_EQ(look_of(2, 1000), 0U);
    EXPECT_EQ(look_of(1000, 2), 0U);
    EXPECT_EQ(look_of(3, 10), 0U);
    EXPECT_EQ(look_of(3, 11), 5U);
    EXPECT_EQ(look_of(16, 16), 8U);
    EXPECT_EQ(look_of(50, 50), 11U);
    const auto most = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(look_of(most, most), 63U);
    EXPECT_EQ(look_of(0, most), 0U);
}

TEST(Reversal, AllLooksTogetherSpendLessThanOnePercent) {
    double all = 0.0;
    for (unsigned look = 0; look < 64; ++look) {
        all += chance_allowed(look);
        EXPECT_LE(chance_allowed(look), 0.0012);
    }
    EXPECT_LT(all, 0.00961);
    EXPECT_EQ(chance_allowed(0), 0.0);
    EXPECT_EQ(chance_allowed(4), 0.0);
}

TEST(Reversal, NeedsThreeRunsOfEachAndALossThatCounts) {
    const std::vector<double> fast = {1.00, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06};
    const std::vector<double> slow = {2.00, 2.01, 2.02, 2.03, 2.04, 2.05, 2.06};
    const auto shortened = [](std::vector<double> list) {
        list.resize(2);
        return list;
    };

    const auto loss = loss_beyond_noise(fast, slow, 5);

    ASSERT_TRUE(loss);
    EXPECT_NEAR(loss->slower_by, 1.0, 0.05);
    EXPECT_NEAR(loss->chance, 1.0 / 3432, 1e-9);
    EXPECT_FALSE(loss_beyond_noise(slow, fast, 5));  // a gain
    EXPECT_FALSE(loss_beyond_noise(fast, fast, 5));
    EXPECT_FALSE(loss_beyond_noise(shortened(fast), slow, 5));
    EXPECT_FALSE(loss_beyond_noise(fast, shortened(slow), 5));
    EXPECT_FALSE(loss_beyond_noise(fast, slow, 0));
    EXPECT_FALSE(loss_beyond_noise({}, {}, 5));

    // certain, and not worth it: one percent
    std::vector<double> a;
    std::vector<double> b;
    for (int i = 0; i < 20; ++i) {
        a.push_back(1.0 + 1e-6 * i);
        b.push_back(1.01 + 1e-6 * i);
    }
    EXPECT_LT(loss_of(a, b).chance, 1e-9);
    EXPECT_FALSE(loss_beyond_noise(a, b, 8));
}

TEST(Reversal, AQuarterOfOutliersChangesNothing) {
    std::vector<double> by_default;
    std::vector<double> placed;
    for (int i = 0; i < 32; ++i) {
        by_default.push_back(1.0 + 0.001 * i);
        placed.push_back(i % 8 == 0 ? 100.0 : 0.9 + 0.001 * i);  // some hang, the rest is faster
    }

    EXPECT_LT(loss_of(by_default, placed).slower_by, 0.0);
    EXPECT_FALSE(loss_beyond_noise(by_default, placed, 10));
}

}  // namespace
}  // namespace commmap
