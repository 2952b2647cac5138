// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/ranges.hpp"

#include <gmock/gmock.h>

namespace commmap {
namespace {

using testing::ElementsAre;

TEST(Ranges, AreRunsOfConsecutiveNumbers) {
    EXPECT_THAT(ranges_of(std::vector<std::uint32_t>{0, 1, 2, 5, 7, 8}),
                ElementsAre("0-2", "5", "7-8"));
    EXPECT_TRUE(ranges_of({}).empty());
    EXPECT_EQ(range_text(3, 3), "3");
    EXPECT_EQ(range_text(3, 5), "3-5");
}

}  // namespace
}  // namespace commmap
