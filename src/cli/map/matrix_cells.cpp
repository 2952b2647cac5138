// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/map/matrix_cells.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace commmap::cli {
namespace {

constexpr std::size_t empty_cell = num_shades;

/// The path data of one shade, and the place of its pen.
struct Pen {
    std::string data;
    std::ptrdiff_t x = 0;
    std::ptrdiff_t y = 0;

    void draw(std::size_t row, std::size_t column, std::size_t end) {
        const auto to_x = static_cast<std::ptrdiff_t>(column);
        const auto to_y = static_cast<std::ptrdiff_t>(row);
        data += fmt::format("m{} {}h{}", to_x - x, to_y - y, end - column);
        x = static_cast<std::ptrdiff_t>(end);
        y = to_y;
    }
};

std::vector<std::size_t> shades_of(const MatrixCells& cells, const ShadeScale& scale) {
    std::vector<std::size_t> shades;
    shades.reserve(cells.bytes.size());
    for (const double bytes : cells.bytes)
        shades.push_back(bytes > 0 ? scale.shade(bytes) : empty_cell);
    return shades;
}

}  // namespace

MatrixCells matrix_cells(const WeightedGraph& graph, const RankOrder& order,
                         std::size_t ranks_per_cell) {
    MatrixCells cells;
    cells.side = (order.num_ranks() + ranks_per_cell - 1) / ranks_per_cell;
    cells.bytes.assign(cells.side * cells.side, 0.0);
    for (std::size_t v = 0; v < graph.num_vertices(); ++v) {
        const std::size_t row = order.position(v) / ranks_per_cell * cells.side;
        for (std::size_t i = graph.first[v]; i < graph.first[v + 1]; ++i)
            cells.bytes[row + order.position(graph.neighbours[i]) / ranks_per_cell] +=
                static_cast<double>(graph.weights[i]);
    }
    return cells;
}

void ShadeScale::include(const MatrixCells& cells) {
    for (const double bytes : cells.bytes) {
        if (bytes <= 0) continue;
        lowest_ = lowest_ > 0 ? std::min(lowest_, bytes) : bytes;
        highest_ = std::max(highest_, bytes);
    }
}

std::size_t ShadeScale::shade(double bytes) const {
    if (highest_ <= lowest_) return num_shades - 1;
    const double part = std::log(bytes / lowest_) / std::log(highest_ / lowest_);
    return std::min(num_shades - 1, static_cast<std::size_t>(part * num_shades));
}

std::string cell_paths(const MatrixCells& cells, const ShadeScale& scale, const Shades& shades) {
    const std::vector<std::size_t> shade = shades_of(cells, scale);
    std::array<Pen, num_shades> pens;
    for (std::size_t row = 0; row < cells.side; ++row) {
        const std::size_t* of = shade.data() + row * cells.side;
        for (std::size_t column = 0; column < cells.side;) {
            const std::size_t begin = column;
            while (column < cells.side && of[column] == of[begin]) ++column;
            if (of[begin] != empty_cell) pens[of[begin]].draw(row, begin, column);
        }
    }
    std::string text;
    for (std::size_t i = 0; i < num_shades; ++i) {
        if (pens[i].data.empty()) continue;
        text += fmt::format("<path stroke=\"{}\" d=\"{}\"/>\n", shades[i], pens[i].data);
    }
    return text;
}

}  // namespace commmap::cli
