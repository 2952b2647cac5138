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
    std::size_t side = 0;       ///< cells
    std::vector<double> bytes;  ///< side * side, row by row: sums of the weights
};

/// @param ranks_per_cell  on each side, > 0; the last cells may have fewer
/// Cost: O(edges + side^2).
[[nodiscard]] MatrixCells matrix_cells(const WeightedGraph& graph, const RankOrder& order,
                                       std::size_t ranks_per_cell);

constexpr std::size_t num_shades = 8;
/// Colours from light to dark.
using Shades = std::array<const char*, num_shades>;

/// Steps of a logarithmic scale from the smallest to the largest cell that is not empty.
class ShadeScale {
public:
    /// Also of these cells.
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

/// A <path> for each shade, in which each run of equal cells of a row is one line of width 1: "m
/// dx dy h length" from the end of the one before, in units of a cell, through its top left corner.
/// Empty cells are left out.
[[nodiscard]] std::string cell_paths(const MatrixCells& cells, const ShadeScale& scale,
                                     const Shades& shades);

}  // namespace commmap::cli
