#pragma once

#include <optional>
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

/// The error of a gain's logarithm for a program of which no history says how far predictions were
/// off. Nine gains in ten of those in docs/prediction.md were measured within it; the larger a gain
/// is, the further off it may be.
[[nodiscard]] double usual_gain_error(double log_gain);

/// The bounds hold the gain by the steps and the gain by the whole run, wherever one of them can
/// stand for the other (RunTime), and the error around both.
/// @param error  of the logarithm of a gain, see GainRecord; >= 0. none: the usual one
/// Cost: O(parts).
[[nodiscard]] Gain gain_of(const RunTime& time, std::span<const double> default_parts_s,
                           std::span<const double> parts_s, std::optional<double> error);

/// "1.85 x +- 0.12", or "1.85 x -0.12 +0.30" where the bounds are not equally far away.
[[nodiscard]] std::string gain_text(const Gain& gain);

}  // namespace commmap
