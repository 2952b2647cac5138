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

    const auto error = prediction_error(runs);

    ASSERT_TRUE(error);
    EXPECT_EQ(error->num_runs, 4U);
    EXPECT_NEAR(error->bias, 0.5 * (std::log(1.1) + std::log(1.2)), 1e-12);
    EXPECT_GT(error->spread, 0.0);
    EXPECT_LT(error->spread, 0.3);  // one run of four is off by fifty times
}

TEST(PredictionError, NeedsThreeRuns) {
    EXPECT_FALSE(prediction_error({}));
    EXPECT_FALSE(prediction_error(std::vector{predicted(1, 1), predicted(1, 2), predicted(0, 1)}));
    EXPECT_TRUE(prediction_error(std::vector{predicted(1, 1), predicted(1, 2), predicted(1, 1)}));
}

TEST(PredictionError, IsLearntSeldom) {
    std::vector<std::uint64_t> learns;
    for (std::uint64_t runs = 0; runs <= 100; ++runs)
        if (learns_at(runs) != 0) learns.push_back(runs);
    EXPECT_EQ(learns, (std::vector<std::uint64_t>{4, 8, 16, 32, 64}));
}

}  // namespace
}  // namespace commmap
