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

}  // namespace
}  // namespace commmap
