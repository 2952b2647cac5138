// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "core/mapping/problem/candidate_pus.hpp"

namespace commmap {

/// Identifies a shape: index into SubtreeShapes::all. Shape 0 is a single PU.
using ShapeId = std::uint32_t;

/// A kind of subtree, counting only elements with candidate PUs, in any order of the children.
/// Elements of one shape can hold the same clusters of ranks.
struct SubtreeShape {
    std::vector<ShapeId> children;  ///< ascending, two or more; empty for a PU
    std::uint32_t height = 0;       ///< number of levels with a choice, from this element down
    std::uint32_t num_pus = 1;
    std::uint32_t num_elements = 0;  ///< number of elements with this shape in the tree
};

struct SubtreeShapes {
    std::vector<SubtreeShape> all;  ///< children before parents
    /// The shape of each element. An element with one child that has candidate PUs has the shape of
    /// its first descendant with a choice. Undefined for elements without candidate PUs.
    std::vector<ShapeId> of_element;
};

/// Finds the shapes of a tree: which elements can hold the same clusters of ranks.
/// Cost: O(elements * log shapes).
[[nodiscard]] SubtreeShapes subtree_shapes(const Hct& hct, const PuCounter& counter);

}  // namespace commmap
