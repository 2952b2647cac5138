#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/history/run_record.hpp"

namespace commmap {

/// A predicted speed-up beside the measured one: the run time of the default by that of the placed
/// runs. No decision hangs on it: with so few runs it would refuse many real gains.
struct GainRecord {
    std::uint64_t num_default = 0;  ///< when this was learnt
    double predicted = 1.0;         ///< middle of the placed runs'
    double measured = 1.0;          ///< by the same middle difference as loss_of()

    /// Both are positive, and at most a million times or a millionth.
    [[nodiscard]] bool is_sound() const;
    [[nodiscard]] bool operator==(const GainRecord&) const = default;
};

/// How far predictions were off: measured = predicted * exp(bias), give or take exp(spread).
struct PredictionError {
    std::uint64_t num_runs = 0;  ///< with a prediction, when this was learnt
    double bias = 0.0;           ///< middle of log(measured / predicted)
    double spread = 0.0;  ///< 1.4826 * middle of the distances from it: one deviation of noise
    std::optional<GainRecord>
        gain;  ///< none: fewer than three runs of the default, or no sound numbers

    [[nodiscard]] bool operator==(const PredictionError&) const = default;
};

/// The number of runs from which an error is learnt anew: 4, 8, 16, ... So it changes seldom, and
/// with it what depends on it. 0: not with so many.
[[nodiscard]] std::uint64_t learns_at(std::uint64_t num_runs);

/// Out of placed runs of which some have a prediction. none: fewer than three have. What every run
/// takes and no prediction has, its start, is in the bias, and makes measured gains smaller.
/// Source: median and median absolute deviation, Hampel, "The Influence Curve and its Role in
/// Robust Estimation", JASA 69 (1974). Cost: O(runs * runs of the default).
[[nodiscard]] std::optional<PredictionError> prediction_error(std::span<const PastRun> placed,
                                                              std::span<const PastRun> by_default);

}  // namespace commmap
