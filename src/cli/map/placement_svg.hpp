#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "commmap/machine_tree.hpp"
#include "commmap/weighted_graph.hpp"

namespace commmap::cli {

/// Cells of a matrix side by side, at most.
constexpr std::size_t max_picture_cells = 256;
constexpr std::size_t max_picture_bytes = 300U << 10U;

/// What a placement gains, as a picture in SVG: the communication matrix with its ranks in the
/// order of the PUs they are on, before and after, in shades of one logarithmic scale, with lines
/// between groups; under each its hop-bytes and port cost; below both the loads of the links of
/// that level which has the most loaded one.
///
/// A cell is one rank by one, or several where the matrix would have more than max_picture_cells,
/// or the text more than max_picture_bytes.
///
/// @param name           of what is drawn, any bytes
/// @param before, after  the bin of each rank: "ranks in order" and "chosen placement"
/// Same input, same text. Cost: O(edges * levels + groups log groups).
[[nodiscard]] std::string placement_svg(std::string_view name, const WeightedGraph& graph,
                                        const MachineTree& machine, std::span<const GroupId> before,
                                        std::span<const GroupId> after);

}  // namespace commmap::cli
