// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "cli/map/rank_order.hpp"
#include "commmap/weighted_graph.hpp"

namespace commmap::cli {

/// A communication matrix in the order of a placement, as square cells of several ranks.
struct MatrixCells {
    std::size_t side = 0;       ///< number of cells in a row
    std::vector<double> bytes;  ///< side * side, row by row: sums of the weights
};

/// Sums up the weights in each cell.
/// @param ranks_per_cell  on each side, > 0; the last cells may have fewer
/// Cost: O(edges + side^2).
[[nodiscard]] MatrixCells matrix_cells(const WeightedGraph& graph, const RankOrder& order,
                                       std::size_t ranks_per_cell);

constexpr std::size_t num_shades = 8;
/// Colours from light to dark.
using Shades = std::array<const char*, num_shades>;

/// Logarithmic scale of num_shades steps, from the smallest to the largest cell that is not empty.
class ShadeScale {
public:
    /// Extends the scale to these cells.
    void include(const MatrixCells& cells);
    [[nodiscard]] double lowest() const { return lowest_; }    ///< 0: all cells are empty
    [[nodiscard]] double highest() const { return highest_; }  ///< 0: all cells are empty
    /// @param bytes  within the scale, > 0
    /// @return < num_shades
    [[nodiscard]] std::size_t shade(double bytes) const;

private:
    double lowest_ = 0.0;
    double highest_ = 0.0;
};

/// Returns a <path> for each shade. Each run of equal cells in a row is one line of width 1: "m dx
/// dy h length".
/// dx and dy count from the end of the last line, in units of a cell, and (0, 0) is the top left
/// corner. Empty cells are left out.
[[nodiscard]] std::string cell_paths(const MatrixCells& cells, const ShadeScale& scale,
                                     const Shades& shades);

}  // namespace commmap::cli
