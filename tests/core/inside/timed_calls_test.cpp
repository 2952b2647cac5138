// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/inside/timed_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace commmap::inside {
namespace {

using testing::HasSubstr;

TEST(TimedCalls, CallsAreReadAsTheyAreWritten) {
    const std::vector<CallToTime> calls = {{CollectiveOp::bcast, 65536},
                                           {CollectiveOp::allgather, 1}};
    EXPECT_EQ(write_calls(calls), "bcast 65536\nallgather 1\n");
    EXPECT_EQ(read_calls(write_calls(calls)).value(), calls);
}

TEST(TimedCalls, AWrongCallIsRefusedWithItsLine) {
    for (const auto& [text, why] : {std::pair("bcast 1\nscan 4\n", "calls:2: the operation"),
                                    std::pair("bcast\n", "calls:1: expected 1 to"),
                                    std::pair("bcast 0\n", "calls:1: expected 1 to"),
                                    std::pair("bcast 67108865\n", "not '67108865'")}) {
        const auto calls = read_calls(text);
        ASSERT_FALSE(calls) << text;
        EXPECT_THAT(calls.error().message, HasSubstr(why));
    }
}

/// A call whose native rounds take so many seconds, and the algorithm a second each.
TimedCall timed_in(const std::vector<double>& native_s) {
    TimedCall timed{{CollectiveOp::allreduce, 64}, {}};
    for (const double seconds : native_s) timed.rounds.push_back({seconds, 1.0});
    return timed;
}

TEST(TimedCalls, TimesAreReadAsTheyAreWritten) {
    const TimedCall written = timed_in({0.1, 1e-5, 3, 4, 5, 6, 7, 8, 1.0 / 3});
    std::string line = write_timed(written);
    ASSERT_EQ(line.back(), '\n');
    line.pop_back();
    EXPECT_EQ(read_timed(line), written);
}

TEST(TimedCalls, OtherLinesAreNone) {
    const std::string nine = " 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1";
    EXPECT_TRUE(read_timed("timed bcast 4" + nine));
    for (const std::string& line :
         {std::string("timed"), "measured bcast 4" + nine, "timed scan 4" + nine,
          "timed bcast x" + nine, "timed bcast 4" + nine + " 1", "timed bcast 4" + nine + " 0 1",
          std::string("timed bcast 4 1 1"), std::string()})
        EXPECT_FALSE(read_timed(line)) << line;
}

TEST(TimedCalls, ASummaryHasMediansAndTheLowerEndOfTheGain) {
    const MeasuredCall of_nine = summary_of(timed_in({9, 1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(of_nine.bytes, 64U);
    EXPECT_DOUBLE_EQ(of_nine.native_us, 5e6);
    EXPECT_DOUBLE_EQ(of_nine.algorithm_us, 1e6);
    EXPECT_DOUBLE_EQ(of_nine.least_gain, 2.0) << "the second of nine: 96 %";
    std::vector<double> many(101);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i + 1);
    EXPECT_DOUBLE_EQ(summary_of(timed_in(many)).least_gain, 41.0) << "the 41st of 101";
    EXPECT_DOUBLE_EQ(summary_of(timed_in({0.5, 0.4, 0.3, 0.2, 0.1})).least_gain, 0.1);
}

}  // namespace
}  // namespace commmap::inside
