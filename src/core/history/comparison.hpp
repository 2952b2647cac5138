#pragma once

#include <cstdint>
#include <string>

#include "core/history/program_history.hpp"

namespace commmap {

/// Placed runs of one basis beside those of the default.
struct Comparison {
    std::uint64_t num_default = 0;  ///< older ones too
    std::uint64_t num_placed = 0;
    double default_s = 0.0;  ///< middle of the last ones; 0: there are none
    double placed_s = 0.0;
    bool enough = false;     ///< three of each: what follows says something
    double slower_by = 0.0;  ///< as in Loss, and so is chance
    double chance = 1.0;
};
/// @param placed  nullptr: there are none
/// Cost: O(most_runs^2).
[[nodiscard]] Comparison compare(const RunGroup& group, const RunArm* placed);

/// The same in one line: "placed 1.02 s (14 runs), default 1.20 s (12 runs): 15.0 % shorter", or
/// "nothing to compare with: ..." with fewer than three runs of either.
[[nodiscard]] std::string comparison_text(const Comparison& comparison);

/// Why the default is back, in one line; empty: it is not.
[[nodiscard]] std::string reversal_text(const RunArm* placed);

/// How far predictions were off, in one line; empty: nothing was learnt.
[[nodiscard]] std::string prediction_text(const RunArm* placed);

/// 0.041 -> "4.1 % longer", -0.15 -> "15.0 % shorter".
[[nodiscard]] std::string longer_text(double longer_by);

}  // namespace commmap
