// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "commmap/machine_tree.hpp"
#include "core/base/threads.hpp"
#include "core/tree_mapping/graph/csr_graph.hpp"
#include "core/tree_mapping/grid/grid.hpp"

namespace commmap {

/// Bins by boxes, and whether no other placement need be tried. That is so if
/// - at most one percent of the weight is on edges between points that are far apart (on one axis
///   more than four points, or more than one in grids with five or six axes);
/// - edges of one offset weigh the same within a percent.
struct Tiling {
    std::vector<GroupId> bin_of_rank;
    bool sure = false;
};

/// Gives a grid's points to bins by boxes: a bin takes a box of points, a group of bins a box of
/// boxes, and so on.
/// Each box is one of the ways to factor its PUs over the dimensions.
/// Takes the way with the least hop-bytes if edges of the same offset weigh the same; otherwise a
/// way that is near the least.
/// None if some group cannot have a box, groups differ, PUs stay free, or points of the grid are
/// missing.
///
/// Cost: O(edges + levels * d^2 + d * offsets), d the box shapes of a level: tens, with five or six
/// axes hundreds.
/// Source: our own, by dynamic programming over the levels, for J is a sum over them.
/// MPI_Cart_create leaves this to its implementation.
[[nodiscard]] std::optional<Tiling> tile_boxes(const CsrGraph& graph, const MachineTree& machine,
                                               const Grid& grid, Threads& threads);

/// Puts those `target` points in front that come first along an axis.
/// In the layer that is cut, points go in the order of the other axes; if `backwards`, of the last
/// axis first.
/// Cost: O(points).
void halve_along(const Grid& grid, std::size_t axis, bool backwards, std::span<RankId> points,
                 std::size_t target);

/// Does the same as tile_boxes() for any machine and any number of ranks.
/// Points are halved across the longest side of the box that holds them, and the halves again, as
/// fill_groups() says.
/// Cost: O(points log points).
[[nodiscard]] std::vector<GroupId> halve_boxes(const MachineTree& machine, const Grid& grid,
                                               Threads& threads);

}  // namespace commmap
