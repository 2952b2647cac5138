// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/history/record/run_record.hpp"

namespace commmap {

/// Compares a predicted speed-up with the measured one. A speed-up is the default's run time
/// divided by that of the placed runs. The comparison only informs; no decision uses it, because
/// with so few runs it would refuse many real gains.
struct GainRecord {
    std::uint64_t num_default = 0;  ///< default runs at the time when this was learnt
    double predicted = 1.0;         ///< median over the placed runs
    double measured = 1.0;          ///< from the same middle difference as loss_of()

    /// Tells whether both are positive, and between a millionth and a million.
    [[nodiscard]] bool is_sound() const;
    [[nodiscard]] bool operator==(const GainRecord&) const = default;
};

/// How far predicted run times were off: measured = predicted * exp(bias), with a spread of
/// exp(spread).
struct PredictionError {
    std::uint64_t num_runs = 0;  ///< runs with a prediction at the time when this was learnt
    double bias = 0.0;           ///< median of log(measured / predicted)
    /// 1.4826 * median distance from the bias: an estimate of one standard deviation
    double spread = 0.0;
    std::optional<GainRecord>
        gain;  ///< none: fewer than three runs of the default, or no sound numbers

    /// Tells whether bias and spread are numbers whose exponentials are finite, the spread is not
    /// negative, and the gain is sound.
    [[nodiscard]] bool is_sound() const;
    [[nodiscard]] bool operator==(const PredictionError&) const = default;
};

/// Tells whether the error is learnt anew after so many runs: at 4, 8, 16, ... runs. So the error
/// changes seldom, and with it the plans that depend on it.
/// @return  num_runs; 0: the error stays as it is
[[nodiscard]] std::uint64_t learns_at(std::uint64_t num_runs);

/// Learns the error from placed runs with a prediction; nullopt: fewer than three have one, or no
/// sound numbers come out. The start-up time, which every run takes and no prediction contains, is
/// part of the bias, and makes measured gains smaller.
/// Source: median and median absolute deviation, Hampel, "The Influence Curve and its Role in
/// Robust Estimation", JASA 69 (1974).
/// Cost: O(runs * runs of the default).
[[nodiscard]] std::optional<PredictionError> prediction_error(std::span<const PastRun> placed,
                                                              std::span<const PastRun> by_default);

}  // namespace commmap
