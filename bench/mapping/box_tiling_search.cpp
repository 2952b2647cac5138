// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "box_tiling_search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <string>

#include "graphs/grid_sides.hpp"
#include "input_error.hpp"

namespace commmap::bench {
namespace {

using Sides = std::vector<std::uint32_t>;

struct Reached {
    Wide hop_bytes = 0;  ///< over the links from this height and from those below
    Sides below;         ///< boxes of the height below
};
using ReachedBoxes = std::map<Sides, Reached>;

std::uint64_t num_ranks(const Stencil& stencil) {
    return std::accumulate(stencil.sides.begin(), stencil.sides.end(), std::uint64_t{1},
                           std::multiplies<>());
}

/// Edges of one step with both ends in the same box, over the whole grid.
Wide edges_inside(const Stencil& stencil, const StencilStep& step, const Sides& box) {
    Wide edges = 1;
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
        const std::uint64_t side = stencil.sides[axis];
        const bool wraps = stencil.periodic && side > 1 && box[axis] == side;
        const auto length = static_cast<std::uint32_t>(std::abs(step.offset[axis]));
        if (length == 0 || wraps)
            edges *= side;
        else
            edges *= Wide{side / box[axis]} * (box[axis] - std::min(box[axis], length));
    }
    return edges;
}

Wide weight_inside(const Stencil& stencil, const Sides& box) {
    Wide sum = 0;
    for (const StencilStep& step : stencil.steps)
        sum += step.weight * edges_inside(stencil, step, box);
    return sum;
}

/// By height from 1: how many parts a group of it has when the first groups are filled; empty when
/// groups of one height would not be filled alike.
std::vector<std::uint32_t> used_arities(const TreeSpec& tree, std::uint64_t ranks) {
    if (ranks > tree.num_pus())
        throw InputError(std::to_string(ranks) + " ranks are more than the tree's " +
                         std::to_string(tree.num_pus()) + " PUs");
    std::vector<std::uint32_t> used;
    std::uint64_t left = ranks;
    for (std::size_t h = 1; h <= tree.height(); ++h) {
        const std::uint64_t arity = std::min(left, tree.pus_of_group[h] / tree.pus_of_group[h - 1]);
        if (left % arity != 0) return {};
        used.push_back(static_cast<std::uint32_t>(arity));
        left /= arity;
    }
    return used;
}

/// Visits all boxes with `arity` times the volume of `box` that it divides and that divide the
/// grid.
void for_larger_boxes(const Sides& grid, Sides& box, std::uint32_t arity, std::size_t axis,
                      const std::function<void(const Sides&)>& visit) {
    if (axis == box.size()) {
        if (arity == 1) visit(box);
        return;
    }
    for (const std::uint32_t factor : divisors(arity)) {
        if (grid[axis] / box[axis] % factor != 0) continue;
        box[axis] *= factor;
        for_larger_boxes(grid, box, arity / factor, axis + 1, visit);
        box[axis] /= factor;
    }
}

BoxTiling trace_back(const std::vector<ReachedBoxes>& by_height, const Sides& top) {
    BoxTiling tiling;
    tiling.hop_bytes = by_height.back().at(top).hop_bytes;
    Sides box = top;
    for (std::size_t h = by_height.size() - 1; h > 0; --h) {
        tiling.sides.push_back(box);
        box = by_height[h].at(box).below;
    }
    std::reverse(tiling.sides.begin(), tiling.sides.end());
    return tiling;
}

}  // namespace

std::optional<BoxTiling> best_box_tiling(const Stencil& stencil, const TreeSpec& tree) {
    const auto arities = used_arities(tree, num_ranks(stencil));
    if (arities.empty()) return std::nullopt;
    const Wide weight = weight_inside(stencil, stencil.sides);
    // What leaves a box of height h pays the step from the distance of h to that of h + 1.
    const auto leaving = [&](const Sides& box, std::size_t h) {
        return h == tree.height() ? Wide{0}
                                  : (weight - weight_inside(stencil, box)) *
                                        (tree.distances[h + 1] - tree.distances[h]);
    };
    std::vector<ReachedBoxes> by_height(1);
    const Sides one(stencil.sides.size(), 1);
    by_height[0][one] = {leaving(one, 0), {}};
    for (std::size_t h = 1; h <= tree.height(); ++h) {
        ReachedBoxes reached;
        for (const auto& [below, so_far] : by_height[h - 1]) {
            const auto visit = [&, &below = below, &so_far = so_far](const Sides& box) {
                const Wide hop_bytes = so_far.hop_bytes + leaving(box, h);
                const auto [known, is_new] = reached.try_emplace(box, Reached{hop_bytes, below});
                if (!is_new && hop_bytes < known->second.hop_bytes)
                    known->second = {hop_bytes, below};
            };
            Sides box = below;
            for_larger_boxes(stencil.sides, box, arities[h - 1], 0, visit);
        }
        by_height.push_back(std::move(reached));
    }
    if (by_height.back().empty()) return std::nullopt;
    return trace_back(by_height, stencil.sides);
}

std::vector<std::uint64_t> mapping_of(const BoxTiling& tiling, const Stencil& stencil,
                                      const TreeSpec& tree) {
    const std::size_t dimensions = stencil.sides.size();
    std::vector<std::uint64_t> pu_of_rank(num_ranks(stencil));
    Sides at(dimensions, 0);
    for (std::uint64_t rank = 0; rank < pu_of_rank.size(); ++rank) {
        std::uint64_t left = rank;
        for (std::size_t axis = dimensions; axis-- > 0; left /= stencil.sides[axis])
            at[axis] = static_cast<std::uint32_t>(left % stencil.sides[axis]);
        Sides below(dimensions, 1);
        for (std::size_t h = 1; h <= tree.height(); ++h) {
            const Sides& box = tiling.sides[h - 1];
            std::uint64_t part = 0;
            for (std::size_t axis = 0; axis < dimensions; ++axis) {
                const std::uint32_t parts = box[axis] / below[axis];
                part = part * parts + at[axis] / below[axis] % parts;
            }
            pu_of_rank[rank] += part * tree.pus_of_group[h - 1];
            below = box;
        }
    }
    return pu_of_rank;
}

}  // namespace commmap::bench
