// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/estimate/run_cost.hpp"

namespace commmap {

/// The predicted gain of a placement: run time in Slurm's own placement divided by run time in this
/// placement. Above 1 this placement is faster.
struct Gain {
    double factor = 1.0;
    double low = 1.0;   ///< lower bound; low <= factor <= high
    double high = 1.0;  ///< upper bound
};

/// Returns the uncertainty of a predicted gain, as an error of its logarithm. It grows with the
/// gain. The constants come from the training half of bench/estimate (docs/developer/prediction.md,
/// The constants).
[[nodiscard]] double gain_error(double log_gain);

/// Works out the gain of a placement from its predicted costs.
/// @param default_parts_s, parts_s  costs of the steps and of the whole run, see RunCost: in
///     Slurm's placement, and in this placement
/// @return  Where RunTime allows both, the gain by the steps and the gain by the whole run both lie
///          between the bounds, with the uncertainty around them. The factor is 1 when nothing is
///          predicted to take any time.
/// Cost: O(parts).
[[nodiscard]] Gain gain_of(const RunTime& time, std::span<const double> default_parts_s,
                           std::span<const double> parts_s);

/// Works out the gain from simulated run times (Prediction::simulated_s()), with the uncertainty of
/// simulations.
[[nodiscard]] Gain simulated_gain(double default_s, double placed_s);

/// What a program's earlier runs tell of its gains.
struct PastGains {
    /// One standard deviation of the logarithm of measured / predicted run time, of placed runs.
    /// The runs in Slurm's own placement are taken to vary as much.
    double spread = 0.0;
    /// The measured gain as a share of the predicted gain, both as logarithms; none: not known.
    std::optional<double> share_measured;
};

/// Bounds of a gain; low <= high.
struct GainRange {
    double low = 1.0;
    double high = 1.0;
};

/// Predicts which gains are measured with one run in each placement: nine in ten lie in the range.
/// The range holds the prediction and its error, and the share that was measured before. The range
/// has the spread of two runs around both.
/// Cost: O(1).
[[nodiscard]] GainRange range_of_gains(const Gain& gain, const PastGains& past);

/// Formats a gain: "1.10 x +- 0.08", or "1.85 x -0.41 +0.53" when the bounds are not equally far
/// away.
[[nodiscard]] std::string gain_text(const Gain& gain);

}  // namespace commmap
