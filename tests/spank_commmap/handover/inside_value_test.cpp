// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/handover/inside_value.hpp"

#include <gtest/gtest.h>

namespace commmap::spank {
namespace {

TEST(InsideValue, ReadsBack) {
    for (const InsideValue& value : {InsideValue{false, "bcast 16 1 native"},
                                     InsideValue{true, "for A 1;bcast 16 1 native"}}) {
        const auto read = parse_inside_value(format_inside_value(value));

        ASSERT_TRUE(read);
        EXPECT_EQ(read.value().verbose, value.verbose);
        EXPECT_EQ(read.value().rules, value.rules);
    }
    EXPECT_EQ(format_inside_value({true, "a"}), "1,verbose:a");
}

/// While a cluster is upgraded.
TEST(InsideValue, OfAnotherVersionIsNotRead) {
    for (const char* text : {"2:a", "2,verbose:a", "11:a", ",verbose:a", ":a", "1,loud:a"})
        EXPECT_EQ(parse_inside_value(text).error().code, Errc::not_supported) << text;
}

TEST(InsideValue, WithoutRulesIsNone) {
    for (const char* text : {"", "1", "1:", "1,verbose:"})
        EXPECT_EQ(parse_inside_value(text).error().code, Errc::invalid_input) << text;
}

}  // namespace
}  // namespace commmap::spank
