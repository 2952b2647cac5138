// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/pair_blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace commmap {
namespace {

using testing::ElementsAre;

TEST(MessagesOfPairs, AVerySlowPairShortensItsOwnBlocksOnly) {
    EXPECT_THAT(messages_of_pairs({1e-3, 1e-3, 0.06}), ElementsAre(200, 200, 17));
    EXPECT_THAT(messages_of_pairs({1e-3, 1e-3, 10.0}), ElementsAre(200, 200, 4));
}

TEST(MessagesOfPairs, PairsSendTheSameNumber) {
    EXPECT_THAT(messages_of_pairs({1e-3, 2e-3, 4e-3}), ElementsAre(100, 100, 100));
    EXPECT_THAT(messages_of_pairs({0.0}), ElementsAre(400000));
}

}  // namespace
}  // namespace commmap
