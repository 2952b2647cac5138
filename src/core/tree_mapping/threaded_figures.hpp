// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

#include "commmap/machine_tree.hpp"
#include "commmap/placement_figures.hpp"
#include "commmap/weighted_graph.hpp"
#include "core/base/threads.hpp"

namespace commmap {

/// Does the same as the other figures_of(), in up to two threads.
[[nodiscard]] PlacementFigures figures_of(const WeightedGraph& graph, const MachineTree& machine,
                                          std::span<const GroupId> bin_of_rank, Threads& threads);

}  // namespace commmap
