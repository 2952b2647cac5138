#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/history/run_record.hpp"

namespace commmap {

/// How far predictions were off: measured = predicted * exp(bias), give or take exp(spread).
struct PredictionError {
    std::uint64_t num_runs = 0;  ///< with a prediction, when this was learnt
    double bias = 0.0;           ///< middle of log(measured / predicted)
    double spread = 0.0;  ///< 1.4826 * middle of the distances from it: one deviation of noise

    [[nodiscard]] bool operator==(const PredictionError&) const = default;
};

/// The number of runs from which an error is learnt anew: 4, 8, 16, ... So it changes seldom, and
/// with it what depends on it. 0: not with so many.
[[nodiscard]] std::uint64_t learns_at(std::uint64_t num_runs);

/// Out of runs of which some have a prediction. none: fewer than three have.
/// Source: median and median absolute deviation, Hampel, "The Influence Curve and its Role in
/// Robust Estimation", JASA 69 (1974). Cost: O(runs).
[[nodiscard]] std::optional<PredictionError> prediction_error(std::span<const PastRun> runs);

}  // namespace commmap
