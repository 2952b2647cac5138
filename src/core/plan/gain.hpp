#pragma once

#include <span>
#include <string>

#include "core/estimate/run_cost.hpp"

namespace commmap {

/// How many times as long a run takes in Slurm's own placement, by prediction. Above 1, the
/// placement is the faster one.
struct Gain {
    double factor = 1.0;
    double low = 1.0;  ///< low <= factor <= high
    double high = 1.0;
};

/// The error of a gain's logarithm: the larger a gain is, the further off it may be. Set on the
/// training half of bench/estimate (docs/developer/prediction.md, The constants).
[[nodiscard]] double gain_error(double log_gain);

/// The bounds hold the gain by the steps and the gain by the whole run, wherever one of them can
/// stand for the other (RunTime), and the error around both. Where nothing is predicted to take any
/// time, the factor is 1. Cost: O(parts).
[[nodiscard]] Gain gain_of(const RunTime& time, std::span<const double> default_parts_s,
                           std::span<const double> parts_s);

/// Of simulated run times (Prediction::simulated_s()), with the error of these.
[[nodiscard]] Gain simulated_gain(double default_s, double placed_s);

/// "1.10 x +- 0.08", or "1.85 x -0.41 +0.53" where the bounds are not equally far away.
[[nodiscard]] std::string gain_text(const Gain& gain);

}  // namespace commmap
