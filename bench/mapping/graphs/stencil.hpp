// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "graphs/graph.hpp"

namespace commmap::bench {

/// To a neighbour in the grid; the one in the other direction is meant too.
struct StencilStep {
    std::vector<int> offset;  ///< by dimension; of make_stencil() -1, 0 or 1
    std::uint64_t weight = 0;
};

/// Ranks on a grid, in row-major order (the last coordinate varies fastest), that exchange with
/// their neighbours.
struct Stencil {
    std::vector<std::uint32_t> sides;
    bool periodic = false;
    std::vector<StencilStep> steps;
};

/// The sides are those of grid_sides().
///
/// @param kind    stencil2d5, stencil3d7, stencil4d9, torus2d5, torus3d7: 2 neighbours a dimension,
///                the tori with wrap-around; stencil3d27: 26 neighbours across faces, edges,
///                corners
/// @param weight  of an edge; of stencil3d27 faces have 1024, edges 32 times this, as subdomains of
///                32^3 cells have
/// @return        nothing when the kind is none of these
[[nodiscard]] std::optional<Stencil> make_stencil(std::string_view kind, std::uint32_t ranks,
                                                  std::uint64_t weight);

/// One edge a pair of neighbours; two where a periodic side has two ranks, which are neighbours
/// both ways, and none where it has one. Cost: O(ranks * steps).
[[nodiscard]] std::vector<Edge> stencil_edges(const Stencil& stencil);

}  // namespace commmap::bench
