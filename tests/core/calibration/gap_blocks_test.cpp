// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/gap_blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace commmap {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(GapsOfBlocks, AreWhatABurstTakesLongerForEachMessage) {
    EXPECT_THAT(gaps_of_blocks({200e-6 + 63 * 9e-6}, {200e-6}, 64),
                ElementsAre(DoubleNear(9e-6, 1e-12)));
}

TEST(GapsOfBlocks, ASlowSingleMessageDoesNotShortenThem) {
    const double burst = 200e-6 + 63 * 9e-6;
    EXPECT_THAT(gaps_of_blocks({burst, burst, 2 * burst}, {200e-6, 5e-3, 300e-6}, 64),
                ElementsAre(DoubleNear(9e-6, 1e-12), DoubleNear(9e-6, 1e-12),
                            DoubleNear(9e-6 + burst / 63, 1e-12)));
}

TEST(GapsOfBlocks, AreLongerThanNothing) {
    EXPECT_THAT(gaps_of_blocks({100e-6}, {200e-6}, 2), ElementsAre(1e-9));
}

}  // namespace
}  // namespace commmap
