// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/gain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace commmap {
namespace {

/// Of two steps; all of their time can be that of the whole run.
RunTime two_steps() { return {2.0, {1.0, 1.0}, 1.0, 1.0}; }

/// Without the error.
double low(const Gain& gain) { return gain.low * std::exp(gain_error(std::log(gain.factor))); }
double high(const Gain& gain) { return gain.high / std::exp(gain_error(std::log(gain.factor))); }

TEST(Gain, HoldsTheGainByTheStepsAndByTheWholeRun) {
    const Gain gain = gain_of(two_steps(), std::vector{4.0, 4.0, 8.0}, std::vector{2.0, 2.0, 6.0});

    EXPECT_DOUBLE_EQ(gain.factor, 10.0 / 8.0);  // the whole run's, which is the smaller one
    EXPECT_NEAR(low(gain), 10.0 / 8.0, 1e-12);
    EXPECT_NEAR(high(gain), 10.0 / 6.0, 1e-12);
}

TEST(Gain, WhatTheWholeRunCannotStandForIsNotInDoubt) {
    // A token: of the steps' time the whole run explains an eighth, and no order changes that.
    const RunTime token{0.0, {1.0, 1.0}, 0.125, 1.0};

    const Gain gain = gain_of(token, std::vector{4.0, 4.0, 1.0}, std::vector{2.0, 2.0, 1.0});

    EXPECT_DOUBLE_EQ(gain.factor, 8.0 / 4.5);
    EXPECT_NEAR(low(gain), 8.0 / 4.5, 1e-12);
    EXPECT_NEAR(high(gain), 8.0 / 4.0, 1e-12);
}

TEST(Gain, TheFactorLiesWithinTheBounds) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> number(0.1, 10.0);
    for (int round = 0; round < 1000; ++round) {
        RunTime time{number(random), {}, number(random) / 10.0, number(random)};
        std::vector<double> before = {number(random)};
        std::vector<double> after = {number(random)};
        for (int step = 0; step < round % 3; ++step) {
            time.per_step.push_back(number(random));
            before.push_back(number(random));
            after.push_back(number(random));
        }
        const Gain gain = gain_of(time, before, after);
        EXPECT_LT(gain.low, gain.factor);
        EXPECT_LT(gain.factor, gain.high);
        EXPECT_DOUBLE_EQ(gain.factor, time.of(before.data()) / time.of(after.data()));
    }
}

TEST(Gain, TheErrorGrowsWithTheGain) {
    EXPECT_GT(gain_error(0.0), 0.0);
    EXPECT_GT(gain_error(0.3), gain_error(0.1));
    EXPECT_DOUBLE_EQ(gain_error(0.3), gain_error(-0.3));  // as unsure of a loss
    EXPECT_LT(gain_error(0.3), 0.3);
}

TEST(Gain, NothingPredictedIsNoGain) {
    const RunTime nothing{0.0, {}, 1.0, 1.0};
    EXPECT_DOUBLE_EQ(gain_of(nothing, std::vector{0.0}, std::vector{0.0}).factor, 1.0);
}

TEST(Gain, NothingKnownOfEarlierRunsLeavesTheBounds) {
    const Gain gain = gain_in_runs({1.5, 1.2, 1.9}, {});

    EXPECT_DOUBLE_EQ(gain.factor, 1.5);
    EXPECT_DOUBLE_EQ(gain.low, 1.2);
    EXPECT_DOUBLE_EQ(gain.high, 1.9);
}

TEST(Gain, BothRunsHaveTheSpreadOfEarlierRuns) {
    const Gain gain = gain_in_runs({1.5, 1.5 * std::exp(-0.3), 1.5 * std::exp(0.4)},
                                   {.spread = 0.3 * std::sqrt(0.5), .log_off = -0.01});

    EXPECT_DOUBLE_EQ(gain.factor, 1.5);
    EXPECT_NEAR(gain.low, 1.5 * std::exp(-0.3 * std::sqrt(2.0)), 1e-12);
    EXPECT_NEAR(gain.high, 1.5 * std::exp(0.5), 1e-12);
}

TEST(Gain, HoldsTheGainThatEarlierRunsHad) {
    const Gain gain{1.5, 1.4, 1.6};
    const auto with = [&](double measured) {
        return gain_in_runs(gain, {.spread = 0.0, .log_off = std::log(measured / gain.factor)});
    };
    EXPECT_NEAR(with(1.1).low, 1.1, 1e-12);
    EXPECT_NEAR(with(1.1).high, 1.6, 1e-12);
    EXPECT_NEAR(with(2.0).high, 2.0, 1e-12);
    EXPECT_NEAR(with(2.0).low, 1.4, 1e-12);
    EXPECT_NEAR(with(1.45).low, 1.4, 1e-12);
}

TEST(Gain, SaysItsBounds) {
    EXPECT_EQ(gain_text({1.85, 1.73, 1.97}), "1.85 x +- 0.12");
    EXPECT_EQ(gain_text({1.85, 1.73, 2.15}), "1.85 x -0.12 +0.30");
    EXPECT_EQ(gain_text({1.85, 1.85 * std::exp(-0.05), 1.85 * std::exp(0.05)}), "1.85 x +- 0.09");
}

}  // namespace
}  // namespace commmap
