// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/measuring_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace commmap {
namespace {

using testing::HasSubstr;

std::string message_of(std::string_view text) {
    const auto series = read_series(text);
    return series ? "" : series.error().message;
}

TEST(MeasuringText, SeriesComeBackAsTheyWereWritten) {
    const std::vector<NamedSeries> series{
        {MeasuringPattern::round_trips, {1, 2, 4194304}, {{"m0", "m1"}}},
        {MeasuringPattern::streams, {262144}, {{"m0", "m1"}, {"m0", "m2"}}},
        {MeasuringPattern::both_ways, {65536}, {{"m0", "m1"}}},
        {MeasuringPattern::each_pair, {61440}, {{"m0", "m1"}, {"m1", "m0"}}},
        {MeasuringPattern::work, {100000000}, {{"m0", "m0"}, {"m1", "m1"}}},
        {MeasuringPattern::gaps, {8}, {{"m0", "m1"}}},
        {MeasuringPattern::send_overheads, {8}, {{"m0", "m1"}}},
        {MeasuringPattern::receive_overheads, {8}, {{"m0", "m1"}}}};

    const std::string text = write_series(series);

    EXPECT_EQ(text,
              "round-trips 1,2,4194304 m0>m1\n"
              "streams 262144 m0>m1 m0>m2\n"
              "both-ways 65536 m0>m1\n"
              "each-pair 61440 m0>m1 m1>m0\n"
              "work 100000000 m0>m0 m1>m1\n"
              "gaps 8 m0>m1\n"
              "send-overheads 8 m0>m1\n"
              "receive-overheads 8 m0>m1\n");
    const auto read = read_series(text);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read.value(), series);
}

TEST(MeasuringText, RefusesWhatIsNoSeries) {
    EXPECT_THAT(message_of("ping 1 a>b\n"), HasSubstr("series:1: expected a pattern"));
    EXPECT_THAT(message_of("streams 1 a>b\nstreams x a>b\n"), HasSubstr("series:2: expected a le"));
    EXPECT_THAT(message_of("streams 0 a>b\n"), HasSubstr("expected a length"));
    EXPECT_THAT(message_of("streams 99999999999 a>b\n"), HasSubstr("expected a length"));
    EXPECT_THAT(message_of("streams 2,1 a>b\n"), HasSubstr("ascend"));
    EXPECT_THAT(message_of("streams 1 a\n"), HasSubstr("SENDER>RECEIVER"));
    EXPECT_THAT(message_of("streams 1 a>a\n"), HasSubstr("two nodes"));
    EXPECT_THAT(message_of("work 1 a>b\n"), HasSubstr("one node"));
    EXPECT_THAT(message_of("each-pair 1 a>a\n"), HasSubstr("two nodes"));
    EXPECT_THAT(message_of("streams 1\n"), HasSubstr("pairs of nodes"));
    EXPECT_THAT(message_of("gaps 8 a>b c>d\n"), HasSubstr("expected one pair"));
    EXPECT_THAT(message_of("send-overheads 8,2048 a>b\n"), HasSubstr("at most 1024 bytes"));
}

TEST(MeasuringText, AnswersComeBackAsTheyWereWritten) {
    const Measured measured{3, 65536, {0.0061, 0.1 + 0.2, 5.5e-3}};

    std::string line = write_measured(measured);
    ASSERT_EQ(line.back(), '\n');
    line.pop_back();

    EXPECT_EQ(read_measured(line), measured);
}

TEST(MeasuringText, AnswersOfOnePairSayWhich) {
    const Measured measured{3, 61440, {1.5e6, 2.5e6}, 7};

    std::string line = write_measured(measured);
    EXPECT_EQ(line, "measured-pair 3 7 61440 1500000 2500000\n");
    line.pop_back();

    EXPECT_EQ(read_measured(line), measured);
}

TEST(MeasuringText, OtherLinesAreNoAnswers) {
    for (const char* line :
         {"", "measured", "measured 1", "measured 1 2", "measured x 2 1.0", "measured 1 0 1.0",
          "measured 1 2 -1", "measured 1 2 nan", "measured 1 2 1.0x", "measured-pair 1 2 3",
          "measured-pair 1 x 3 1.0", "measured-pair 1 4294967295 3 1.0",
          "WARNING: No preset parameters were found"}) {
        EXPECT_EQ(read_measured(line), std::nullopt) << line;
    }
}

}  // namespace
}  // namespace commmap
