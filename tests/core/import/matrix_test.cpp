// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/import/import_text.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;

TEST(ImportMatrix, RowsAreSenders) {
    const auto imported = import_text("mat", {"0 10 0 \n0 3 0 \n2.4e1,0,0\n"});

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(messages_of(imported.value()), "0>1 1:10 1>1 1:3 2>0 1:24");
    EXPECT_EQ(imported.value().profile.nodes, std::vector<std::string>{"?"});
}

TEST(ImportMatrix, BothWaysHalvesWhatIsThereAndBack) {
    const auto imported = import_text("mat", {"4 11 0\n11 0 1\n0 1 0\n"}, {.both_ways = true});

    ASSERT_TRUE(imported) << imported.error().message;
    // the lower rank sends the larger half; what a rank sends to itself goes one way
    EXPECT_EQ(messages_of(imported.value()), "0>0 1:4 0>1 1:6 1>0 1:5 1>2 1:1");
    EXPECT_EQ(refused("mat", {"0 11\n12 0\n"}, {.both_ways = true}),
              "a: ranks 0 and 1 have different numbers there and back, so that a cell cannot be "
              "both: leave --both-ways out");
    EXPECT_THAT(refused("mat", {"0 0 0\n0 0 0\n0 9 0\n"}, {.both_ways = true}),
                HasSubstr("ranks 1 and 2"));
}

TEST(ImportMatrix, NumberOfMessagesFromASecondMatrix) {
    // half a message was rounded to none (0 to 2), and one had no bytes (2 to 1)
    const auto imported = import_text("mat", {"0 100 6\n8 0 0\n0 0 0", "0 4 0\n2 0 0\n0 1 0\n"});

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(messages_of(imported.value()), "0>1 4:100 0>2 1:6 1>0 2:8 2>1 1:0");
    EXPECT_EQ(refused("mat", {"0 1\n1 0\n", "0\n"}), "b: 1 ranks, where a has 2");
    EXPECT_THAT(refused("mat", {"0 1\n1 0\n", "0 x\n1 0\n"}),
                HasSubstr("b:1: 'x' is no number of messages"));
    EXPECT_THAT(refused("mat", {"0\n", "0\n", "0\n"}), HasSubstr("3 files"));
}

TEST(ImportMatrix, WhatIsNotSquareIsRefused) {
    EXPECT_THAT(refused("mat", {"0 1\n1\n"}),
                HasSubstr("a:2: 1 numbers, where the first line has 2"));
    EXPECT_THAT(refused("mat", {"0 1\n1 0 7\n"}),
                HasSubstr("a:2: more numbers, where the first line has 2"));
    EXPECT_THAT(refused("mat", {"0 1\n1 0\n0 0\n"}), HasSubstr("a:3: one line more than the 2"));
    EXPECT_THAT(refused("mat", {"0 1 2\n1 0 2\n"}),
                HasSubstr("a:2: the matrix ends after 2 lines of 3"));
    EXPECT_THAT(refused("mat", {"0 -1\n1 0\n"}), HasSubstr("a:1: '-1' is no number of bytes"));
    EXPECT_THAT(refused("mat", {"0 nan\n1 0\n"}), HasSubstr("a:1: 'nan'"));
    EXPECT_EQ(refused("mat", {"\n\n"}),
              "a: the file has no numbers; it needs a line for each sender");
    EXPECT_THAT(refused("mat", {"0 18446744073709551615\n5 0\n"}), HasSubstr("64 bits"));
}

}  // namespace
}  // namespace commmap
