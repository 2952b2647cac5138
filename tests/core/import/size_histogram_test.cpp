// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/import/size_histogram.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace commmap {
namespace {

using Lengths = std::vector<MessagesOfLength>;

TEST(SizeHistogram, PowersOfTwoAreExact) {
    // 2 of no bytes, 3 of 1, 1 of 16: the least that the classes allow
    EXPECT_EQ(spread_bytes(std::vector<std::uint64_t>{2, 3, 0, 0, 0, 1}, 19),
              (Lengths{{2, 0}, {3, 3}, {1, 16}}));
}

TEST(SizeHistogram, OneClassIsExact) {
    EXPECT_EQ(spread_bytes(std::vector<std::uint64_t>{0, 0, 0, 0, 0, 0, 0, 2}, 200),
              (Lengths{{2, 200}}));
}

TEST(SizeHistogram, SeveralClassesShareTheRestAlike) {
    // from 4 and from 16 on, half a class further each
    EXPECT_EQ(spread_bytes(std::vector<std::uint64_t>{0, 0, 0, 1, 0, 1}, 30),
              (Lengths{{1, 6}, {1, 24}}));
    // of 15: a third of the way is 5.33 and 21.33, and no byte is lost
    EXPECT_EQ(spread_bytes(std::vector<std::uint64_t>{0, 0, 0, 1, 0, 1}, 27),
              (Lengths{{1, 5}, {1, 22}}));
}

TEST(SizeHistogram, WhatCannotBeIsNothing) {
    const std::vector<std::uint64_t> one_of_16_to_31 = {0, 0, 0, 0, 0, 1};
    EXPECT_TRUE(spread_bytes(one_of_16_to_31, 15).empty());
    EXPECT_TRUE(spread_bytes(one_of_16_to_31, 33).empty());
    EXPECT_TRUE(spread_bytes({}, 0).empty());
    EXPECT_TRUE(spread_bytes(std::vector<std::uint64_t>{5}, 1).empty());
    std::vector<std::uint64_t> huge(most_histogram_classes);
    huge.back() = 1;
    EXPECT_TRUE(spread_bytes(huge, UINT64_MAX).empty());
    huge.assign({0, 0, 0, 0, UINT64_MAX});
    EXPECT_TRUE(spread_bytes(huge, UINT64_MAX).empty());
}

}  // namespace
}  // namespace commmap
