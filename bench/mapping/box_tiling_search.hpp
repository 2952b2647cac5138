// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graphs/stencil.hpp"
#include "tree_spec.hpp"
#include "wide.hpp"

namespace commmap::bench {

/// A placement of a grid of ranks in which each group of the tree has a box of the grid, and boxes
/// of a height are all alike.
struct BoxTiling {
    Wide hop_bytes = 0;
    std::vector<std::vector<std::uint32_t>> sides;  ///< of the boxes, by height from 1
};

/// The tiling with the lowest hop-bytes; of equal ones always the same.
///
/// Each group's arity is split in every way over the dimensions of the grid, such that the sides of
/// a box divide those of the box above and of the grid. Groups are filled one after the other: with
/// fewer ranks than PUs only the first groups of the tree are used, and the highest that are needed
/// may be filled in part.
/// @return nothing when sides and arities do not divide. Throws InputError for more ranks than PUs.
/// Cost: O(sum over heights of the boxes that divide the grid * ways to split an arity), not the
/// product over the heights: hop-bytes are the sum over the heights of what leaves the boxes of
/// this height, so the best way to a box does not depend on the boxes above it.
[[nodiscard]] std::optional<BoxTiling> best_box_tiling(const Stencil& stencil,
                                                       const TreeSpec& tree);

/// The PU of each rank, ranks and the boxes inside a box in row-major order.
[[nodiscard]] std::vector<std::uint64_t> mapping_of(const BoxTiling& tiling, const Stencil& stencil,
                                                    const TreeSpec& tree);

}  // namespace commmap::bench
