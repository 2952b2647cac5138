#include "core/plan/gain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace commmap {
namespace {

/// Of two steps; all of their time can be that of the whole run.
RunTime two_steps() { return {2.0, {1.0, 1.0}, 1.0, 1.0}; }

TEST(Gain, HoldsTheGainByTheStepsAndByTheWholeRun) {
    const std::vector<double> before = {4.0, 4.0, 8.0};
    const std::vector<double> after = {2.0, 2.0, 6.0};

    const Gain gain = gain_of(two_steps(), before, after, 0.0);

    EXPECT_DOUBLE_EQ(gain.factor, 10.0 / 8.0);  // the whole run's, which is the smaller one
    EXPECT_DOUBLE_EQ(gain.low, 10.0 / 8.0);
    EXPECT_DOUBLE_EQ(gain.high, 10.0 / 6.0);
}

TEST(Gain, TheErrorIsAroundBoth) {
    const std::vector<double> before = {4.0, 4.0, 8.0};
    const std::vector<double> after = {2.0, 2.0, 6.0};

    const Gain gain = gain_of(two_steps(), before, after, std::log(1.25));

    EXPECT_NEAR(gain.low, 1.0, 1e-12);
    EXPECT_NEAR(gain.high, 1.25 * 10.0 / 6.0, 1e-12);
}

TEST(Gain, WhatTheWholeRunCannotStandForIsNotInDoubt) {
    // A token: of the steps' time the whole run explains an eighth, and no order changes that.
    const RunTime token{0.0, {1.0, 1.0}, 0.125, 1.0};

    const Gain gain = gain_of(token, std::vector{4.0, 4.0, 1.0}, std::vector{2.0, 2.0, 1.0}, 0.0);

    EXPECT_DOUBLE_EQ(gain.factor, 8.0 / 4.5);
    EXPECT_DOUBLE_EQ(gain.low, 8.0 / 4.5);
    EXPECT_DOUBLE_EQ(gain.high, 8.0 / 4.0);
}

TEST(Gain, TheFactorLiesWithinTheBounds) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> number(0.1, 10.0);
    for (int round = 0; round < 1000; ++round) {
        const RunTime time{number(random),
                           {number(random), number(random)},
                           number(random) / 10.0,
                           number(random)};
        const std::vector<double> before = {number(random), number(random), number(random)};
        const std::vector<double> after = {number(random), number(random), number(random)};
        const Gain gain = gain_of(time, before, after, 0.01 * round);
        EXPECT_LE(gain.low, gain.factor);
        EXPECT_LE(gain.factor, gain.high);
        EXPECT_DOUBLE_EQ(gain.factor, time.of(before.data()) / time.of(after.data()));
    }
}

TEST(Gain, TheUsualErrorGrowsWithTheGain) {
    const std::vector<double> before = {4.0, 4.0, 8.0};
    double share = 0.0;
    for (const double part : {1.0, 0.9, 0.7, 0.4}) {
        const std::vector<double> after = {4.0 * part, 4.0 * part, 8.0 * part};
        const Gain gain = gain_of(two_steps(), before, after, {});
        EXPECT_NEAR(gain.high / gain.factor, std::exp(usual_gain_error(std::log(gain.factor))),
                    1e-12);
        EXPECT_GT(gain.high / gain.low, 1.0 + share);
        share = gain.high / gain.low - 1.0;
    }
}

TEST(Gain, NothingPredictedIsNoGain) {
    const RunTime nothing{0.0, {}, 1.0, 1.0};
    const Gain gain = gain_of(nothing, std::vector{0.0}, std::vector{0.0}, 0.1);
    EXPECT_DOUBLE_EQ(gain.factor, 1.0);
}

TEST(Gain, SaysItsBounds) {
    EXPECT_EQ(gain_text({1.85, 1.73, 1.97}), "1.85 x +- 0.12");
    EXPECT_EQ(gain_text({1.85, 1.73, 2.15}), "1.85 x -0.12 +0.30");
    EXPECT_EQ(gain_text({1.85, 1.85 * std::exp(-0.05), 1.85 * std::exp(0.05)}), "1.85 x +- 0.09");
}

}  // namespace
}  // namespace commmap
