// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/suggest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace commmap {
namespace {

constexpr std::array<std::string_view, 3> names{"bandwidth", "latency", "max_bandwidth"};

TEST(Suggest, FindsTheNearestName) {
    EXPECT_EQ(nearest_name("bandwith", names), "bandwidth");
    EXPECT_EQ(nearest_name("LATENCY", names), "latency");
    EXPECT_EQ(nearest_name("maxbandwidth", names), "max_bandwidth");
}

TEST(Suggest, SaysNothingWhenNothingIsNear) {
    EXPECT_EQ(nearest_name("color", names), "");
    EXPECT_EQ(did_you_mean("color", names), "");
}

TEST(Suggest, IsASentence) {
    EXPECT_EQ(did_you_mean("latenzy", names), "; did you mean 'latency'?");
}

}  // namespace
}  // namespace commmap
