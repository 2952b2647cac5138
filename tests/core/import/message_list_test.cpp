// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/import/message_list.hpp"

#include <gtest/gtest.h>

namespace commmap {
namespace {

TEST(MessageList, OneSumForSeveralPhases) {
    ImportedSums sums;
    MessageList first(sums);
    MessageList second(sums);

    EXPECT_TRUE(first.add(0, 1, 1, UINT64_MAX - 1));
    EXPECT_TRUE(second.add(1, 0, 1, 1));
    EXPECT_FALSE(second.add(1, 0, 1, 1));
}

TEST(MessageList, RanksOfWhatSendsNothingAreNoted) {
    ImportedSums sums;
    MessageList messages(sums);

    ASSERT_TRUE(messages.add(3, 7, 0, 0));

    EXPECT_EQ(messages.num_ranks(), 8U);
    EXPECT_EQ(messages.rows(8).num_cells(), 0U);
}

TEST(MessageList, HowManyRanks) {
    EXPECT_EQ(imported_ranks(1024, 0, 1).value(), 1024U);
    EXPECT_FALSE(imported_ranks(1025, 0, 1));
    EXPECT_EQ(imported_ranks(1600, 0, 100).value(), 1600U);
    EXPECT_FALSE(imported_ranks(1616, 0, 100));
    EXPECT_EQ(imported_ranks(3, 5000000, 1).value(), 5000000U);
    EXPECT_FALSE(imported_ranks(3, 2, 1));
    EXPECT_FALSE(imported_ranks(0, 0, 0));
}

}  // namespace
}  // namespace commmap
