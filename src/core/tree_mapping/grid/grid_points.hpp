// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "core/tree_mapping/grid/grid.hpp"

namespace commmap {

/// Position of a vertex, seen from the vertex at which a search began.
using GridPoint = std::array<std::int32_t, Grid::most_dimensions>;

/// Returns the grid of these points, by vertex.
/// @param periods      of each axis; 0: it is not periodic
/// @param most_points  of the box that holds them all
/// @return             none if the box is larger, or two vertices are one point
/// Cost: O(points of the box).
[[nodiscard]] std::optional<Grid> grid_of_points(
    std::span<const GridPoint> points, std::size_t dimensions,
    const std::array<std::uint32_t, Grid::most_dimensions>& periods, std::uint64_t most_points);

}  // namespace commmap
