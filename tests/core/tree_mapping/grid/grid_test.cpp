// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/grid/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/random.hpp"
#include "core/tree_mapping/graphs.hpp"
#include "core/tree_mapping/grid/axis_edges.hpp"

namespace commmap {
namespace {

using tests::Pairs;

using Sides = std::vector<std::uint32_t>;

std::vector<std::uint32_t> shuffled(std::uint32_t n) {
    std::vector<std::uint32_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0U);
    Random random(5);
    for (std::uint32_t i = n; i > 1; --i) std::swap(numbers[i - 1], numbers[random.below(i)]);
    return numbers;
}

struct Shape {
    Sides sides;
    std::vector<bool> periodic;  ///< empty: no side is periodic
};

std::uint32_t points_of(const Sides& sides) {
    return std::accumulate(sides.begin(), sides.end(), 1U, std::multiplies<>());
}

/// Returns the edges between points that are next to each other on one axis. Points are numbered in
/// order.
Pairs edges_of(const Shape& shape) {
    Pairs pairs;
    std::uint32_t stride = 1;
    for (std::size_t axis = 0; axis < shape.sides.size(); ++axis) {
        const std::uint32_t side = shape.sides[axis];
        const bool around = !shape.periodic.empty() && shape.periodic[axis];
        for (std::uint32_t v = 0; v < points_of(shape.sides); ++v) {
            const std::uint32_t at = v / stride % side;
            if (at + 1 < side) pairs[{v, v + stride}] = 16;
            if (at + 1 == side && around) pairs[{v - at * stride, v}] = 16;
        }
        stride *= side;
    }
    return pairs;
}

CsrGraph renumbered(std::uint32_t n, const Pairs& pairs) {
    const auto number = shuffled(n);
    std::vector<WeightedEdge> edges;
    for (const auto& [ends, weight] : pairs)
        edges.push_back({number[ends.first], number[ends.second], static_cast<double>(weight)});
    return CsrGraph(graph_of_edges(n, edges).value());
}

std::optional<Grid> found_in(const CsrGraph& graph, unsigned most_threads = 1) {
    Threads threads(most_threads);
    return find_grid(graph, threads);
}

std::optional<Grid> found_in(std::uint32_t n, const Pairs& pairs) {
    return found_in(renumbered(n, pairs));
}

/// Returns the sides' lengths and whether they are periodic, the shortest side first.
std::vector<std::pair<std::uint32_t, bool>> axes_of(const Grid& grid) {
    std::vector<std::pair<std::uint32_t, bool>> axes;
    for (std::size_t axis = 0; axis < grid.dimensions; ++axis)
        axes.emplace_back(grid.sides[axis], grid.periodic[axis]);
    std::sort(axes.begin(), axes.end());
    return axes;
}

bool next_to_each_other(const Grid& grid, std::uint32_t v, std::uint32_t u) {
    std::uint32_t steps = 0;
    for (std::size_t axis = 0; axis < grid.dimensions; ++axis) {
        const auto [low, high] = std::minmax(grid.of_vertex[v][axis], grid.of_vertex[u][axis]);
        const std::uint32_t apart = high - low;
        steps += grid.periodic[axis] ? std::min(apart, grid.sides[axis] - apart) : apart;
    }
    return steps == 1;
}

/// Checks that each vertex is another point of the grid, and that neighbours are next to each
/// other. As the graph has as many edges as the grid, it then is the grid.
void expect_grid(const CsrGraph& graph, const Grid& grid) {
    std::set<Grid::Coordinates> points(grid.of_vertex.begin(), grid.of_vertex.end());
    EXPECT_EQ(points.size(), graph.num_vertices());
    for (const Grid::Coordinates& point : points)
        for (std::size_t axis = 0; axis < point.size(); ++axis)
            ASSERT_LT(point[axis], grid.sides[axis]);
    for (std::uint32_t v = 0; v < graph.num_vertices(); ++v)
        for (const std::uint32_t u : graph.neighbours_of(v))
            ASSERT_TRUE(next_to_each_other(grid, v, u));
}

TEST(Grid, AnyNumberOfThreadsFindsTheSame) {
    // The grids are so large that threads share the vertices, and those equally far from the start.
    const Shape shapes[] = {{{48, 48, 48}, {}},
                            {{48, 40, 36}, {true, true, true}},
                            {{1500, 40}, {false, true}},
                            {{1024, 2, 2, 12}, {}}};
    for (const Shape& shape : shapes) {
        const CsrGraph graph = renumbered(points_of(shape.sides), edges_of(shape));

        const auto one = found_in(graph);

        ASSERT_TRUE(one) << shape.sides[0];
        expect_grid(graph, *one);
        for (const unsigned threads : {2U, 7U}) {
            const auto many = found_in(graph, threads);
            ASSERT_TRUE(many) << threads;
            EXPECT_EQ(many->dimensions, one->dimensions);
            EXPECT_EQ(many->sides, one->sides);
            EXPECT_EQ(many->periodic, one->periodic);
            EXPECT_TRUE(many->of_vertex == one->of_vertex) << threads << " threads";
        }
    }
}

TEST(Grid, SidesAndPeriodsOfAnyLength) {
    const Shape shapes[] = {
        {{2}, {}},
        {{3}, {}},
        {{17}, {}},
        {{3}, {true}},
        {{17}, {true}},
        {{7, 5}, {}},
        {{7, 5}, {true, false}},
        {{7, 5}, {true, true}},
        {{2, 2}, {}},
        {{64, 2}, {}},
        {{5, 2}, {true, false}},
        {{8, 8, 2}, {}},
        {{4, 2, 2}, {}},
        {{2, 2, 2, 2}, {}},
        {{9, 2, 2, 2}, {true, false, false, false}},
        {{3, 3, 3}, {true, true, true}},
        {{3, 8, 8}, {true, false, false}},
        {{3, 4, 5, 6}, {}},
        {{3, 5, 6, 7}, {true, true, true, true}},
        {{3, 2, 5}, {true, false, true}},
        {{3, 3, 3, 3, 3}, {}},
        {{2, 2, 2, 2, 2, 2}, {}},
    };
    for (const Shape& shape : shapes) {
        const CsrGraph graph = renumbered(points_of(shape.sides), edges_of(shape));
        std::vector<std::pair<std::uint32_t, bool>> axes;
        for (std::size_t axis = 0; axis < shape.sides.size(); ++axis)
            axes.emplace_back(shape.sides[axis], !shape.periodic.empty() && shape.periodic[axis]);
        std::sort(axes.begin(), axes.end());

        const auto grid = found_in(graph);

        ASSERT_TRUE(grid) << testing::PrintToString(axes);
        EXPECT_EQ(axes_of(*grid), axes);
        expect_grid(graph, *grid);
    }
}

TEST(Grid, APeriodicSideOfFourIsTwoSidesOfTwo) {
    const Shape torus = {{8, 4, 5}, {true, true, false}};
    const CsrGraph graph = renumbered(160, edges_of(torus));

    const auto grid = found_in(graph);

    ASSERT_TRUE(grid);
    EXPECT_EQ(axes_of(*grid), (std::vector<std::pair<std::uint32_t, bool>>{
                                  {2, false}, {2, false}, {5, false}, {8, true}}));
    expect_grid(graph, *grid);
    const auto six = found_in(64, edges_of({{4, 4, 4}, {true, true, true}}));
    ASSERT_TRUE(six);
    EXPECT_EQ(axes_of(*six), (std::vector<std::pair<std::uint32_t, bool>>(6, {2, false})));
}

/// Returns edges between points at most two steps apart on each axis.
/// @param weight  gives an edge's weight for the number of steps on each of three axes; 0: no edge
Pairs stencil_of(const Shape& shape, const std::function<int(const std::array<int, 3>&)>& weight) {
    Pairs pairs;
    const auto at = [&](std::uint32_t v) {
        return std::array<int, 3>{static_cast<int>(v % shape.sides[0]),
                                  static_cast<int>(v / shape.sides[0] % shape.sides[1]),
                                  static_cast<int>(v / shape.sides[0] / shape.sides[1])};
    };
    const std::uint32_t n = points_of(shape.sides);
    for (std::uint32_t v = 0; v < n; ++v) {
        for (std::uint32_t u = v + 1; u < n; ++u) {
            std::array<int, 3> steps{};
            bool near = true;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const auto side = static_cast<int>(shape.sides[axis]);
                steps[axis] = std::abs(at(v)[axis] - at(u)[axis]);
                if (!shape.periodic.empty() && shape.periodic[axis])
                    steps[axis] = std::min(steps[axis], side - steps[axis]);
                near = near && steps[axis] <= 2;
            }
            if (const int bytes = near ? weight(steps) : 0; bytes > 0) pairs[{v, u}] = bytes;
        }
    }
    return pairs;
}

/// Checks that neighbours of the shape are next to each other in the grid of a renumbered() graph.
void expect_neighbours(const Shape& shape, const Grid& grid) {
    const auto number = shuffled(points_of(shape.sides));
    const auto one_step = [](const std::array<int, 3>& s) {
        return s[0] + s[1] + s[2] == 1 ? 1 : 0;
    };
    for (const auto& edge : stencil_of(shape, one_step))
        ASSERT_TRUE(next_to_each_other(grid, number[edge.first.first], number[edge.first.second]));
}

TEST(Grid, StencilsWithAnyWeights) {
    const Shape shapes[] = {{{6, 5, 4}, {}},
                            {{5, 7, 6}, {true, true, true}},
                            {{9, 5, 1}, {}},
                            {{3, 5, 8}, {false, true, false}}};
    const auto block = [](int a, int b, int c) {  // a rank's block of a * b * c cells
        return [=](const std::array<int, 3>& step) {
            if (std::max({step[0], step[1], step[2]}) > 1) return 0;
            return (step[0] != 0 ? 1 : a) * (step[1] != 0 ? 1 : b) * (step[2] != 0 ? 1 : c);
        };
    };
    const std::vector<std::function<int(const std::array<int, 3>&)>> weights{
        block(1, 1, 1),    block(4, 4, 4),  block(8, 8, 8),
        block(64, 64, 64), block(64, 1, 1), block(2, 16, 128)};
    for (const Shape& shape : shapes) {
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const std::uint32_t n = points_of(shape.sides);
            const Pairs pairs = stencil_of(shape, weights[i]);
            std::vector<std::pair<std::uint32_t, bool>> axes;
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (shape.sides[axis] > 1)
                    axes.emplace_back(shape.sides[axis],
                                      !shape.periodic.empty() && shape.periodic[axis]);
            std::sort(axes.begin(), axes.end());

            const auto grid = found_in(n, pairs);

            ASSERT_TRUE(grid) << testing::PrintToString(axes) << " " << i;
            EXPECT_EQ(axes_of(*grid), axes) << i;
            expect_neighbours(shape, *grid);
        }
    }
}

TEST(Grid, NeighboursTwoPointsAway) {
    // Edges to points two away weigh as much as those to points one away, and then more.
    for (const int farther : {7, 20}) {
        for (const Shape& shape :
             {Shape{{9, 7, 6}, {}}, Shape{{9, 7, 8}, {true, true, false}}, Shape{{20, 1, 1}, {}}}) {
            const auto weight = [&](const std::array<int, 3>& s) {
                const int steps = s[0] + s[1] + s[2];
                const bool straight = std::max({s[0], s[1], s[2]}) == steps;
                return !straight ? 0 : steps == 1 ? 7 : farther;
            };

            const auto grid = found_in(points_of(shape.sides), stencil_of(shape, weight));

            ASSERT_TRUE(grid) << shape.sides[0] << " " << farther;
            expect_neighbours(shape, *grid);
        }
    }
}

TEST(Grid, ALighterFieldThatGoesSeveralPointsFar) {
    for (const std::uint32_t far : {2U, 3U, 4U}) {
        for (const Shape& shape : {Shape{{32, 9}, {}}, Shape{{11, 9}, {true, true}}}) {
            Pairs pairs = edges_of(shape);
            for (std::uint32_t v = 0; v < points_of(shape.sides); ++v) {
                const std::uint32_t x = v % shape.sides[0];
                const std::uint32_t y = v / shape.sides[0];
                if (x + far < shape.sides[0]) pairs[{v, v + far}] = 8;
                if (y + far < shape.sides[1]) pairs[{v, v + far * shape.sides[0]}] = 8;
            }
            std::vector<std::pair<std::uint32_t, bool>> axes;
            for (std::size_t axis = 0; axis < 2; ++axis)
                axes.emplace_back(shape.sides[axis], !shape.periodic.empty());
            std::sort(axes.begin(), axes.end());

            const auto grid = found_in(points_of(shape.sides), pairs);

            ASSERT_TRUE(grid) << far << " " << shape.sides[0];
            EXPECT_EQ(axes_of(*grid), axes);
        }
    }
}

TEST(Grid, EdgesBelowAnEighthOfTheHeaviestAtOneEndAreLeftOut) {
    // The edges beside the heavy one are light at that end alone.
    Pairs path = {{{0, 1}, 2}, {{1, 2}, 16}, {{2, 3}, 2}, {{3, 4}, 2}};
    const auto heavy = [&] {
        Threads threads(1);
        AxisEdges edges;
        EXPECT_TRUE(edges.find(renumbered(5, path), AxisRule::heavy, threads));
        return edges.of(shuffled(5)[1]).size();
    };
    EXPECT_EQ(heavy(), 2);
    path[{1, 2}] = 17;
    EXPECT_EQ(heavy(), 1);
    EXPECT_TRUE(found_in(5, path)) << "no third rank is closer to two of them";
}

TEST(Grid, OtherGraphsAreNone) {
    EXPECT_FALSE(found_in(0, {}));
    EXPECT_FALSE(found_in(1, {}));
    EXPECT_FALSE(found_in(5, {})) << "no edges";
    EXPECT_FALSE(found_in(4, {{{0, 1}, 1}, {{2, 3}, 1}})) << "two paths";
    EXPECT_FALSE(found_in(4, {{{0, 1}, 1}, {{0, 2}, 1}, {{0, 3}, 1}})) << "a star";
    EXPECT_FALSE(found_in(4, {{{0, 1}, 1}, {{1, 2}, 1}, {{0, 2}, 1}, {{2, 3}, 1}})) << "a tail";
    for (const std::uint32_t n : {4U, 5U, 6U, 9U, 10U}) {
        Pairs complete;
        for (std::uint32_t v = 0; v < n; ++v)
            for (std::uint32_t u = 0; u < v; ++u) complete[{u, v}] = 1;
        EXPECT_FALSE(found_in(n, complete)) << "complete, " << n;
    }
    EXPECT_FALSE(found_in(2187, edges_of({{3, 3, 3, 3, 3, 3, 3}, {}}))) << "seven dimensions";
    EXPECT_FALSE(found_in(128, edges_of({{2, 2, 2, 2, 2, 2, 2}, {}}))) << "seven dimensions";
    Random random(3);
    for (int round = 0; round < 50; ++round)
        EXPECT_FALSE(found_in(CsrGraph(tests::random_graph(random, 60, 4)))) << round;
}

/// Returns a graph without some of its vertices. The others are numbered anew, in order.
std::pair<std::uint32_t, Pairs> without(std::uint32_t n, const Pairs& pairs,
                                        const std::function<bool(std::uint32_t)>& gone) {
    std::vector<std::uint32_t> number(n);
    std::uint32_t left = 0;
    for (std::uint32_t v = 0; v < n; ++v) number[v] = gone(v) ? n : left++;
    Pairs rest;
    for (const auto& [ends, weight] : pairs)
        if (number[ends.first] < n && number[ends.second] < n)
            rest[{number[ends.first], number[ends.second]}] = weight;
    return {left, rest};
}

/// Checks that no two vertices are one point, and that axis edges join points next to each other.
void expect_partial(const Pairs& axis_edges, const Grid& grid) {
    EXPECT_FALSE(grid.full);
    const std::set<Grid::Coordinates> points(grid.of_vertex.begin(), grid.of_vertex.end());
    EXPECT_EQ(points.size(), grid.of_vertex.size());
    const auto number = shuffled(static_cast<std::uint32_t>(grid.of_vertex.size()));
    for (const auto& edge : axis_edges)
        ASSERT_TRUE(next_to_each_other(grid, number[edge.first.first], number[edge.first.second]));
}

TEST(Grid, PartsOfGrids) {
    struct Part {
        const char* name;
        Sides sides;
        std::function<bool(std::uint32_t, std::uint32_t, std::uint32_t)> gone;
    };
    const Part parts[] = {
        {"a hole",
         {12, 10, 1},
         [](auto x, auto y, auto) { return x > 3 && x < 8 && y > 3 && y < 7; }},
        {"a corner less", {8, 7, 1}, [](auto x, auto y, auto) { return x == 0 && y == 0; }},
        {"an L", {9, 9, 1}, [](auto x, auto y, auto) { return x > 3 && y > 3; }},
        {"a triangle", {12, 12, 1}, [](auto x, auto y, auto) { return x + y > 11; }},
        {"a hole in space", {8, 7, 6}, [](auto x, auto y, auto z) {
             return x > 2 && x < 6 && y > 1 && y < 5 && z > 1 && z < 4;
         }}};
    const auto cells = [](int side) {
        return [=](const std::array<int, 3>& step) {
            if (std::max({step[0], step[1], step[2]}) > 1) return 0;
            return (step[0] != 0 ? 1 : side) * (step[1] != 0 ? 1 : side) *
                   (step[2] != 0 ? 1 : side);
        };
    };
    const auto faces = [](const std::array<int, 3>& s) { return s[0] + s[1] + s[2] == 1 ? 16 : 0; };
    for (const Part& part : parts) {
        const Shape shape{part.sides, {}};
        const auto gone = [&](std::uint32_t v) {
            return part.gone(v % part.sides[0], v / part.sides[0] % part.sides[1],
                             v / part.sides[0] / part.sides[1]);
        };
        const auto left_of = [&](const std::function<int(const std::array<int, 3>&)>& weight) {
            return without(points_of(part.sides), stencil_of(shape, weight), gone);
        };
        const Pairs axis_edges = left_of(faces).second;
        for (const auto& weight : std::vector<std::function<int(const std::array<int, 3>&)>>{
                 faces, cells(8), cells(64)}) {
            const auto [n, pairs] = left_of(weight);

            const auto grid = found_in(n, pairs);

            ASSERT_TRUE(grid) << part.name;
            expect_partial(axis_edges, *grid);
        }
    }
}

TEST(Grid, WhatIsNearlyOneIsNone) {
    const Pairs grid = edges_of({{8, 7}, {}});
    Pairs across = grid;
    across[{8, 39}] = 16;
    EXPECT_FALSE(found_in(56, across)) << "an edge more";

    // Rings of 9 lie side by side. The last ring is joined to the first, turned by one: a twisted
    // torus.
    Pairs twisted = edges_of({{9, 7}, {true, false}});
    for (std::uint32_t v = 0; v < 9; ++v) twisted[{(v + 1) % 9, 54 + v}] = 16;
    EXPECT_FALSE(found_in(63, twisted));
    Pairs moebius;  // a Moebius ladder
    for (std::uint32_t v = 0; v < 20; ++v) moebius[std::minmax(v, (v + 1) % 20)] = 1;
    for (std::uint32_t v = 0; v < 10; ++v) moebius[{v, v + 10}] = 1;
    EXPECT_FALSE(found_in(20, moebius));
}

}  // namespace
}  // namespace commmap
