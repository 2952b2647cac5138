#pragma once

namespace commmap {

/// Costs that differ by less than this share of them are one cost: the sums behind them are
/// rounded, in another order for another placement.
inline constexpr double same_cost = 1e-9;

[[nodiscard]] constexpr bool clearly_cheaper(double cost, double than) {
    return cost < than - same_cost * than;
}

}  // namespace commmap
