// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "core/tree_mapping/grid/axis_edges.hpp"
#include "core/tree_mapping/grid/grid.hpp"

namespace commmap {

/// Finds the coordinates of the vertices of a grid with missing points: a grid with a hole, or with
/// another border than a box. No side is periodic.
///
/// Positions spread over squares. If three corners of a square have positions, the fourth corner
/// gets its own.
/// A neighbour also gets the one direction that is left. This is not the direction of a neighbour
/// with a position, nor along an axis on which it makes a square.
/// A dangling vertex lies straight on.
/// The result is checked: all edges join points that are next to each other, and no two vertices
/// are one point.
/// @return  none if some vertex gets no position, a check fails, or the points are less than an
///          eighth of their bounding box
/// Cost: O(vertices), for the few neighbours that there are on axes. Deterministic.
[[nodiscard]] std::optional<Grid> find_partial_grid(const AxisEdges& edges);

}  // namespace commmap
