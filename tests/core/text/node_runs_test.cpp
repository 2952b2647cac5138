// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/node_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/number.hpp"

namespace commmap {
namespace {

using ::testing::ElementsAre;

TEST(NodeRuns, Written) {
    const std::vector<std::uint32_t> nodes = {3, 0, 0, 1, 1, 1, 0};
    EXPECT_EQ(format_node_runs(nodes), "3,0x2,1x3,0");
    EXPECT_EQ(format_node_runs({}), "");
}

TEST(NodeRuns, Read) {
    EXPECT_THAT(parse_node_runs("3,0x2,1").value(), ElementsAre(3, 0, 0, 1));
    EXPECT_THAT(parse_node_runs("4294967295").value(), ElementsAre(4294967295U));
}

TEST(NodeRuns, Refused) {
    for (const char* text : {"", ",", "1,", "x2", "1x", "1x-2", "1x0", "-1", " 1", "1 ", "1x2x3",
                             "4294967296", "0x4194305", "0x4194304,0", "0x99999999999999999999"}) {
        EXPECT_FALSE(parse_node_runs(text)) << text;
    }
    EXPECT_EQ(parse_node_runs("0x4194304").value().size(), std::size_t{1} << 22);
    EXPECT_THAT(parse_node_runs("1,boat").error().message, ::testing::HasSubstr("'boat'"));
}

TEST(Number, TakesTheWholeText) {
    EXPECT_EQ(parse_number("18446744073709551615"), UINT64_MAX);
    for (const char* text : {"", " 1", "1 ", "+1", "-1", "0x1", "18446744073709551616"})
        EXPECT_FALSE(parse_number(text)) << text;
}

}  // namespace
}  // namespace commmap
