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

TEST(Gain, EqualRunsLeaveTheBounds) {
    const GainRange range = range_of_gains({1.5, 1.2, 1.9}, {});

    EXPECT_NEAR(range.low, 1.2, 1e-12);
    EXPECT_NEAR(range.high, 1.9, 1e-12);
}

TEST(Gain, TheRangeHoldsNineInTenMeasuredGains) {
    // The true gain is off by the error of the prediction, and each run by the spread.
    const double deviations = 1.645;
    const double error = 0.08;
    for (const double spread : {0.0, 0.05, 0.3}) {
        std::mt19937 random(1);
        std::normal_distribution<double> normal;
        const GainRange range = range_of_gains({1.3, 1.3 * std::exp(-error), 1.3 * std::exp(error)},
                                               {.spread = spread, .share_measured = {}});
        int inside = 0;
        const int rounds = 20000;
        for (int round = 0; round < rounds; ++round) {
            const double log_gain = std::log(1.3) + error / deviations * normal(random) +
                                    spread * (normal(random) + normal(random));
            const double measured = std::exp(log_gain);
            inside += measured >= range.low && measured <= range.high ? 1 : 0;
        }
        EXPECT_NEAR(inside / static_cast<double>(rounds), 0.9, 0.01) << spread;
    }
}

TEST(Gain, TheRangeHoldsTheShareThatEarlierRunsHad) {
    const Gain gain{1.5, 1.4, 1.6};
    const auto with = [&](double share, double spread) {
        return range_of_gains(gain, {.spread = spread, .share_measured = share});
    };
    EXPECT_NEAR(with(0.5, 0.0).low, std::sqrt(1.5), 1e-12);
    EXPECT_NEAR(with(0.5, 0.0).high, 1.6, 1e-12);
    EXPECT_NEAR(with(-1.0, 0.0).low, 1.0 / 1.5, 1e-12);
    EXPECT_NEAR(with(2.0, 0.0).high, 1.5 * 1.5, 1e-12);
    EXPECT_NEAR(with(2.0, 0.0).low, 1.4, 1e-12);
    EXPECT_NEAR(with(1.0, 0.0).low, 1.4, 1e-12);
    // With noise, half of the runs would lie below what was measured before.
    EXPECT_NEAR(with(0.5, 0.1).low, std::sqrt(1.5) * std::exp(-1.645 * std::sqrt(2.0) * 0.1),
                1e-12);
}

TEST(Gain, TheRangeIsOfNumbersWhateverAHistoryHolds) {
    for (const double share : {-1e300, -1.0, 1e300}) {
        for (const double spread : {0.0, 100.0}) {
            const GainRange range =
                range_of_gains({20.0, 1.0, 400.0}, {.spread = spread, .share_measured = share});
            EXPECT_TRUE(std::isfinite(range.low) && std::isfinite(range.high));
            EXPECT_LE(range.low, range.high);
        }
    }
}

TEST(Gain, SaysItsBounds) {
    EXPECT_EQ(gain_text({1.85, 1.73, 1.97}), "1.85 x +- 0.12");
    EXPECT_EQ(gain_text({1.85, 1.73, 2.15}), "1.85 x -0.12 +0.30");
    EXPECT_EQ(gain_text({1.85, 1.85 * std::exp(-0.05), 1.85 * std::exp(0.05)}), "1.85 x +- 0.09");
}

}  // namespace
}  // namespace commmap
