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

/// Of gains, as a logarithm: about nine gains in ten are measured within the bounds that it makes.
/// Where a program's own history says nothing, how far predictions were off for the programs of
/// docs/prediction.md.
inline constexpr double usual_gain_error = 0.05;

/// The bounds hold the gain by the steps and the gain by the whole run, wherever one of them can
/// stand for the other (RunTime), and the error around both.
/// @param error  of the logarithm of a gain, see GainRecord; >= 0
/// Cost: O(parts).
[[nodiscard]] Gain gain_of(const RunTime& time, std::span<const double> default_parts_s,
                           std::span<const double> parts_s, double error);

/// "1.85 x +- 0.12", or "1.85 x -0.12 +0.30" where the bounds are not equally far away.
[[nodiscard]] std::string gain_text(const Gain& gain);

}  // namespace commmap
