// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/one_line.hpp"

#include <gtest/gtest.h>

#include <string>

namespace commmap {
namespace {

TEST(OneLine, IsShortAndHasNoControls) {
    EXPECT_EQ(one_line("a\nb\tc"), "a b c");
    EXPECT_LE(one_line(std::string(1000, 'a'), 90).size(), 93U);
}

TEST(OneLine, HasNoControlsOfEightBits) {
    EXPECT_EQ(one_line("a\x9b[31m"), "a [31m");            // CSI as a byte
    EXPECT_EQ(one_line("a\xc2\x9b[31m"), "a  [31m");       // and as U+009B
    EXPECT_EQ(one_line("\xc2\x80\xc2\x9f\x7f"), "     ");  // the first and the last
    EXPECT_EQ(one_line("\xc3\x9b"), "\xc3\x9b");           // U+00DB has the byte, too
    EXPECT_EQ(one_line("\xe2\x80\x9b \xf0\x9f\x9b\x9b"), "\xe2\x80\x9b \xf0\x9f\x9b\x9b");
    EXPECT_EQ(one_line("\xc2\xa0"), "\xc2\xa0");          // U+00A0 is behind them
    EXPECT_EQ(one_line("\xc3\x28\xe9"), "\xc3\x28\xe9");  // Latin-1
    EXPECT_EQ(one_line("\xe2\x9b"), "\xe2 ");             // cut off
    EXPECT_EQ(one_line("\xc0\x9b\xff\x9b"), "\xc0 \xff ");
    EXPECT_EQ(one_line("\xe0\x82\x9b[31m"), "\xe0  [31m");       // U+009B in three bytes
    EXPECT_EQ(one_line("\xf0\x80\x82\x9b[31m"), "\xf0   [31m");  // and in four
    EXPECT_EQ(one_line("\xe0\xa0\x80 \xf0\x90\x80\x80"), "\xe0\xa0\x80 \xf0\x90\x80\x80");
}

}  // namespace
}  // namespace commmap
