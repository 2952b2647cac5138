// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/handover/option_value.hpp"

#include <gtest/gtest.h>

namespace commmap::spank {
namespace {

TEST(OptionValue, PlacedValueReadsBack) {
    for (const PlacedValue& value : {PlacedValue{false, "0,1@0x8"}, PlacedValue{true, "0@0x1"},
                                     PlacedValue{true, ""}, PlacedValue{}}) {
        const auto read = parse_placed_value(format_placed_value(value));

        ASSERT_TRUE(read);
        EXPECT_EQ(read.value().verbose, value.verbose);
        EXPECT_EQ(read.value().cpu_sets, value.cpu_sets);
    }
}

/// While a cluster is upgraded.
TEST(OptionValue, APlacedValueOfAnotherVersionIsOne) {
    for (const char* text : {"placed:0@0x1", "placed2:anything", "placed10,verbose:"}) {
        EXPECT_TRUE(is_placed_value(text)) << text;
        EXPECT_EQ(parse_placed_value(text).error().code, Errc::not_supported) << text;
    }
    EXPECT_TRUE(parse_placed_value("placed1:0@0x1"));
}

TEST(OptionValue, NoUsersValueIsAPlacedValue) {
    for (const char* text :
         {"off", "profile", "auto", "auto,verbose", "", "placed", "Placed:", "auto:0@0x1",
          "placed,loud:", "placed,verbose,verbose:", "placed1", "placed1x:"}) {
        EXPECT_FALSE(is_placed_value(text)) << text;
        EXPECT_FALSE(parse_placed_value(text)) << text;
    }
    Options options;
    EXPECT_FALSE(set_mode(options, format_placed_value({false, "0@0x1"})));
}

}  // namespace
}  // namespace commmap::spank
