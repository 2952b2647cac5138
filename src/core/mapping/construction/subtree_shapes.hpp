#pragma once

#include <cstdint>
#include <vector>

#include "core/mapping/problem/candidate_pus.hpp"

namespace commmap {

/// Index into SubtreeShapes::all; 0 is a single PU.
using ShapeId = std::uint32_t;

/// A subtree with candidate PUs, whatever the order of its children. Elements of one shape can hold
/// the same clusters of ranks.
struct SubtreeShape {
    std::vector<ShapeId> children;  ///< ascending, two or more; empty for a PU
    std::uint32_t height = 0;       ///< levels with a choice below it
    std::uint32_t num_pus = 1;
    std::uint32_t num_elements = 0;  ///< of this shape in the tree
};

struct SubtreeShapes {
    std::vector<SubtreeShape> all;  ///< children before parents
    /// By element with candidate PUs: its own where its children are a choice, else that of the
    /// first choice below it. Undefined for elements without candidate PUs.
    std::vector<ShapeId> of_element;
};

/// Tells the elements of a tree apart by what can be put on them. Cost: O(elements * log shapes).
[[nodiscard]] SubtreeShapes subtree_shapes(const Hct& hct, const PuCounter& counter);

}  // namespace commmap
