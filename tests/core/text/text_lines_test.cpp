// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/text_lines.hpp"

#include <gtest/gtest.h>

namespace commmap {
namespace {

TEST(TextLines, EndsOfAllKinds) {
    TextLines lines("x\ny", "a\n\nb\r\nc");

    std::string all;
    while (lines.next()) all += std::to_string(lines.number()) + std::string(lines.line()) + ".";

    EXPECT_EQ(all, "1a.2.3b.4c.");
    EXPECT_EQ(lines.error("bad").message, "x y:4: bad");
    EXPECT_FALSE(TextLines("x", "").next());
}

TEST(TextLines, WordsOfALine) {
    Words words("  a,\tb  ", " \t,");
    EXPECT_EQ(words.next(), "a");
    EXPECT_EQ(words.next(), "b");
    EXPECT_EQ(words.next(), "");
    EXPECT_EQ(words.next(), "");
}

}  // namespace
}  // namespace commmap
