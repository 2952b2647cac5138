// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/partition/bisection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "core/tree_mapping/graphs.hpp"

namespace commmap {
namespace {

using tests::cut_of;
using tests::graph_of;
using tests::Pairs;

Sides split(const CsrGraph& graph, std::uint64_t target, const BisectionEffort& effort = {},
            unsigned num_threads = 1) {
    Hierarchy hierarchy(graph);
    Threads threads(num_threads);
    Bisection bisection;
    return bisection.split(hierarchy, target, effort, 1, threads);
}

std::uint64_t ranks_on_side_0(const CsrGraph& graph, const Sides& sides) {
    std::uint64_t ranks = 0;
    for (std::uint32_t v = 0; v < graph.num_vertices(); ++v)
        if (sides[v] == 0) ranks += graph.sizes[v];
    return ranks;
}

/// 0 - 1 - 2 - 3 - 4 - 5 - 6 - 7
TEST(Bisection, CutsOneEdgeOfAPathWhateverTheTarget) {
    const CsrGraph path(graph_of(8, tests::path_of(8)));
    for (std::uint64_t target = 0; target <= 8; ++target) {
        const Sides sides = split(path, target);

        EXPECT_EQ(ranks_on_side_0(path, sides), target);
        EXPECT_EQ(cut_of(path, sides), target == 0 || target == 8 ? 0.0 : 1.0) << target;
    }
}

TEST(Bisection, SeparatesTwoCliquesAtTheEdgeBetweenThem) {
    const CsrGraph cliques(graph_of(10, tests::two_cliques_of(5)));

    const Sides sides = split(cliques, 5);

    EXPECT_EQ(cut_of(cliques, sides), 1.0);
    EXPECT_EQ(ranks_on_side_0(cliques, sides), 5U);
}

/// A row of four, a corner of 2 x 2, and half of the grid all have four edges to the rest.
TEST(Bisection, CutsFourEdgesOfASquareGrid) {
    const CsrGraph grid(graph_of(16, tests::grid_of(4, 4)));
    for (const std::uint64_t target : {4U, 8U}) {
        const Sides sides = split(grid, target);

        EXPECT_EQ(cut_of(grid, sides), 4.0) << target;
        EXPECT_EQ(ranks_on_side_0(grid, sides), target);
    }
}

/// 0 -2- 1 =20= 2 =20= 3 -3- 4 =20= 5 =20= 6 =20= 7: three vertices at either end would cut an edge
/// of 20.
TEST(Bisection, PrefersTwoLightEdgesToAHeavyOne) {
    const CsrGraph path(graph_of(8, {{{0, 1}, 2},
                                     {{1, 2}, 20},
                                     {{2, 3}, 20},
                                     {{3, 4}, 3},
                                     {{4, 5}, 20},
                                     {{5, 6}, 20},
                                     {{6, 7}, 20}}));

    EXPECT_EQ(split(path, 3), (Sides{1, 0, 0, 0, 1, 1, 1, 1}));
}

/// On side 1, which has 21 vertices, the centre keeps 20 of its 40 edges. On side 0 it would keep
/// 19.
TEST(Bisection, AHubGoesWhereItKeepsMostLeaves) {
    const CsrGraph star(graph_of(41, tests::star_of(41)));
    ASSERT_TRUE(has_hubs(star));

    const Sides sides = split(star, 20);

    EXPECT_EQ(sides[0], 1);
    EXPECT_EQ(cut_of(star, sides), 20.0);
    EXPECT_EQ(ranks_on_side_0(star, sides), 20U);
}

/// Nothing is to be cut: the first vertices are side 0.
TEST(Bisection, KeepsTheOrderWhereThereAreNoEdges) {
    EXPECT_EQ(split(CsrGraph(graph_of(5, {})), 2), (Sides{0, 0, 1, 1, 1}));
}

/// Each vertex of the path has two ranks, so a side of seven is impossible: six or eight are
/// nearest.
TEST(Bisection, MissesTheTargetByNoMoreThanTheLargestVertex) {
    CsrGraph path(graph_of(8, tests::path_of(8)));
    std::fill(path.sizes.begin(), path.sizes.end(), 2U);

    const Sides sides = split(path, 7);

    EXPECT_EQ(cut_of(path, sides), 1.0);
    EXPECT_GE(ranks_on_side_0(path, sides), 5U);
    EXPECT_LE(ranks_on_side_0(path, sides), 9U);
}

/// A ring of 600 has many halves with a cut of 2. It is coarsened three times anew, and two of the
/// splits are combined.
TEST(Bisection, FindsTheSameWithAnyNumberOfThreads) {
    Pairs pairs = tests::path_of(600);
    pairs[{0, 599}] = 1;
    const CsrGraph ring(graph_of(600, pairs));
    BisectionEffort effort;
    effort.shared = 150;
    effort.hierarchies = 3;
    effort.combinations = 2;

    const Sides sides = split(ring, 300, effort);

    EXPECT_EQ(cut_of(ring, sides), 2.0);
    EXPECT_EQ(ranks_on_side_0(ring, sides), 300U);
    EXPECT_EQ(split(ring, 300, effort, 3), sides);
}

}  // namespace
}  // namespace commmap
