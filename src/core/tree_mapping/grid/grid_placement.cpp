// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/grid/grid_placement.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "core/tree_mapping/machine/group_filling.hpp"

namespace commmap {
namespace {

using Box = std::array<std::uint32_t, Grid::most_dimensions>;
using Offset = std::array<std::int32_t, Grid::most_dimensions>;

/// The weight of all edges by the offset of their ends. An edge is far if its ends are more than
/// `farthest_` apart on some axis.
class OffsetWeights {
public:
    OffsetWeights(const CsrGraph& graph, const Grid& grid, Threads& threads)
        : grid_(grid),
          farthest_(grid.dimensions <= most_with_far_edges ? 4 : 1),
          width_(static_cast<std::size_t>(2 * farthest_ + 1)) {
        for (std::size_t axis = 0; axis < grid.dimensions; ++axis) num_codes_ *= width_;
        const std::uint32_t middle = graph.num_vertices() / 2;
        Sums sums;
        Sums others;
        threads.parallel_invoke([&] { sums = sums_of(graph, 0, middle); },
                                [&] { others = sums_of(graph, middle, graph.num_vertices()); });
        sums.add(others);
        for (std::size_t code = 0; code < num_codes_; ++code) {
            const Direction& direction = sums.directions[code];
            if (direction.weight == 0.0) continue;
            near_ += direction.weight;
            even_ = even_ && direction.most <= direction.least * 1.01F;
            Offset offset{};
            for (std::size_t axis = 0, rest = code; axis < grid.dimensions; ++axis, rest /= width_)
                offset[axis] = static_cast<std::int32_t>(rest % width_) - farthest_;
            weights_.emplace_back(offset, direction.weight);
        }
        far_ = sums.far;
    }
    [[nodiscard]] bool nothing_else() const { return even_ && far_ <= 0.01 * (near_ + far_); }

    /// Returns the weight of the edges inside boxes of these sides, which divide the grid's sides.
    [[nodiscard]] double inside(const Box& box) const {
        double sum = 0.0;
        for (const auto& [offset, weight] : weights_) {
            double share = 1.0;
            for (std::size_t axis = 0; axis < grid_.dimensions; ++axis)
                share *= share_inside(axis, box[axis],
                                      static_cast<std::uint32_t>(std::abs(offset[axis])));
            sum += weight * share;
        }
        return sum;
    }

private:
    /// Most axes with offsets up to 4. With six axes there would be 9^6 offsets.
    static constexpr std::size_t most_with_far_edges = 4;

    /// The edges of one offset. Weights are whole numbers or their halves, so their sum does not
    /// depend on the order.
    struct Direction {
        double weight = 0.0;
        float least = std::numeric_limits<float>::infinity();
        float most = 0.0F;
    };
    struct Sums {
        std::vector<Direction> directions;
        double far = 0.0;

        void add(const Sums& others) {
            for (std::size_t code = 0; code < directions.size(); ++code) {
                const Direction& other = others.directions[code];
                Direction& direction = directions[code];
                direction.weight += other.weight;
                direction.least = std::min(direction.least, other.least);
                direction.most = std::max(direction.most, other.most);
            }
            far += others.far;
        }
    };

    [[nodiscard]] Sums sums_of(const CsrGraph& graph, std::uint32_t begin,
                               std::uint32_t end) const {
        Sums sums;
        sums.directions.resize(num_codes_);
        for (std::uint32_t v = begin; v < end; ++v) {
            for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
                const std::size_t code = code_of(v, graph.neighbours[i]);
                const float weight = graph.weights[i];
                if (code == num_codes_) {
                    sums.far += static_cast<double>(weight) / 2;
                    continue;
                }
                Direction& direction = sums.directions[code];
                direction.weight += static_cast<double>(weight) / 2;
                direction.least = std::min(direction.least, weight);
                direction.most = std::max(direction.most, weight);
            }
        }
        return sums;
    }

    [[nodiscard]] std::size_t code_of(std::uint32_t v, std::uint32_t u) const {
        std::size_t code = 0;
        for (std::size_t axis = grid_.dimensions; axis-- > 0;) {
            const auto side = static_cast<std::int32_t>(grid_.sides[axis]);
            std::int32_t apart = static_cast<std::int32_t>(grid_.of_vertex[u][axis]) -
                                 static_cast<std::int32_t>(grid_.of_vertex[v][axis]);
            if (grid_.periodic[axis]) {
                if (2 * apart > side) apart -= side;
                if (2 * apart < -side) apart += side;
            }
            if (std::abs(apart) > farthest_) return num_codes_;
            code = code * width_ + static_cast<std::size_t>(apart + farthest_);
        }
        return code;
    }
    [[nodiscard]] double share_inside(std::size_t axis, std::uint32_t side,
                                      std::uint32_t apart) const {
        if (apart == 0) return 1.0;
        const double all = grid_.sides[axis];
        if (grid_.periodic[axis] && side == grid_.sides[axis]) return 1.0;
        if (apart >= side) return 0.0;
        return all / side * (side - apart) / (grid_.periodic[axis] ? all : all - apart);
    }

    const Grid& grid_;
    std::int32_t farthest_;      ///< largest offset of a near edge along an axis
    std::size_t width_;          ///< number of offsets along one axis
    std::size_t num_codes_ = 1;  ///< number of offsets
    std::vector<std::pair<Offset, double>> weights_;
    double near_ = 0.0;
    double far_ = 0.0;
    bool even_ = true;  ///< whether edges of one offset weigh the same
};

/// Calls use(box) for each box of `count` points whose sides divide the sides of `within`.
void for_each_box(const Box& within, std::size_t dimensions, std::uint32_t count,
                  const std::function<void(const Box&)>& use, Box box = {1, 1, 1, 1, 1, 1},
                  std::size_t axis = 0) {
    if (axis == std::min(dimensions, box.size())) {
        if (count == 1) use(box);
        return;
    }
    for (std::uint32_t side = 1; side <= std::min(count, within[axis]); ++side) {
        if (count % side != 0 || within[axis] % side != 0) continue;
        box[axis] = side;
        for_each_box(within, dimensions, count / side, use, box, axis + 1);
    }
}

/// Returns the ranks of a group of each level; empty: groups of a level differ, or are not full.
std::vector<std::uint32_t> uniform_sizes(const MachineTree& machine, std::size_t num_ranks) {
    std::vector<std::uint32_t> sizes;
    if (num_ranks != machine.num_pus()) return sizes;
    for (std::size_t depth = 0; depth < machine.num_levels(); ++depth) {
        const std::vector<std::uint32_t>& capacity = machine.level(depth).capacity;
        if (std::adjacent_find(capacity.begin(), capacity.end(), std::not_equal_to<>()) !=
            capacity.end())
            return {};
        sizes.push_back(capacity.front());
    }
    return sizes;
}

/// Returns the best box of each level, from the root's, which is the grid; empty: some level has no
/// box.
std::vector<Box> best_boxes(const OffsetWeights& weights, const MachineTree& machine,
                            const Grid& grid, const std::vector<std::uint32_t>& sizes) {
    struct Choice {
        double saved;  ///< hop-bytes that this box and the best boxes above it save
        Box above;
    };
    std::vector<std::map<Box, Choice>> choices(sizes.size());
    std::map<Box, double> inside;  // weights.inside() of each box, computed once
    Box whole = grid.sides;
    choices[0].emplace(whole, Choice{0.0, whole});
    for (std::size_t depth = 1; depth < sizes.size(); ++depth) {
        const double nearer = static_cast<double>(machine.level(depth - 1).distance) -
                              static_cast<double>(machine.level(depth).distance);
        for (const auto& each : choices[depth - 1]) {
            const Box& above = each.first;
            const double saved_above = each.second.saved;
            for_each_box(above, grid.dimensions, sizes[depth], [&](const Box& box) {
                const auto known = inside.try_emplace(box, 0.0);
                if (known.second) known.first->second = weights.inside(box);
                const double saved = saved_above + nearer * known.first->second;
                const auto [at, fresh] = choices[depth].try_emplace(box, Choice{saved, above});
                if (!fresh && saved > at->second.saved) at->second = {saved, above};
            });
        }
    }
    if (choices.back().empty()) return {};
    auto best = std::max_element(
        choices.back().begin(), choices.back().end(),
        [](const auto& a, const auto& b) { return a.second.saved < b.second.saved; });
    std::vector<Box> boxes(sizes.size());
    for (std::size_t depth = sizes.size(); depth-- > 0;) {
        boxes[depth] = best->first;
        if (depth > 0) best = choices[depth - 1].find(best->second.above);
    }
    return boxes;
}

GroupId bin_of(const MachineTree& machine, const Grid& grid, const std::vector<Box>& boxes,
               const Grid::Coordinates& point) {
    GroupId group = 0;
    for (std::size_t depth = 1; depth < boxes.size(); ++depth) {
        std::uint32_t child = 0;
        for (std::size_t axis = 0; axis < grid.dimensions; ++axis) {
            const std::uint32_t in_box = point[axis] % boxes[depth - 1][axis];
            child =
                child * (boxes[depth - 1][axis] / boxes[depth][axis]) + in_box / boxes[depth][axis];
        }
        group = machine.level(depth - 1).first_child[group] + child;
    }
    return group;
}

}  // namespace

std::optional<Tiling> tile_boxes(const CsrGraph& graph, const MachineTree& machine,
                                 const Grid& grid, Threads& threads) {
    const std::vector<std::uint32_t> sizes = uniform_sizes(machine, graph.num_vertices());
    if (sizes.empty() || !grid.full) return std::nullopt;
    const OffsetWeights weights(graph, grid, threads);
    const std::vector<Box> boxes = best_boxes(weights, machine, grid, sizes);
    if (boxes.empty()) return std::nullopt;
    std::vector<GroupId> bin_of_rank(graph.num_vertices());
    threads.parallel_for(bin_of_rank.size(), 16384, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v)
            bin_of_rank[v] = bin_of(machine, grid, boxes, grid.of_vertex[v]);
    });
    return Tiling{std::move(bin_of_rank), weights.nothing_else()};
}

void halve_along(const Grid& grid, std::size_t axis, bool backwards, std::span<RankId> points,
                 std::size_t target) {
    const auto before = [&](RankId a, RankId b) {
        const Grid::Coordinates& x = grid.of_vertex[a];
        const Grid::Coordinates& y = grid.of_vertex[b];
        if (x[axis] != y[axis]) return x[axis] < y[axis];
        if (!backwards) return x < y;
        return std::lexicographical_compare(x.rbegin(), x.rend(), y.rbegin(), y.rend());
    };
    std::nth_element(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(target),
                     points.end(), before);
}

std::vector<GroupId> halve_boxes(const MachineTree& machine, const Grid& grid, Threads& threads) {
    const auto halve = [&](std::span<RankId> points, std::size_t target,
                           const Division& /*division*/) {
        Box low = grid.sides;
        Box high{};
        for (const RankId v : points) {
            for (std::size_t axis = 0; axis < grid.dimensions; ++axis) {
                low[axis] = std::min(low[axis], grid.of_vertex[v][axis]);
                high[axis] = std::max(high[axis], grid.of_vertex[v][axis]);
            }
        }
        std::size_t longest = 0;
        for (std::size_t axis = 1; axis < grid.dimensions; ++axis)
            if (high[axis] - low[axis] > high[longest] - low[longest]) longest = axis;
        halve_along(grid, longest, false, points, target);
    };
    std::vector<RankId> points(grid.of_vertex.size());
    std::iota(points.begin(), points.end(), RankId{0});
    return fill_by_halves(machine, std::move(points), {halve}, threads);
}

}  // namespace commmap
