// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/gain.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace commmap {
namespace {

double ratio(double default_s, double placed_s) {
    return default_s > 0.0 && placed_s > 0.0 ? default_s / placed_s : 1.0;
}

/// Moves both bounds away from the gain: the further, the larger the gain is.
Gain with_error(double factor, double low, double high) {
    const double error = gain_error(std::log(factor));
    return {factor, low * std::exp(-error), high * std::exp(error)};
}

}  // namespace

double gain_error(double log_gain) {
    constexpr double of_no_gain = 0.06;
    constexpr double part_of_gain = 0.45;
    return std::hypot(of_no_gain, part_of_gain * log_gain);
}

Gain gain_of(const RunTime& time, std::span<const double> default_parts_s,
             std::span<const double> parts_s) {
    const RunTime::Bounds before = time.bounds(default_parts_s.data());
    const RunTime::Bounds after = time.bounds(parts_s.data());
    const double factor = ratio(before.larger_s(), after.larger_s());
    const auto [low, high] = std::minmax({factor, ratio(before.by_steps_s, after.by_steps_s),
                                          ratio(before.by_whole_s, after.by_whole_s)});
    return with_error(factor, low, high);
}

Gain simulated_gain(double default_s, double placed_s) {
    const double factor = ratio(default_s, placed_s);
    return with_error(factor, factor, factor);
}

GainRange range_of_gains(const Gain& gain, const PastGains& past) {
    constexpr double deviations_of_nine_in_ten = 1.645;  // of normal noise, as in gain_error()
    constexpr double runs_compared = 2.0;                // one in each placement
    constexpr double most_share = 10.0;  // more was measured of gains too small to be divided by
    const double noise = deviations_of_nine_in_ten * std::sqrt(runs_compared) * past.spread;
    const double log_gain = std::log(gain.factor);
    const double share = std::clamp(past.share_measured.value_or(1.0), -most_share, most_share);
    const double past_further = (share - 1.0) * log_gain;
    const double down =
        std::max(std::hypot(log_gain - std::log(gain.low), noise), noise - past_further);
    const double up =
        std::max(std::hypot(std::log(gain.high) - log_gain, noise), noise + past_further);
    return {std::exp(log_gain - down), std::exp(log_gain + up)};
}

std::string gain_text(const Gain& gain) {
    // The same error reaches a little further up than down, because it is one of the logarithm.
    const double half = 0.5 * (gain.high - gain.low);
    const bool even = std::abs(gain.high + gain.low - 2.0 * gain.factor) < 0.2 * half + 0.01;
    if (even) return fmt::format("{:.2f} x +- {:.2f}", gain.factor, half);
    return fmt::format("{:.2f} x -{:.2f} +{:.2f}", gain.factor, gain.factor - gain.low,
                       gain.high - gain.factor);
}

}  // namespace commmap
