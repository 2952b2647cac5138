// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "commmap/machine_tree.hpp"
#include "commmap/weighted_graph.hpp"

namespace commmap::cli {

/// Most cells in a row of a drawn matrix.
constexpr std::size_t max_picture_cells = 256;
constexpr std::size_t max_picture_bytes = 300U << 10U;

/// Draws the gain of a placement in SVG. The picture has
/// - the communication matrix before and after, with its ranks in the order of their PUs. Both have
///   shades of one logarithmic scale, and lines between groups;
/// - under each matrix its hop-bytes and port cost;
/// - below both, the loads of the links of one level: the level with the most loaded link.
///
/// A cell stands for one rank by one. It stands for several ranks if the matrix would have more
/// than max_picture_cells, or the text more than max_picture_bytes.
///
/// @param name           of the graph, any bytes
/// @param before, after  the bin of each rank: "ranks in order" and "chosen placement"
/// Cost: O(edges * levels + groups log groups). Same input, same text.
[[nodiscard]] std::string placement_svg(std::string_view name, const WeightedGraph& graph,
                                        const MachineTree& machine, std::span<const GroupId> before,
                                        std::span<const GroupId> after);

}  // namespace commmap::cli
