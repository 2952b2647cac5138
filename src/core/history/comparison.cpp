// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/history/rank_sum.hpp"
#include "core/history/reversal.hpp"
#include "core/text/units.hpp"

namespace commmap {
namespace {

std::string percent(double part) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.1f %%", 100.0 * part);
    return text.data();
}

std::string runs(std::uint64_t count) {
    return std::to_string(count) + (count == 1 ? " run" : " runs");
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
        return "nothing to compare with: " + runs(found.num_default) + " of the default, " +
               std::to_string(found.num_placed) + " placed, and three of each are needed";
    return "placed " + format_seconds(found.placed_s) + " (" + runs(found.num_placed) +
           "), default " + format_seconds(found.default_s) + " (" + runs(found.num_default) +
           "): " + longer_text(found.slower_by);
}

std::string reversal_text(const RunArm* placed) {
    if (placed == nullptr || !placed->reversal) return "";
    return "Slurm's own placement is back: " + runs(placed->reversal->num_placed) +
           " as planned took " + percent(placed->reversal->slower_by) + " longer than " +
           std::to_string(placed->reversal->num_default) +
           " of the default (commmap history --forget PROGRAM tries again)";
}

std::string prediction_text(const RunArm* placed) {
    if (placed == nullptr || !placed->error) return "";
    const PredictionError& error = *placed->error;
    std::string text = "measured times are " + longer_text(std::expm1(error.bias)) +
                       " than predicted, give or take " + percent(std::expm1(error.spread)) + " (" +
                       runs(error.num_runs) + ")";
    if (error.gain) {
        std::array<char, 96> gain{};
        std::snprintf(gain.data(), gain.size(),
                      "; a speed-up of %.2f x was predicted, %.2f x measured",
                      error.gain->predicted, error.gain->measured);
        text += gain.data();
    }
    return text;
}

}  // namespace commmap
