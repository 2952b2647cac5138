// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/grid/grid_points.hpp"

#include <algorithm>
#include <vector>

namespace commmap {

std::optional<Grid> grid_of_points(std::span<const GridPoint> points, std::size_t dimensions,
                                   const std::array<std::uint32_t, Grid::most_dimensions>& periods,
                                   std::uint64_t most_points) {
    Grid result;
    result.dimensions = dimensions;
    std::uint64_t in_box = 1;
    GridPoint low{};
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
        std::int32_t high = 0;
        for (const GridPoint& point : points) {
            low[axis] = std::min(low[axis], point[axis]);
            high = std::max(high, point[axis]);
        }
        const std::uint32_t period = periods[axis];
        result.periodic[axis] = period != 0;
        result.sides[axis] =
            period != 0 ? period : static_cast<std::uint32_t>(high - low[axis] + 1);
        in_box *= result.sides[axis];
        if (in_box > most_points) return std::nullopt;  // before more sides overflow it
    }
    result.full = in_box == points.size();
    result.of_vertex.resize(points.size());
    std::vector<bool> taken(in_box, false);
    for (std::size_t v = 0; v < points.size(); ++v) {
        std::size_t number = 0;
        Grid::Coordinates& at = result.of_vertex[v];
        for (std::size_t axis = 0; axis < dimensions; ++axis) {
            at[axis] = static_cast<std::uint32_t>(points[v][axis] - low[axis]) % result.sides[axis];
            number = number * result.sides[axis] + at[axis];
        }
        if (taken[number]) return std::nullopt;
        taken[number] = true;
    }
    return result;
}

}  // namespace commmap
