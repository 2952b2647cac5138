#pragma once

#include <optional>

#include "core/tree_mapping/grid/axis_edges.hpp"
#include "core/tree_mapping/grid/grid.hpp"

namespace commmap {

/// Finds the coordinates of the vertices of a grid from which points are missing: one with a hole,
/// or with another border than a box. No side is periodic.
///
/// Positions spread over squares. Where three corners of a square have positions, the fourth one
/// gets its own. A neighbour also gets the one direction that is left: not that of a neighbour with
/// a position, nor along an axis on which it makes a square; what dangles lies straight on. What
/// comes out is checked: all edges join points that are next to each other, and no two vertices are
/// one point.
/// @return  none where some vertex gets no position, a check fails, or the points are less than an
/// eighth of their bounding box
/// Cost: O(vertices), for the few neighbours that there are on axes. Deterministic.
[[nodiscard]] std::optional<Grid> find_partial_grid(const AxisEdges& edges);

}  // namespace commmap
