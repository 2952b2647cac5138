// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/prediction_error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/history/records.hpp"

namespace commmap {
namespace {

PastRun predicted(double predicted_s, double wall_s) {
    PastRun run = some_record(LaunchedAs::placed, wall_s).run;
    run.predicted_s = predicted_s;
    return run;
}

TEST(PredictionError, IsTheMiddleOfTheErrors) {
    const std::vector<PastRun> runs = {predicted(1.0, 1.0), predicted(1.0, 1.1),
                                       predicted(1.0, 1.2), predicted(1.0, 50.0),
                                       predicted(0.0, 9.0)};  // of the last nothing was predicted

    const auto error = prediction_error(runs, {});

    ASSERT_TRUE(error);
    EXPECT_EQ(error->num_runs, 4U);
    EXPECT_NEAR(error->bias, 0.5 * (std::log(1.1) + std::log(1.2)), 1e-12);
    EXPECT_GT(error->spread, 0.0);
    EXPECT_LT(error->spread, 0.3);  // one run of four is off by fifty times
    EXPECT_FALSE(error->gain);
}

std::vector<PastRun> by_default(std::initializer_list<double> times_s) {
    std::vector<PastRun> runs;
    for (const double wall_s : times_s) runs.push_back(some_record(LaunchedAs::kept, wall_s).run);
    return runs;
}

TEST(PredictionError, AGainIsComparedWithTheDefault) {
    // All runs take twice as long as predicted, which is no error of the gain.
    const std::vector<PastRun> placed = {predicted(0.8, 1.6), predicted(0.8, 1.6),
                                         predicted(0.8, 1.6)};

    const auto right = prediction_error(placed, by_default({2.0, 2.0, 2.0}));
    const auto none = prediction_error(placed, by_default({1.6, 1.6, 1.6, 1.6}));
    const auto noisy = prediction_error(placed, by_default({1.8, 2.0, 2.2, 9.0, 2.0}));

    ASSERT_TRUE(right && right->gain && none && none->gain && noisy && noisy->gain);
    EXPECT_NEAR(right->gain->predicted, 1.25, 1e-12);
    EXPECT_NEAR(right->gain->measured, 1.25, 1e-12);
    EXPECT_EQ(none->gain->num_default, 4U);
    EXPECT_NEAR(none->gain->measured, 1.0, 1e-12);
    EXPECT_NEAR(noisy->gain->measured, 1.25, 0.01);
}

TEST(PredictionError, OfAGainThatMakesNoSenseNothingIsSaid) {
    const std::vector<PastRun> placed = {predicted(1e-20, 1.6), predicted(1e-20, 1.6),
                                         predicted(1e-20, 1.6)};
    const auto error = prediction_error(placed, by_default({2.0, 2.0, 2.0}));
    ASSERT_TRUE(error);
    EXPECT_FALSE(error->gain);
}

TEST(PredictionError, OfNumbersThatMakeNoSenseNothingIsLearnt) {
    const std::vector<PastRun> placed = {predicted(5e-324, 1.6), predicted(5e-324, 1.6),
                                         predicted(5e-324, 1.6)};
    EXPECT_FALSE(prediction_error(placed, by_default({2.0, 2.0, 2.0})));
}

TEST(PredictionError, IsSoundWhenItsExponentialsAreNumbers) {
    const auto is_sound = [](double bias, double spread) {
        return PredictionError{4, bias, spread, {}}.is_sound();
    };
    EXPECT_TRUE(is_sound(-0.5, 0.0));
    EXPECT_FALSE(is_sound(0.0, -0.1));
    EXPECT_FALSE(is_sound(0.0, 1e3));
    EXPECT_FALSE(is_sound(-1e3, 0.1));
    EXPECT_FALSE(is_sound(std::nan(""), 0.1));
    EXPECT_FALSE(is_sound(0.0, std::nan("")));
    EXPECT_FALSE((PredictionError{4, 0.0, 0.1, GainRecord{3, 0.0, 1.0}}.is_sound()));
}

TEST(PredictionError, OfAGainNeedsThreeRunsOfTheDefault) {
    const std::vector<PastRun> placed = {predicted(0.8, 1.6), predicted(0.8, 1.6),
                                         predicted(0.8, 1.6)};
    EXPECT_FALSE(prediction_error(placed, by_default({2.0, 2.0}))->gain);
}

TEST(PredictionError, NeedsThreeRuns) {
    const std::vector two = {predicted(1, 1), predicted(1, 2), predicted(0, 1)};
    const std::vector three = {predicted(1, 1), predicted(1, 2), predicted(1, 1)};
    EXPECT_FALSE(prediction_error({}, {}));
    EXPECT_FALSE(prediction_error(two, {}));
    EXPECT_TRUE(prediction_error(three, {}));
}

TEST(PredictionError, IsLearntSeldom) {
    std::vector<std::uint64_t> learns;
    for (std::uint64_t runs = 0; runs <= 100; ++runs)
        if (learns_at(runs) != 0) learns.push_back(runs);
    EXPECT_EQ(learns, (std::vector<std::uint64_t>{4, 8, 16, 32, 64}));
}

}  // namespace
}  // namespace commmap
