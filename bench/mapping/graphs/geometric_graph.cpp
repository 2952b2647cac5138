// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "graphs/geometric_graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "graphs/random.hpp"

namespace commmap::bench {
namespace {

// Coordinates are whole numbers, so that no rounding decides about an edge.
constexpr unsigned coordinate_bits = 30;
constexpr std::uint64_t extent = std::uint64_t{1} << coordinate_bits;

template <std::size_t dimensions>
using Point = std::array<std::uint32_t, dimensions>;

/// Of the ball that holds `mean_degree` of the points, in coordinates.
std::uint64_t reach_of(std::size_t dimensions, std::uint32_t ranks, double mean_degree) {
    const double volume = mean_degree / ranks;
    const double radius = dimensions == 2 ? std::sqrt(volume / std::numbers::pi)
                                          : std::cbrt(volume * 3.0 / (4.0 * std::numbers::pi));
    return static_cast<std::uint64_t>(std::ceil(radius * static_cast<double>(extent)));
}

/// Points in the order of their cells.
template <std::size_t dimensions>
class CellGrid {
public:
    /// Cells at least as wide as `reach`.
    CellGrid(std::uint32_t count, std::uint64_t reach, std::uint64_t seed)
        : cells_a_side_(std::max<std::uint64_t>(1, extent / reach)) {
        std::vector<Point<dimensions>> unsorted(count);
        Random random(seed);
        for (auto& point : unsorted)
            for (auto& coordinate : point)
                coordinate = static_cast<std::uint32_t>(random.below(extent));
        std::size_t cells = 1;
        for (std::size_t axis = 0; axis < dimensions; ++axis) cells *= cells_a_side_;
        first_.assign(cells + 1, 0);
        for (const auto& point : unsorted) ++first_[cell_of(point) + 1];
        for (std::size_t cell = 0; cell < cells; ++cell) first_[cell + 1] += first_[cell];
        std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
        points.resize(count);
        for (const auto& point : unsorted) points[next[cell_of(point)]++] = point;
    }

    /// Calls visit(first, end) for the points of each cell that touches that of `point`, or is it.
    template <class Visit>
    void for_near_cells(const Point<dimensions>& point, Visit&& visit) const {
        std::size_t boxes = 1;
        for (std::size_t axis = 0; axis < dimensions; ++axis) boxes *= 3;
        for (std::size_t box = 0; box < boxes; ++box) {
            std::size_t cell = 0;
            std::size_t steps = box;
            bool inside = true;
            for (std::size_t axis = 0; axis < dimensions; ++axis, steps /= 3) {
                const std::uint64_t shifted = along(point[axis]) + steps % 3;  // by one: unsigned
                inside = inside && shifted >= 1 && shifted <= cells_a_side_;
                cell = cell * cells_a_side_ + shifted - 1;
            }
            if (inside) visit(first_[cell], first_[cell + 1]);
        }
    }

    std::vector<Point<dimensions>> points;

private:
    [[nodiscard]] std::uint64_t along(std::uint32_t coordinate) const {
        return coordinate * cells_a_side_ >> coordinate_bits;
    }
    [[nodiscard]] std::size_t cell_of(const Point<dimensions>& point) const {
        std::size_t cell = 0;
        for (const std::uint32_t coordinate : point)
            cell = cell * cells_a_side_ + along(coordinate);
        return cell;
    }

    std::uint64_t cells_a_side_;
    std::vector<std::uint32_t> first_;
};

template <std::size_t dimensions>
std::uint64_t squared_distance(const Point<dimensions>& a, const Point<dimensions>& b) {
    std::uint64_t sum = 0;
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
        const std::uint64_t difference = std::max(a[axis], b[axis]) - std::min(a[axis], b[axis]);
        sum += difference * difference;
    }
    return sum;
}

template <std::size_t dimensions>
std::vector<Edge> random_geometric_edges(const InstanceOptions& options, double mean_degree) {
    const std::uint64_t reach = reach_of(dimensions, options.ranks, mean_degree);
    const CellGrid<dimensions> grid(options.ranks, reach, mix(options.seed));
    std::vector<Edge> edges;
    for (std::uint32_t rank = 0; rank < options.ranks; ++rank) {
        const auto& point = grid.points[rank];
        grid.for_near_cells(point, [&](std::uint32_t first, std::uint32_t end) {
            for (std::uint32_t to = std::max(first, rank + 1); to < end; ++to) {
                if (squared_distance(point, grid.points[to]) >= reach * reach) continue;
                const std::uint64_t pair = std::uint64_t{rank} << 32U | to;
                const std::uint64_t factor = 1 + mix(mix(options.seed) ^ pair) % 100;
                edges.push_back({rank, to, options.weight * factor});
            }
        });
    }
    return edges;
}

}  // namespace

std::vector<Edge> rgg2d_edges(const InstanceOptions& options) {
    return random_geometric_edges<2>(options, 8.0);
}

std::vector<Edge> rgg3d_edges(const InstanceOptions& options) {
    return random_geometric_edges<3>(options, 12.0);
}

std::vector<Edge> delaunay_edges(const InstanceOptions& options) {
    const auto columns =
        static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(options.ranks))));
    Random random(options.seed);
    std::vector<Edge> edges;
    const auto add = [&](std::uint32_t from, std::uint32_t to) {
        if (to < options.ranks) edges.push_back({from, to, options.weight});
    };
    for (std::uint32_t rank = 0; rank < options.ranks; ++rank) {
        add(rank, rank + columns);
        if (rank % columns + 1 == columns) continue;
        add(rank, rank + 1);
        // A square whose fourth corner is missing in the short last row is a triangle already, or
        // becomes one by the other diagonal.
        const bool whole = rank + columns + 1 < options.ranks;
        if (whole && random.below(2) == 0)
            add(rank, rank + columns + 1);
        else
            add(rank + 1, rank + columns);
    }
    return edges;
}

}  // namespace commmap::bench
