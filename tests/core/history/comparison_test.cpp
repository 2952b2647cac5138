// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/comparison.hpp"

#include <gtest/gtest.h>

#include "core/history/records.hpp"

namespace commmap {
namespace {

ProgramHistory history_of(unsigned num_default, unsigned num_placed, double placed_s) {
    ProgramHistory history("build-id:0a1b", 16);
    for (std::uint32_t i = 0; i < num_default; ++i)
        history.add(some_record(LaunchedAs::kept, 1.0 + 0.001 * i, i));
    for (std::uint32_t i = 0; i < num_placed; ++i)
        history.add(some_record(LaunchedAs::placed, placed_s + 0.001 * i, 1000 + i));
    return history;
}

std::string text_of(const ProgramHistory& history) {
    const RunGroup& group = history.groups().front();
    return comparison_text(compare(group, group.find(3)));
}

TEST(Comparison, SaysWhatTookLonger) {
    EXPECT_EQ(text_of(history_of(5, 3, 0.8)),
              "placed 801 ms (3 runs), default 1.00 s (5 runs): 20.1 % shorter");
    EXPECT_EQ(text_of(history_of(3, 3, 1.1)),
              "placed 1.10 s (3 runs), default 1.00 s (3 runs): 10.0 % longer");
}

TEST(Comparison, NeedsThreeOfEach) {
    EXPECT_EQ(text_of(history_of(1, 9, 2.0)),
              "not enough runs to compare: 1 run in Slurm's placement, 9 placed; three of each are "
              "needed");
    EXPECT_EQ(
        text_of(history_of(9, 0, 2.0)),
        "not enough runs to compare: 9 runs in Slurm's placement, 0 placed; three of each are "
        "needed");
}

TEST(Comparison, SaysWhyTheDefaultIsBack) {
    const ProgramHistory lost = history_of(8, 8, 1.5);
    const RunArm* const placed = lost.groups().front().find(3);
    EXPECT_TRUE(reversal_text(placed).starts_with("Slurm's own placement is back: "));
    EXPECT_EQ(reversal_text(history_of(8, 8, 1.0).groups().front().find(3)), "");
    EXPECT_EQ(reversal_text(nullptr), "");
}

TEST(Comparison, SaysHowFarPredictionsWereOff) {
    // 0.8 were predicted
    EXPECT_EQ(prediction_text(history_of(0, 4, 0.88).groups().front().find(3)),
              "measured times are 10.2 % longer than predicted, give or take 0.2 % (4 runs)");
    EXPECT_EQ(prediction_text(history_of(3, 4, 0.88).groups().front().find(3)),
              "measured times are 10.2 % longer than predicted, give or take 0.2 % (4 runs); a "
              "speed-up of 1.25 x was predicted, 1.14 x measured");
    EXPECT_EQ(prediction_text(history_of(0, 3, 0.88).groups().front().find(3)), "");
    EXPECT_EQ(prediction_text(nullptr), "");
}

}  // namespace
}  // namespace commmap
