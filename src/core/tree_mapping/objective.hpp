#pragma once

#include <utility>

#include "core/base/deadline.hpp"
#include "core/base/threads.hpp"
#include "core/tree_mapping/moves/bin_placement.hpp"
#include "core/tree_mapping/placement_figures.hpp"

namespace commmap {

/// What a placement is judged by: the figure of that name in PlacementFigures; where two have the
/// same, the lower hop-bytes.
enum class Objective : unsigned char { hop_bytes, port_cost, process_time };

/// Lower is better.
[[nodiscard]] std::pair<double, double> judged(const PlacementFigures& figures,
                                               Objective objective);

/// Lowers the objective by chains of moves; another one than hop-bytes as the sum of a power of all
/// loads, and then hop-bytes while it stays below what was reached.
/// @param longest  ranks in a chain
void lower(BinPlacement& placement, Objective objective, unsigned longest, Threads& threads,
           const Deadline& deadline = {});

}  // namespace commmap
