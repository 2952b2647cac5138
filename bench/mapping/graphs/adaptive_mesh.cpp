// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "graphs/adaptive_mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <utility>

#include "graphs/random.hpp"

namespace commmap::bench {
namespace {

constexpr double circle_radius = 0.25;
constexpr double width_of_finest = 1.0 / 32.0;
constexpr std::uint32_t none = UINT32_MAX;

/// A square with side 2^-depth, whose lower left corner is at (x, y) * 2^-depth.
struct Cell {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    unsigned depth = 0;
    std::uint32_t children = none;  ///< the first of four, in the order of the Z curve; or a leaf
    std::uint32_t rank = none;      ///< of a leaf
};

class Quadtree {
public:
    explicit Quadtree(std::uint32_t roots) : roots_(roots), cells_(roots) {
        for (std::uint32_t root = 0; root < roots; ++root) cells_[root].x = root;
    }

    [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }

    /// @return the first of the four new leaves
    std::uint32_t refine(std::uint32_t index) {
        const auto children = static_cast<std::uint32_t>(cells_.size());
        cells_[index].children = children;
        const Cell parent = cells_[index];
        for (std::uint32_t child = 0; child < 4; ++child)
            cells_.push_back(
                {2 * parent.x + child % 2, 2 * parent.y + child / 2, parent.depth + 1});
        return children;
    }

    void number_leaves() {
        std::uint32_t next = 0;
        for (std::uint32_t root = 0; root < roots_; ++root) number_leaves_below(root, next);
    }

    /// The cell at (x, y) * 2^-depth with side 2^-depth, or the leaf that it lies in; null outside.
    [[nodiscard]] const Cell* find(std::int64_t x, std::int64_t y, unsigned depth) const {
        if (x < 0 || y < 0 || x >= std::int64_t{roots_} << depth || y >= std::int64_t{1} << depth)
            return nullptr;
        const Cell* cell = &cells_[static_cast<std::size_t>(x >> depth)];
        for (unsigned level = depth; level-- > 0 && cell->children != none;)
            cell = &cells_[cell->children + static_cast<std::size_t>((y >> level & 1) * 2) +
                           static_cast<std::size_t>(x >> level & 1)];
        return cell;
    }

private:
    void number_leaves_below(std::uint32_t index, std::uint32_t& next) {
        const std::uint32_t children = cells_[index].children;
        if (children == none) {
            cells_[index].rank = next++;
            return;
        }
        for (std::uint32_t child = 0; child < 4; ++child)
            number_leaves_below(children + child, next);
    }

    std::uint32_t roots_;
    std::vector<Cell> cells_;
};

struct Circle {
    double x;
    double y;

    /// How much a cell wants to be refined. Exact operations only (no hypot): the same everywhere.
    [[nodiscard]] double urgency(const Cell& cell) const {
        const double size = 1.0 / static_cast<double>(std::uint64_t{1} << cell.depth);
        const double across = (cell.x + 0.5) * size - x;
        const double up = (cell.y + 0.5) * size - y;
        const double distance = std::abs(std::sqrt(across * across + up * up) - circle_radius);
        return size / (distance + width_of_finest);
    }
};

Quadtree refined_mesh(std::uint32_t leaves, std::uint64_t seed) {
    const std::uint32_t roots = 1 + (leaves - 1) % 3;
    Random random(seed);
    const double x = circle_radius + random.unit() * (roots - 2 * circle_radius);
    const Circle circle{x, circle_radius + random.unit() * (1 - 2 * circle_radius)};
    Quadtree mesh(roots);
    // the earlier cell first among equals: negative indices are larger
    std::priority_queue<std::pair<double, std::int64_t>> queue;
    const auto add = [&](std::uint32_t cell) {
        queue.emplace(circle.urgency(mesh.cells()[cell]), -std::int64_t{cell});
    };
    for (std::uint32_t root = 0; root < roots; ++root) add(root);
    while (queue.size() < leaves) {
        const auto cell = static_cast<std::uint32_t>(-queue.top().second);
        queue.pop();
        const std::uint32_t children = mesh.refine(cell);
        for (std::uint32_t child = 0; child < 4; ++child) add(children + child);
    }
    mesh.number_leaves();
    return mesh;
}

}  // namespace

std::vector<Edge> adaptive_mesh_edges(const InstanceOptions& options) {
    struct Direction {
        int x;
        int y;
    };
    constexpr std::array directions{Direction{1, 0}, Direction{0, 1}, Direction{-1, 0},
                                    Direction{0, -1}};
    const Quadtree mesh = refined_mesh(options.ranks, options.seed);
    unsigned deepest = 0;
    for (const Cell& cell : mesh.cells()) deepest = std::max(deepest, cell.depth);
    std::vector<Edge> edges;
    for (const Cell& cell : mesh.cells()) {
        if (cell.children != none) continue;
        for (const auto [x, y] : directions) {
            const Cell* const there =
                mesh.find(std::int64_t{cell.x} + x, std::int64_t{cell.y} + y, cell.depth);
            // the smaller of two leaves names their edge; of equal ones the left or lower
            if (there == nullptr || there->children != none ||
                (there->depth == cell.depth && x + y < 0))
                continue;
            edges.push_back({cell.rank, there->rank, options.weight << (deepest - cell.depth)});
        }
    }
    return edges;
}

}  // namespace commmap::bench
