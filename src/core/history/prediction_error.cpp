#include "core/history/prediction_error.hpp"

#include <bit>
#include <cmath>
#include <vector>

#include "core/history/rank_sum.hpp"
#include "core/history/reversal.hpp"

namespace commmap {

std::uint64_t learns_at(std::uint64_t num_runs) {
    constexpr std::uint64_t first = 4;
    return num_runs >= first && std::has_single_bit(num_runs) ? num_runs : 0;
}

std::optional<PredictionError> prediction_error(std::span<const PastRun> runs) {
    constexpr double deviations_of_normal_noise = 1.4826;
    std::vector<double> errors;
    for (const PastRun& run : runs)
        if (run.predicted_s > 0.0) errors.push_back(std::log(run.wall_s / run.predicted_s));
    if (errors.size() < least_runs_compared) return std::nullopt;
    PredictionError error{errors.size(), middle_of(errors), 0.0};
    for (double& one : errors) one = std::abs(one - error.bias);
    error.spread = deviations_of_normal_noise * middle_of(errors);
    return error;
}

}  // namespace commmap
