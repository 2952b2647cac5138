// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/threads.hpp"
#include "core/tree_mapping/graph/csr_graph.hpp"

namespace commmap {

/// A Cartesian grid or torus of 1 to 6 dimensions that was found in a graph, or a part of a grid.
struct Grid {
    static constexpr std::size_t most_dimensions = 6;
    using Coordinates = std::array<std::uint32_t, most_dimensions>;  ///< 0 beyond dimensions

    std::size_t dimensions = 0;
    std::array<std::uint32_t, most_dimensions> sides{1, 1, 1, 1, 1, 1};
    std::array<bool, most_dimensions> periodic{};
    std::vector<Coordinates> of_vertex;  ///< each point of the grid once, or at most once
    bool full = true;                    ///< each point of the grid is a vertex
};

/// Finds the coordinates of the vertices, in whatever order they are numbered: of a full grid, or
/// as find_partial_grid() does.
/// None if the graph is neither.
///
/// AxisEdges says, by four rules in turn, which edges go along an axis. From a vertex with
/// neighbours on all sides, directions are handed on over squares.
/// Two neighbours of a vertex in different directions have one more common neighbour, and two in
/// opposite directions none.
/// A periodic side of 4 has squares of its own, and equals two sides of 2. The result has these two
/// sides; if that makes more than six dimensions, there is no grid.
/// Cost: that of AxisEdges, and O(vertices); another graph is given up early. Deterministic.
[[nodiscard]] std::optional<Grid> find_grid(const CsrGraph& graph, Threads& threads);

}  // namespace commmap
