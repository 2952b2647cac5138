// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan_reply/cpu_set_table.hpp"

#include <gmock/gmock.h>

#include <random>

namespace commmap {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CpuSetTable, ReadsPatternsAndRuns) {
    const auto table = CpuSetTable::parse("0,1/1,0@0x5,1x3");

    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(table.value().num_nodes(), 8U);
    EXPECT_THAT(*table.value().pattern_of(4), ElementsAre(0, 1));
    EXPECT_THAT(*table.value().pattern_of(5), ElementsAre(1, 0));
    EXPECT_THAT(*table.value().pattern_of(7), ElementsAre(1, 0));
    EXPECT_EQ(table.value().pattern_of(8), nullptr);
    EXPECT_EQ(table.value().text_of_used_nodes(), "0,1/1,0@0x5,1x3");
}

TEST(CpuSetTable, WritesThePatternsOfNodes) {
    EXPECT_EQ(CpuSetTable::of_nodes({{0, 1}, {0, 1}, {}, {1, 0}, {0, 1}}).text(),
              "0,1//1,0@0x2,1x1,2x1,0x1");
    EXPECT_EQ(CpuSetTable::of_nodes({{0}}).num_nodes(), 1U);

    for (const char* text : {"0,1/1,0@0x5,1x3", "0@0x1", "/0@0x2,1x1"})
        EXPECT_EQ(CpuSetTable::parse(text).value().text(), text);
}

TEST(CpuSetTable, LeavesOutNodesWithoutTasks) {
    const auto table = CpuSetTable::parse("/0/1,0@1x2,0x3,1x1,2x1");

    ASSERT_TRUE(table) << table.error().message;
    EXPECT_THAT(*table.value().pattern_of(2), IsEmpty());
    EXPECT_EQ(table.value().text_of_used_nodes(), "0/1,0@0x3,1x1");
}

TEST(CpuSetTable, RefusesEverythingElse) {
    for (const char* text : {"",
                             "0",
                             "@",
                             "0@",
                             "0@0",
                             "0@x1",
                             "0@0x",
                             "0@0x0",
                             "0@1x1",
                             "0,0@0x1",
                             "0,@0x1",
                             "-1@0x1",
                             "1@0x1",
                             "0,2@0x1",
                             " 0@0x1",
                             "0@0x1,",
                             "0@0x99999999999",
                             "99999999999@0x1",
                             "0@0x1@0x1",
                             "a@0x1",
                             "0@0x4194304,0x4194304",
                             "0x1@0x1"}) {
        EXPECT_FALSE(CpuSetTable::parse(text)) << text;
    }
}

TEST(CpuSetTable, SurvivesGarbage) {
    std::mt19937 random(1);
    const std::string letters = "0123456789,,,///@@xx-+ \n\0z";
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        for (auto length = random() % 24; length > 0; --length)
            text += letters[random() % letters.size()];

        const auto table = CpuSetTable::parse(text);

        if (table && table.value().text_of_used_nodes() != "@") {
            EXPECT_TRUE(CpuSetTable::parse(table.value().text_of_used_nodes())) << text;
        }
    }
}

}  // namespace
}  // namespace commmap
