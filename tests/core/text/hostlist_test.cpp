// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/hostlist.hpp"

#include <gmock/gmock.h>

#include <string>

namespace commmap {
namespace {

using testing::ElementsAre;

TEST(Hostlist, ExpandsRangesAndKeepsZeros) {
    EXPECT_THAT(expand_hostlist("n[001-003,7],login").value(),
                ElementsAre("n001", "n002", "n003", "n7", "login"));
}

TEST(Hostlist, MultipliesSeveralBrackets) {
    EXPECT_THAT(expand_hostlist("r[1-2]n[8-9]x").value(),
                ElementsAre("r1n8x", "r1n9x", "r2n8x", "r2n9x"));
}

TEST(Hostlist, KeepsOrderAndDuplicates) {
    EXPECT_THAT(expand_hostlist("b,a,b").value(), ElementsAre("b", "a", "b"));
}

TEST(Hostlist, RefusesNonsenseInOneLine) {
    for (const char* text : {"", "a,,b", "n[1-", "n1]", "n[3-1]", "n[a-b]", "n[]", "n[1-2",
                             "n[0-99999999]", "n[0-9999]x[0-9999]"}) {
        const auto names = expand_hostlist(text);
        ASSERT_FALSE(names) << text;
        EXPECT_EQ(names.error().code, Errc::invalid_input);
    }
}

TEST(Hostlist, BoundsWhatAHostileTextCanAskFor) {
    std::string brackets;
    for (int i = 0; i < 300; ++i) brackets += "[1]";
    EXPECT_FALSE(expand_hostlist(brackets));
    EXPECT_FALSE(expand_hostlist(std::string(300, 'n') + "[1-1000000]"));
    // 130 MB each, whether the long part stands before the numbers or behind them
    const std::string hundred(100, 'n');
    EXPECT_FALSE(expand_hostlist(hundred + "[1-1000000]"));
    EXPECT_FALSE(expand_hostlist("[1-1000000]" + hundred));
    const std::string some = hundred + "[1-200000]";
    EXPECT_TRUE(expand_hostlist(some));
    EXPECT_FALSE(expand_hostlist(some + "," + some));
    EXPECT_TRUE(expand_hostlist("computenode-r01-[000001-999999]"));
}

}  // namespace
}  // namespace commmap
