// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/graph/coarsening.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "commmap/ids.hpp"
#include "core/tree_mapping/graphs.hpp"

namespace commmap {
namespace {

using tests::graph_of;
using tests::Pairs;
using Numbers = std::vector<std::uint32_t>;

/// More than any test has ranks.
constexpr std::uint32_t any_size = 1000;

/// The edges of a graph, as graph_of() takes them. Each edge must stand at both ends.
Pairs edges_of(const CsrGraph& graph) {
    Pairs edges;
    Pairs other_ends;
    for (std::uint32_t v = 0; v < graph.num_vertices(); ++v)
        for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            const std::uint32_t u = graph.neighbours[i];
            (v < u ? edges : other_ends)[std::minmax(v, u)] +=
                static_cast<std::uint64_t>(graph.weights[i]);
        }
    EXPECT_EQ(edges, other_ends);
    return edges;
}

/// 0 =9= 1 -1- 2 =9= 3 -1- 4 =9= 5
CsrGraph three_heavy_edges() {
    return CsrGraph(graph_of(6, {{{0, 1}, 9}, {{1, 2}, 1}, {{2, 3}, 9}, {{3, 4}, 1}, {{4, 5}, 9}}));
}

TEST(Coarsening, JoinsTheEndsOfHeavyEdges) {
    Random random(1);

    const Coarsened coarse = coarsen(three_heavy_edges(), any_size, random);

    EXPECT_EQ(coarse.coarse_of, (Numbers{0, 0, 1, 1, 2, 2}));
    EXPECT_EQ(coarse.graph.sizes, (Numbers{2, 2, 2}));
    EXPECT_EQ(edges_of(coarse.graph), (Pairs{{{0, 1}, 1}, {{1, 2}, 1}}));
}

TEST(Coarsening, ParallelEdgesBecomeOneOfTheirSum) {
    Random random(1);
    // 0 =9= 1
    // 1 \ 4 | 2    0 - 2, 0 - 3, 1 - 3
    // 2 =9= 3
    const CsrGraph graph(
        graph_of(4, {{{0, 1}, 9}, {{2, 3}, 9}, {{0, 2}, 1}, {{0, 3}, 4}, {{1, 3}, 2}}));

    const Coarsened coarse = coarsen(graph, any_size, random);

    EXPECT_EQ(edges_of(coarse.graph), (Pairs{{{0, 1}, 7}}));
    EXPECT_EQ(coarse.graph.neighbours.size(), 2U);
}

TEST(Coarsening, NoPairHasMoreRanksThanAllowed) {
    Random random(1);
    CsrGraph graph(graph_of(4, {{{0, 1}, 9}, {{1, 2}, 1}, {{2, 3}, 9}}));
    graph.sizes = {3, 1, 1, 3};

    const Coarsened coarse = coarsen(graph, 3, random);

    EXPECT_EQ(coarse.coarse_of, (Numbers{0, 1, 1, 2}));
    EXPECT_EQ(coarse.graph.sizes, (Numbers{3, 2, 3}));
}

TEST(Coarsening, JoinsOnlyEqualLabels) {
    Random random(1);
    // The heavy edges of this ring are 1 =9= 2 and 3 =9= 0.
    const CsrGraph ring(graph_of(4, {{{0, 1}, 1}, {{1, 2}, 9}, {{2, 3}, 1}, {{0, 3}, 9}}));

    EXPECT_EQ(coarsen(ring, any_size, random).coarse_of, (Numbers{0, 1, 1, 0}));
    EXPECT_EQ(coarsen(ring, any_size, random, Numbers{5, 5, 7, 7}).coarse_of,
              (Numbers{0, 0, 1, 1}));
}

TEST(Coarsening, LeavesOfAStarAreJoinedWithEachOther) {
    Random random(1);
    const CsrGraph star(graph_of(7, tests::star_of(7)));

    Coarsened coarse = coarsen(star, any_size, random);

    // One leaf is with the centre, four are in two pairs, and one is left.
    std::sort(coarse.graph.sizes.begin(), coarse.graph.sizes.end());
    EXPECT_EQ(coarse.graph.sizes, (Numbers{1, 2, 2, 2}));
}

TEST(Coarsening, VerticesWithoutNeighboursAreJoinedToo) {
    Random random(1);

    const Coarsened coarse = coarsen(CsrGraph(graph_of(4, {})), any_size, random);

    EXPECT_EQ(coarse.graph.sizes, (Numbers{2, 2}));
}

TEST(Coarsening, TwiceJoinsFours) {
    Random random(1);
    // A clique of the even vertices and one of the odd ones, and 6 - 7 between them.
    Pairs pairs{{{6, 7}, 1}};
    for (std::uint32_t v = 2; v < 8; ++v)
        for (std::uint32_t u = v % 2; u < v; u += 2) pairs[{u, v}] = 9;

    const Coarsened coarse = coarsen_twice(CsrGraph(graph_of(8, pairs)), 4, random);

    EXPECT_EQ(coarse.coarse_of, (Numbers{0, 1, 0, 1, 0, 1, 0, 1}));
    EXPECT_EQ(edges_of(coarse.graph), (Pairs{{{0, 1}, 1}}));
}

TEST(Coarsening, APartHasWhatIsLeftOfEachPair) {
    Random random(1);
    const Coarsened whole = coarsen(three_heavy_edges(), any_size, random);
    // 0 =9= 1   (2)   3 -1- 4   (5): ranks 2 and 5 are not kept.
    const CsrGraph part(graph_of(4, {{{0, 1}, 9}, {{2, 3}, 1}}));
    Kept kept{0, 1, no_id, 2, 3, no_id};

    const Coarsened coarse = coarsened_part(whole, part, kept);

    EXPECT_EQ(coarse.coarse_of, (Numbers{0, 0, 1, 2}));
    EXPECT_EQ(coarse.graph.sizes, (Numbers{2, 1, 1}));
    EXPECT_EQ(edges_of(coarse.graph), (Pairs{{{1, 2}, 1}}));
    constexpr std::uint32_t in_part = 1U << 31U;
    EXPECT_EQ(kept, (Kept{0, 1 | in_part, 2 | in_part}));
}

}  // namespace
}  // namespace commmap
