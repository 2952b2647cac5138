// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/prediction_error.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "core/history/reversal/rank_sum.hpp"
#include "core/history/reversal/reversal.hpp"

namespace commmap {
namespace {

/// Estimates one standard deviation from the median distance to the median.
double deviation_of(std::vector<double> values) {
    constexpr double deviations_of_normal_noise = 1.4826;
    const double middle = middle_of(values);
    for (double& one : values) one = std::abs(one - middle);
    return deviations_of_normal_noise * middle_of(values);
}

}  // namespace

std::uint64_t learns_at(std::uint64_t num_runs) {
    constexpr std::uint64_t first = 4;
    return num_runs >= first && std::has_single_bit(num_runs) ? num_runs : 0;
}

bool GainRecord::is_sound() const {
    constexpr double most = 1e6;
    const auto is_factor = [](double value) { return value >= 1.0 / most && value <= most; };
    return is_factor(predicted) && is_factor(measured);
}

bool PredictionError::is_sound() const {
    // e^100 is further off than any run, and its square is finite.
    constexpr double most = 100.0;
    return std::abs(bias) <= most && spread >= 0.0 && spread <= most && (!gain || gain->is_sound());
}

std::optional<PredictionError> prediction_error(std::span<const PastRun> placed,
                                                std::span<const PastRun> by_default) {
    std::vector<double> errors;
    std::vector<double> gains;
    std::vector<double> placed_s;
    for (const PastRun& run : placed) {
        if (run.predicted_s <= 0.0) continue;
        errors.push_back(std::log(run.wall_s / run.predicted_s));
        if (run.default_s <= 0.0) continue;
        placed_s.push_back(run.wall_s);
        gains.push_back(std::log(run.default_s) - std::log(run.predicted_s));
    }
    if (errors.size() < least_runs_compared) return std::nullopt;
    PredictionError error{errors.size(), middle_of(errors), deviation_of(errors), {}};
    if (!error.is_sound()) return std::nullopt;
    if (std::min(by_default.size(), gains.size()) < least_runs_compared) return error;
    std::vector<double> default_s;
    for (const PastRun& run : by_default) default_s.push_back(run.wall_s);
    const GainRecord gain{default_s.size(), std::exp(middle_of(gains)),
                          1.0 / (1.0 + loss_of(default_s, placed_s).slower_by)};
    if (gain.is_sound()) error.gain = gain;
    return error;
}

}  // namespace commmap
