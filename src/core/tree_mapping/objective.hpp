// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <utility>

#include "commmap/deadline.hpp"
#include "commmap/placement_figures.hpp"
#include "core/base/threads.hpp"
#include "core/tree_mapping/moves/bin_placement.hpp"

namespace commmap {

/// Returns the figures by which an objective compares placements. Lower is better.
[[nodiscard]] std::pair<double, double> judged(const PlacementFigures& figures,
                                               Objective objective);

/// Lowers the objective by chains of moves. Hop-bytes are lowered directly.
/// For another objective, the sum of a power of all loads is lowered first. Then hop-bytes are
/// lowered, while the objective stays below the value reached.
/// @param longest  ranks in a chain
void lower(BinPlacement& placement, Objective objective, unsigned longest, Threads& threads,
           const Deadline& deadline = {});

}  // namespace commmap
