// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "graphs/stencil.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

#include "graphs/grid_sides.hpp"

namespace commmap::bench {
namespace {

struct StencilKind {
    std::string_view name;
    std::size_t dimensions;
    bool periodic;
    bool diagonals;
};
constexpr std::array stencil_kinds{
    StencilKind{"stencil2d5", 2, false, false}, StencilKind{"stencil3d7", 3, false, false},
    StencilKind{"stencil3d27", 3, false, true}, StencilKind{"stencil4d9", 4, false, false},
    StencilKind{"torus2d5", 2, true, false},    StencilKind{"torus3d7", 3, true, false}};

std::vector<StencilStep> axis_steps(std::size_t dimensions, std::uint64_t weight) {
    std::vector<StencilStep> steps;
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
        steps.push_back({std::vector<int>(dimensions, 0), weight});
        steps.back().offset[axis] = 1;
    }
    return steps;
}

/// Of the 26 neighbours of a cube those 13 that come later in row-major order.
std::vector<StencilStep> cube_steps(std::uint64_t weight) {
    constexpr std::array<std::uint64_t, 4> factor_of_length{0, 1024, 32, 1};
    constexpr int own = 13;
    std::vector<StencilStep> steps;
    for (int n = own + 1; n < 27; ++n) {
        std::vector<int> offset{n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
        const auto length = static_cast<std::size_t>(std::count_if(
            offset.begin(), offset.end(), [](int along_axis) { return along_axis != 0; }));
        steps.push_back({std::move(offset), weight * factor_of_length[length]});
    }
    return steps;
}

/// Walks over the cells of a grid in row-major order.
class GridWalk {
public:
    explicit GridWalk(const Stencil& stencil) : stencil_(stencil), at_(stencil.sides.size(), 0) {}

    void advance() {
        for (std::size_t axis = at_.size(); axis-- > 0;) {
            if (++at_[axis] < static_cast<int>(stencil_.sides[axis])) return;
            at_[axis] = 0;
        }
    }
    [[nodiscard]] std::optional<std::uint32_t> neighbour(const StencilStep& step) const {
        std::uint32_t rank = 0;
        for (std::size_t axis = 0; axis < at_.size(); ++axis) {
            const auto side = static_cast<int>(stencil_.sides[axis]);
            int there = at_[axis] + step.offset[axis];
            if (stencil_.periodic) there = (there + side) % side;
            if (there < 0 || there >= side) return std::nullopt;
            rank = rank * stencil_.sides[axis] + static_cast<std::uint32_t>(there);
        }
        return rank;
    }

private:
    const Stencil& stencil_;
    std::vector<int> at_;
};

}  // namespace

std::optional<Stencil> make_stencil(std::string_view kind, std::uint32_t ranks,
                                    std::uint64_t weight) {
    const auto* const found =
        std::find_if(stencil_kinds.begin(), stencil_kinds.end(),
                     [&](const StencilKind& known) { return known.name == kind; });
    if (found == stencil_kinds.end()) return std::nullopt;
    return Stencil{grid_sides(ranks, found->dimensions), found->periodic,
                   found->diagonals ? cube_steps(weight) : axis_steps(found->dimensions, weight)};
}

std::vector<Edge> stencil_edges(const Stencil& stencil) {
    const std::uint32_t ranks = std::accumulate(stencil.sides.begin(), stencil.sides.end(),
                                                std::uint32_t{1}, std::multiplies<>());
    std::vector<Edge> edges;
    edges.reserve(ranks * stencil.steps.size());
    GridWalk walk(stencil);
    for (std::uint32_t rank = 0; rank < ranks; ++rank, walk.advance()) {
        for (const StencilStep& step : stencil.steps) {
            const auto to = walk.neighbour(step);
            if (to && *to != rank) edges.push_back({rank, *to, step.weight});
        }
    }
    return edges;
}

}  // namespace commmap::bench
