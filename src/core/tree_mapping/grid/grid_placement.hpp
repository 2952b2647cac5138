#pragma once

#include <optional>
#include <span>
#include <vector>

#include "commmap/machine_tree.hpp"
#include "core/base/threads.hpp"
#include "core/tree_mapping/graph/csr_graph.hpp"
#include "core/tree_mapping/grid/grid.hpp"

namespace commmap {

/// Bins by boxes, and whether nothing else needs to be looked at: at most one percent of the weight
/// is on edges between points that are far apart (more than four points on one axis, of grids with
/// five or six axes more than one), and edges of one offset weigh the same within a percent.
struct Tiling {
    std::vector<GroupId> bin_of_rank;
    bool sure = false;
};

/// The bins of a grid's points by boxes: a bin takes a box of points, a group of bins a box of
/// boxes, and so on, each as its PUs can be factored over the dimensions. Of all ways the one with
/// the least hop-bytes, if edges of the same offset weigh the same; otherwise one that is near it.
/// None where some group cannot have a box, where groups differ, PUs stay free, or points of the
/// grid are missing.
///
/// Cost: O(edges + levels * d^2 + d * offsets), d the box shapes of a level: tens, with five or six
/// axes hundreds.
/// Source: our own, by dynamic programming over the levels, for J is a sum over them. What
/// MPI_Cart_create leaves to its implementation.
[[nodiscard]] std::optional<Tiling> tile_boxes(const CsrGraph& graph, const MachineTree& machine,
                                               const Grid& grid, Threads& threads);

/// Puts the `target` points in front that come first along an axis; in the layer that is cut, in
/// order of the other axes, of the last one first if `backwards`. Cost: O(points).
void halve_along(const Grid& grid, std::size_t axis, bool backwards, std::span<RankId> points,
                 std::size_t target);

/// The same as tile_boxes() for any machine and any number of ranks: points are halved across the
/// longest side of the box that holds them, and the halves again, as fill_groups() says.
/// Cost: O(points log points).
[[nodiscard]] std::vector<GroupId> halve_boxes(const MachineTree& machine, const Grid& grid,
                                               Threads& threads);

}  // namespace commmap
