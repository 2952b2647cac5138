// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/import/collective_sums.hpp"

#include <gtest/gtest.h>

namespace commmap {
namespace {

TEST(CollectiveSums, CallsAreThoseOfTheMemberWithMost) {
    CollectiveSums sums;
    const CollectiveSums::Key key{.communicator = 3, .op = CollectiveOp::bcast, .root = 1};

    ASSERT_TRUE(sums.add(key, 0, 2, 20));
    ASSERT_TRUE(sums.add(key, 0, 1, 5));
    ASSERT_TRUE(sums.add(key, 1, 2, 30));

    ASSERT_EQ(sums.sums().size(), 1U);
    const CollectiveRecord record = record_of(key, sums.sums().begin()->second, 7);
    EXPECT_EQ(record, (CollectiveRecord{.op = CollectiveOp::bcast,
                                        .communicator = 7,
                                        .root = 1,
                                        .calls = 3,
                                        .member_calls = 5,
                                        .member_bytes = 55}));
    EXPECT_EQ(sums.sums().begin()->second.members, (std::vector<RankId>{0, 1}));
}

TEST(CollectiveSums, MoreThan64Bits) {
    CollectiveSums sums;
    ASSERT_TRUE(sums.add({}, 0, 1, UINT64_MAX));
    EXPECT_FALSE(sums.add({}, 0, 1, 1));
    EXPECT_FALSE(sums.add({}, 0, UINT64_MAX, 0));
}

}  // namespace
}  // namespace commmap
