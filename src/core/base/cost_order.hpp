// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace commmap {

/// Costs that differ by less than this share count as equal: the sums behind them are rounded, and
/// each placement has its own order of summation.
inline constexpr double same_cost = 1e-9;

/// @param share  of `than`, >= 0: how much less is clear
[[nodiscard]] constexpr bool clearly_cheaper(double cost, double than, double share = same_cost) {
    return cost < than * (1.0 - share);
}

/// Tells whether it is clear which of two costs is the lower one: cost < other then says which.
[[nodiscard]] constexpr bool clearly_differ(double cost, double other) {
    return clearly_cheaper(cost, other) || clearly_cheaper(other, cost);
}

}  // namespace commmap
