// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/grid/grid_placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/tree_mapping/graphs.hpp"

namespace commmap {
namespace {

using tests::graph_of;
using tests::Pairs;
using Bins = std::vector<GroupId>;

/// Point (x, y) is vertex width * y + x, as in tests::grid_of().
Grid plane(std::uint32_t width, std::uint32_t height) {
    Grid grid;
    grid.dimensions = 2;
    grid.sides = {width, height, 1, 1, 1, 1};
    for (std::uint32_t v = 0; v < width * height; ++v)
        grid.of_vertex.push_back({v % width, v / width});
    return grid;
}

MachineTree tree(const std::vector<std::uint32_t>& arities) {
    std::vector<std::uint64_t> distances{1, 10, 100};
    distances.resize(arities.size());
    return std::move(MachineTree::make(arities, distances)).value();
}

std::optional<Tiling> tile(const Pairs& pairs, const MachineTree& machine, const Grid& grid) {
    Threads threads;
    const auto n = static_cast<std::uint32_t>(grid.of_vertex.size());
    return tile_boxes(CsrGraph(graph_of(n, pairs)), machine, grid, threads);
}

TEST(GridPlacement, EachBinTakesTheSquareThatCutsLeast) {
    const auto tiling = tile(tests::grid_of(4, 4), tree({4, 4}), plane(4, 4));

    ASSERT_TRUE(tiling);
    EXPECT_TRUE(tiling->sure);
    EXPECT_EQ(tiling->bin_of_rank, (Bins{0, 0, 2, 2,  //
                                         0, 0, 2, 2,  //
                                         1, 1, 3, 3,  //
                                         1, 1, 3, 3}));
}

TEST(GridPlacement, BoxesAreLongWhereEdgesAreHeavy) {
    const auto tiling = tile(tests::grid_of(4, 4, 1, 100), tree({4, 4}), plane(4, 4));

    ASSERT_TRUE(tiling);
    EXPECT_EQ(tiling->bin_of_rank, (Bins{0, 1, 2, 3,  //
                                         0, 1, 2, 3,  //
                                         0, 1, 2, 3,  //
                                         0, 1, 2, 3}));
}

/// A half across x would cut each ring along x twice, so the halves are one above the other. The
/// ends of a ring's last edge count as neighbours, not as far points.
TEST(GridPlacement, EdgesAroundAPeriodicAxisCount) {
    Pairs pairs = tests::grid_of(8, 8);
    for (std::uint32_t y = 0; y < 8; ++y) pairs[{8 * y, 8 * y + 7}] = 1;
    Grid grid = plane(8, 8);
    grid.periodic[0] = true;
    Bins upper_and_lower(64, 0);
    std::fill(upper_and_lower.begin() + 32, upper_and_lower.end(), 1);

    const auto tiling = tile(pairs, tree({32, 2}), grid);

    ASSERT_TRUE(tiling);
    EXPECT_EQ(tiling->bin_of_rank, upper_and_lower);
    EXPECT_TRUE(tiling->sure);
}

/// Four nodes have two bins of two PUs. Of 24 edges 8 are between the squares of the nodes, 2 in
/// each node are between its bins, and 8 are inside bins.
TEST(GridPlacement, ABoxIsMadeOfTheBoxesOfTheLevelBelow) {
    const Pairs pairs = tests::grid_of(4, 4);
    const MachineTree machine = tree({2, 2, 4});

    const auto tiling = tile(pairs, machine, plane(4, 4));

    ASSERT_TRUE(tiling);
    EXPECT_EQ(tests::slow_figures(graph_of(16, pairs), machine, tiling->bin_of_rank).hop_bytes,
              8 * 100 + 8 * 10 + 8);
}

TEST(GridPlacement, IsNotSureWhereEdgesOfOneDirectionDiffer) {
    Pairs pairs = tests::grid_of(4, 4, 100, 100);
    pairs[{0, 1}] = 102;

    const auto tiling = tile(pairs, tree({4, 4}), plane(4, 4));

    ASSERT_TRUE(tiling);
    EXPECT_FALSE(tiling->sure);
}

TEST(GridPlacement, ThereAreNoBoxesWherePusStayFreeOrPointsAreMissing) {
    Grid with_a_hole = plane(4, 4);
    with_a_hole.full = false;

    EXPECT_FALSE(tile(tests::grid_of(4, 4), tree({4, 5}), plane(4, 4)));
    EXPECT_FALSE(tile(tests::grid_of(4, 4), tree({4, 4}), with_a_hole));
}

/// In a cube of 2 x 2 x 2 the layer x = 0 is cut, with its points in the order of y or of z.
TEST(GridPlacement, HalvesALayerForwardsOrBackwards) {
    Grid cube;
    cube.dimensions = 3;
    cube.sides = {2, 2, 2, 1, 1, 1};
    for (std::uint32_t v = 0; v < 8; ++v) cube.of_vertex.push_back({v % 2, v / 2 % 2, v / 4});
    const auto chosen = [&](std::size_t axis, bool backwards, std::size_t target) {
        std::vector<RankId> points{7, 6, 5, 4, 3, 2, 1, 0};
        halve_along(cube, axis, backwards, points, target);
        points.resize(target);
        std::sort(points.begin(), points.end());
        return points;
    };

    EXPECT_EQ(chosen(0, false, 2), (std::vector<RankId>{0, 4})) << "y = 0";
    EXPECT_EQ(chosen(0, true, 2), (std::vector<RankId>{0, 2})) << "z = 0";
    EXPECT_EQ(chosen(2, false, 4), (std::vector<RankId>{0, 1, 2, 3})) << "all of z = 0";
}

/// Two bins of 4 are filled, and one by half: the side of 5 is halved 4 | 1, then 2 | 2.
TEST(GridPlacement, HalvesTheLongestSideForAnyNumberOfRanks) {
    Threads threads;
    const MachineTree machine = tree({4, 2, 2});

    EXPECT_EQ(halve_boxes(machine, plane(5, 2), threads), (Bins{0, 0, 1, 1, 2,  //
                                                                0, 0, 1, 1, 2}));
    EXPECT_EQ(halve_boxes(machine, plane(2, 5), threads), (Bins{0, 0,  //
                                                                0, 0,  //
                                                                1, 1,  //
                                                                1, 1,  //
                                                                2, 2}));
}

}  // namespace
}  // namespace commmap
