#pragma once

#include <utility>

#include "commmap/deadline.hpp"
#include "commmap/placement_figures.hpp"
#include "core/base/threads.hpp"
#include "core/tree_mapping/moves/bin_placement.hpp"

namespace commmap {

/// Lower is better.
[[nodiscard]] std::pair<double, double> judged(const PlacementFigures& figures,
                                               Objective objective);

/// Lowers the objective by chains of moves; another one than hop-bytes as the sum of a power of all
/// loads, and then hop-bytes while it stays below what was reached.
/// @param longest  ranks in a chain
void lower(BinPlacement& placement, Objective objective, unsigned longest, Threads& threads,
           const Deadline& deadline = {});

}  // namespace commmap
