// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/measurements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace commmap {
namespace {

using testing::HasSubstr;

Measurements sample() {
    return {"2026-11-29",
            "7",
            "Open MPI v4.1.4",
            {"m0", "m5"},
            {{MeasuringPattern::round_trips, {1, 2}, {{"m0", "m5"}}},
             {MeasuringPattern::streams, {65536}, {{"m5", "m0"}}}},
            {{0, 1, {1.5e-5, 2e-5}}, {1, 65536, {12e6}}},
            true};
}

TEST(Measurements, AreReadAsTheyWereWritten) {
    Measurements all = sample();
    for (const bool complete : {true, false}) {
        all.complete = complete;
        const auto read = read_measurements("m", write_measurements(all));
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read.value(), all);
    }
    all.job.clear();
    all.library.clear();
    EXPECT_EQ(read_measurements("m", write_measurements(all)).value(), all);
}

TEST(Measurements, ATextThatIsCutOffIsIncompleteOrNone) {
    const std::string whole = write_measurements(sample());
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const auto read = read_measurements("m", whole.substr(0, length));
        // without its last line end, the last line is whole all the same
        if (read) {
            EXPECT_EQ(read.value().complete, length + 1 == whole.size()) << length;
        }
    }
}

TEST(Measurements, OtherTextsSayWhatIsWrong) {
    const auto message = [](const std::string& text) {
        const auto read = read_measurements("m", text);
        return read ? "read" : read.error().message;
    };
    const std::string first = "commmap-measurements 1\n";
    EXPECT_EQ(message(""),
              "m:1: no measurements of commmap calibrate: the first line must be "
              "'commmap-measurements 1'");
    EXPECT_THAT(message(first + "series streams 0 a>b\n"), HasSubstr("m:2: this series"));
    EXPECT_THAT(message(first + "measured 0 1 5\n"),
                HasSubstr("m:2: a value of a series that is not"));
    EXPECT_THAT(message(first + "complete\n\n"), HasSubstr("m:3: a line behind the last one"));
    EXPECT_THAT(message(first + "complete\n"),
                HasSubstr("m:2: no date, no nodes or no measurement"));
    EXPECT_THAT(message(first + "date\n"), HasSubstr("m:2: expected a value, a series"));
}

}  // namespace
}  // namespace commmap
