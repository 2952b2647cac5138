// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

#include "core/history/program_history.hpp"

namespace commmap {

/// Compares the placed runs of one basis with runs in Slurm's default placement.
struct Comparison {
    std::uint64_t num_default = 0;  ///< all runs, those that are no longer listed included
    std::uint64_t num_placed = 0;
    double default_s = 0.0;  ///< median of the listed runs; 0: there are none
    double placed_s = 0.0;
    bool enough = false;     ///< there are three runs of each: the members below are meaningful
    double slower_by = 0.0;  ///< as in Loss, and so is chance
    double chance = 1.0;
};
/// Makes the comparison.
/// @param placed  nullptr: there are no placed runs
/// Cost: O(most_runs^2).
[[nodiscard]] Comparison compare(const RunGroup& group, const RunArm* placed);

/// Writes a comparison in one line: "placed 1.02 s (14 runs), default 1.20 s (12 runs): 15.0 %
/// shorter". With fewer than three runs of either: "not enough runs to compare: ...".
[[nodiscard]] std::string comparison_text(const Comparison& comparison);

/// Says in one line why the default placement came back; empty: it did not.
[[nodiscard]] std::string reversal_text(const RunArm* placed);

/// Says in one line how far predictions were off; empty: nothing was learnt.
[[nodiscard]] std::string prediction_text(const RunArm* placed);

/// Formats a relative difference: 0.041 -> "4.1 % longer", -0.15 -> "15.0 % shorter".
[[nodiscard]] std::string longer_text(double longer_by);

}  // namespace commmap
