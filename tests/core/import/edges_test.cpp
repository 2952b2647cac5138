// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/import/import_text.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;

TEST(ImportEdges, LinesOfAllKinds) {
    const auto imported = import_text("edges", {"# made by hand\n"
                                                "0 1 100 2\r\n"
                                                "\n"
                                                "0,1,300,1\n"
                                                "1;0\t; 7\n"
                                                "% nothing\n"
                                                "3 0 1.5e3 5"});

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(imported.value().profile.num_ranks(), 4);
    // 2 messages of 50 bytes, 1 of 300 in another size bucket; without a number one message
    EXPECT_EQ(messages_of(imported.value()), "0>1 2:100 0>1 1:300 1>0 1:7 3>0 5:1500");
}

TEST(ImportEdges, NamedColumns) {
    const auto imported =
        import_text("edges", {"Messages,Target,source,BYTES\n2,1,0,30\n0,0,1,0\n"});

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(messages_of(imported.value()), "0>1 2:30");
}

TEST(ImportEdges, MessagesOfNoBytesCount) {
    const auto imported = import_text("edges", {"0 1 0 3\n1 0 0\n"});

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(messages_of(imported.value()), "0>1 3:0");
}

TEST(ImportEdges, RanksThatSendNothing) {
    const auto imported = import_text("edges", {"0 1 5\n"}, {.num_ranks = 8});

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(imported.value().profile.num_ranks(), 8);
    EXPECT_EQ(refused("edges", {"0 9 5\n"}, {.num_ranks = 8}),
              "a: there is a rank 9, but --ntasks says 8 ranks");
}

TEST(ImportEdges, WhatIsWrongIsNamedWithItsLine) {
    EXPECT_EQ(refused("edges", {"0 1 5\n0 x 5\n"}),
              "a:2: 'x' is no rank: a whole number from 0 on");
    EXPECT_EQ(refused("edges", {"0 1 5\n-1 0 5\n"}),
              "a:2: '-1' is no rank: a whole number from 0 on");
    EXPECT_THAT(refused("edges", {"0 1 5\n0 4000000000 5\n"}),
                HasSubstr("a:2: rank 4000000000 is above 16777215"));
    EXPECT_THAT(refused("edges", {"0 1 -5\n"}), HasSubstr("a:1: '-5' is no number of bytes"));
    for (const char* amount : {"nan", "inf", "-0.5", "1e30", "18446744073709551616", "5x", "0x5"})
        EXPECT_THAT(refused("edges", {std::string("0 1 ") + amount}),
                    HasSubstr("a:1: '" + std::string(amount) + "' is no number of bytes"));
    EXPECT_THAT(refused("edges", {"0 1\n"}), HasSubstr("a:1: 2 words"));
    EXPECT_THAT(refused("edges", {"0 1 2 3 4\n"}), HasSubstr("a:1: more than"));
    EXPECT_THAT(refused("edges", {"0 1 2 0\n"}), HasSubstr("a:1: 2 bytes but 0 messages"));
    EXPECT_THAT(refused("edges", {"from to weights\n"}), HasSubstr("a:1: 'weights' is neither"));
    EXPECT_THAT(refused("edges", {"from to\n"}), HasSubstr("a:1: the columns need"));
    EXPECT_THAT(refused("edges", {"from to from\n"}), HasSubstr("was there before"));
    EXPECT_THAT(refused("edges", {"from to bytes\n0 1 2 3\n"}), HasSubstr("a:2: 4 words"));
    EXPECT_EQ(refused("edges", {"# nothing\n"}), "a: there are no messages");
    EXPECT_EQ(refused("edges", {""}), "a: there are no messages");
}

TEST(ImportEdges, SumsThatDoNotFitInto64Bits) {
    EXPECT_THAT(refused("edges", {"0 1 18446744073709551615\n1 0 1\n"}),
                HasSubstr("a:2: all messages up to here are more than 64 bits can count"));
}

TEST(ImportEdges, AHighRankInAShortFileIsNotBelieved) {
    EXPECT_THAT(refused("edges", {"0 16777215 5\n"}), HasSubstr("give --ntasks 16777216"));
    const auto asked = import_text("edges", {"0 4000 5\n"}, {.num_ranks = 5000});
    ASSERT_TRUE(asked) << asked.error().message;
    EXPECT_EQ(asked.value().profile.num_ranks(), 5000);
    EXPECT_THAT(refused("edges", {"0 1 5\n"}, {.num_ranks = 1U << 30}), HasSubstr("1073741824"));
}

TEST(ImportEdges, JunkAndLongLinesGiveOneShortLine) {
    const std::string junk(
        "\x7f"
        "ELF\0\1\2\n\n\xff\xfe",
        12);
    for (const std::string& text : {junk, std::string(1 << 20, '9'), std::string(1 << 20, 'x')}) {
        const std::string why = refused("edges", {text});
        EXPECT_FALSE(why.empty());
        EXPECT_LT(why.size(), 400U);
        EXPECT_EQ(why.find('\n'), std::string::npos);
    }
}

}  // namespace
}  // namespace commmap
