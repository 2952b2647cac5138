// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/partition/two_way_refinement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/tree_mapping/graph/hierarchy.hpp"
#include "core/tree_mapping/graphs.hpp"

namespace commmap {
namespace {

using tests::cut_of;
using tests::random_graph;

std::uint64_t ranks_on_side_0(const CsrGraph& graph, const Sides& sides) {
    std::uint64_t ranks = 0;
    for (std::uint32_t v = 0; v < graph.num_vertices(); ++v)
        if (sides[v] == 0) ranks += graph.sizes[v];
    return ranks;
}

Sides random_sides(Random& random, std::uint32_t n) {
    Sides sides(n);
    for (std::uint8_t& side : sides) side = static_cast<std::uint8_t>(random.below(2));
    return sides;
}

TEST(TwoWayRefinement, MeetsTheTargetKnowsTheCutAndTheBorder) {
    Random random(1);
    TwoWayRefinement refinement;
    for (int round = 0; round < 300; ++round) {
        const auto n = static_cast<std::uint32_t>(2 + random.below(300));
        const CsrGraph graph(random_graph(random, n, 20));
        Bipartition split;
        split.sides = random_sides(random, n);
        const std::uint64_t target = 1 + random.below(n - 1);

        refinement.refine(graph, {target, 0}, {8, 25}, split);

        EXPECT_EQ(ranks_on_side_0(graph, split.sides), target);
        EXPECT_EQ(split.cut, cut_of(graph, split.sides));
        ASSERT_EQ(split.border.size(), n);
        for (std::uint32_t v = 0; v < n; ++v) {
            if (split.border[v] != 0) continue;
            for (const std::uint32_t u : graph.neighbours_of(v))
                EXPECT_EQ(split.sides[u], split.sides[v]);
        }
    }
}

TEST(TwoWayRefinement, NeverCutsMoreWhereTheSizesAreRight) {
    Random random(2);
    TwoWayRefinement refinement;
    double before = 0.0;
    double after = 0.0;
    for (int round = 0; round < 200; ++round) {
        const auto n = static_cast<std::uint32_t>(2 + random.below(200));
        const CsrGraph graph(random_graph(random, n, 20));
        Bipartition split;
        split.sides = random_sides(random, n);
        const std::uint64_t target = ranks_on_side_0(graph, split.sides);
        const double cut = cut_of(graph, split.sides);

        refinement.refine(graph, {target, 0}, {8, 25}, split);

        EXPECT_LE(split.cut, cut);
        before += cut;
        after += split.cut;
    }
    EXPECT_LT(after, 0.6 * before);
}

/// The border of a coarser graph tells which vertices need no look. The result is the same without
/// it.
TEST(TwoWayRefinement, FindsTheSameWithTheBorderOfTheCoarserGraph) {
    Random random(3);
    TwoWayRefinement refinement;
    for (int round = 0; round < 100; ++round) {
        const auto n = static_cast<std::uint32_t>(40 + random.below(300));
        const CsrGraph graph(random_graph(random, n, 20));
        Hierarchy hierarchy(graph);
        hierarchy.coarsen(n / 2, random, Hierarchy::Step::two);
        if (hierarchy.num_levels() == 0) continue;
        Bipartition coarse;
        coarse.sides = random_sides(random, hierarchy.graph(1).num_vertices());
        const std::uint32_t largest =
            *std::max_element(hierarchy.graph(1).sizes.begin(), hierarchy.graph(1).sizes.end());
        refinement.refine(hierarchy.graph(1), {n / 2, largest}, {8, 25}, coarse);
        Bipartition with;
        with.sides = hierarchy.to_finer(0, std::span<const std::uint8_t>(coarse.sides));
        Bipartition without = with;
        with.border = hierarchy.to_finer(0, std::span<const std::uint8_t>(coarse.border));

        refinement.refine(graph, {n / 2, 0}, {8, 25}, with);
        refinement.refine(graph, {n / 2, 0}, {8, 25}, without);

        EXPECT_EQ(with.sides, without.sides);
        EXPECT_EQ(with.cut, without.cut);
        EXPECT_EQ(with.cut, cut_of(graph, with.sides));
    }
}

/// Only two vertices of a path are at the border.
TEST(TwoWayRefinement, TheBorderIsSmallWhereTheCutIs) {
    tests::Pairs pairs;
    for (std::uint32_t v = 1; v < 1000; ++v) pairs[{v - 1, v}] = 1;
    const CsrGraph graph(tests::graph_of(1000, pairs));
    TwoWayRefinement refinement;
    Bipartition split;
    split.sides.assign(1000, 1);
    std::fill(split.sides.begin(), split.sides.begin() + 500, std::uint8_t{0});

    refinement.refine(graph, {500, 0}, {8, 25}, split);

    EXPECT_EQ(split.cut, 1.0);
    EXPECT_EQ(std::count(split.border.begin(), split.border.end(), 1), 2);
}

/// No vertex of the larger side can move. The vertices of the other side must not be tried one by
/// one.
TEST(TwoWayRefinement, EndsWhereSizesCannotBeRight) {
    tests::Pairs pairs;
    for (std::uint32_t v = 1; v < 50000; ++v) pairs[{0, v}] = 1;
    CsrGraph graph(tests::graph_of(50000, pairs));
    graph.sizes[0] = 100000;
    TwoWayRefinement refinement;
    Bipartition split;
    split.sides.assign(50000, 1);
    split.sides[0] = 0;

    refinement.refine(graph, {60000, 0}, {8, 25}, split);

    EXPECT_EQ(split.cut, cut_of(graph, split.sides));
}

/// Only vertices without neighbours make the sizes right, and more of them than a pass begins with.
TEST(TwoWayRefinement, MovesRanksAlone) {
    TwoWayRefinement refinement;
    tests::Pairs pairs;
    for (std::uint32_t v = 1; v < 20; ++v) pairs[{v - 1, v}] = 100;
    const CsrGraph graph(tests::graph_of(1000, pairs));
    Bipartition split;
    split.sides.assign(1000, 1);

    refinement.refine(graph, {500, 0}, {8, 25}, split);

    EXPECT_EQ(ranks_on_side_0(graph, split.sides), 500U);
    EXPECT_EQ(split.cut, 0.0);
}

}  // namespace
}  // namespace commmap
