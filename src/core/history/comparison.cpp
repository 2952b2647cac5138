// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/history/reversal/rank_sum.hpp"
#include "core/history/reversal/reversal.hpp"
#include "core/text/units.hpp"

namespace commmap {
namespace {

std::string percent(double part) { return fmt::format("{:.1f} %", 100.0 * part); }

std::string runs(std::uint64_t count) {
    return fmt::format("{} {}", count, count == 1 ? "run" : "runs");
}

}  // namespace

Comparison compare(const RunGroup& group, const RunArm* placed) {
    Comparison found;
    const std::vector<double> default_s = group.by_default.wall_s();
    const std::vector<double> placed_s =
        placed == nullptr ? std::vector<double>{} : placed->wall_s();
    found.num_default = group.by_default.num_runs();
    found.num_placed = placed == nullptr ? 0 : placed->num_runs();
    found.default_s = middle_of(default_s);
    found.placed_s = middle_of(placed_s);
    found.enough = std::min(default_s.size(), placed_s.size()) >= least_runs_compared;
    if (!found.enough) return found;
    const Loss loss = loss_of(default_s, placed_s);
    found.slower_by = loss.slower_by;
    found.chance = loss.chance;
    return found;
}

std::string longer_text(double longer_by) {
    return percent(std::abs(longer_by)) + (longer_by < 0.0 ? " shorter" : " longer");
}

std::string comparison_text(const Comparison& found) {
    if (!found.enough)
        return fmt::format(
            "not enough runs to compare: {} in Slurm's placement, {} placed; three of each are "
            "needed",
            runs(found.num_default), found.num_placed);
    return fmt::format("placed {} ({}), default {} ({}): {}", format_seconds(found.placed_s),
                       runs(found.num_placed), format_seconds(found.default_s),
                       runs(found.num_default), longer_text(found.slower_by));
}

std::string reversal_text(const RunArm* placed) {
    if (placed == nullptr || !placed->reversal) return "";
    return fmt::format(
        "Slurm's own placement is back: {} as planned took {} longer than {} of the default "
        "(commmap history --forget PROGRAM tries again)",
        runs(placed->reversal->num_placed), percent(placed->reversal->slower_by),
        placed->reversal->num_default);
}

std::string prediction_text(const RunArm* placed) {
    if (placed == nullptr || !placed->error) return "";
    const PredictionError& error = *placed->error;
    std::string text = fmt::format("measured times are {} than predicted, give or take {} ({})",
                                   longer_text(std::expm1(error.bias)),
                                   percent(std::expm1(error.spread)), runs(error.num_runs));
    if (error.gain)
        text += fmt::format("; a speed-up of {:.2f} x was predicted, {:.2f} x measured",
                            error.gain->predicted, error.gain->measured);
    return text;
}

}  // namespace commmap
