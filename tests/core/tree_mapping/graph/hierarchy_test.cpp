// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/graph/hierarchy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/tree_mapping/graphs.hpp"

namespace commmap {
namespace {

using tests::Pairs;
using tests::random_graph;
using Step = Hierarchy::Step;

using Weights = std::map<std::pair<std::uint32_t, std::uint32_t>, float>;

Weights weights_of(const CsrGraph& graph) {
    Weights weights;
    for (std::uint32_t v = 0; v < graph.num_vertices(); ++v)
        for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i)
            weights[{v, graph.neighbours[i]}] += graph.weights[i];
    return weights;
}

/// Checks a coarse graph against the graph that these joined vertices make, edge by edge.
void expect_joined(const CsrGraph& fine, const std::vector<std::uint32_t>& coarse_of,
                   const CsrGraph& coarse) {
    std::vector<std::uint32_t> sizes(coarse.num_vertices(), 0);
    for (std::uint32_t v = 0; v < fine.num_vertices(); ++v) {
        ASSERT_LT(coarse_of[v], sizes.size());
        sizes[coarse_of[v]] += fine.sizes[v];
    }
    Weights joined;
    for (const auto& [ends, weight] : weights_of(fine)) {
        const std::pair to{coarse_of[ends.first], coarse_of[ends.second]};
        if (to.first != to.second) joined[to] += weight;
    }
    EXPECT_EQ(coarse.sizes, sizes);
    EXPECT_EQ(weights_of(coarse), joined);
    EXPECT_EQ(coarse.neighbours.size(), joined.size()) << "an edge stands there twice";
    EXPECT_EQ(coarse.weights.size(), joined.size());
}

void expect_joined(const Hierarchy& hierarchy) {
    for (std::size_t level = 0; level < hierarchy.num_levels(); ++level)
        expect_joined(hierarchy.graph(level), hierarchy.coarse_of(level),
                      hierarchy.graph(level + 1));
}

CsrGraph star(std::uint32_t leaves) {
    Pairs pairs;
    for (std::uint32_t leaf = 1; leaf <= leaves; ++leaf) pairs[{0, leaf}] = 1;
    return CsrGraph(tests::graph_of(leaves + 1, pairs));
}

/// Returns a path of vertices, so that nearly all find a partner.
CsrGraph path(std::uint32_t n) {
    Pairs pairs;
    for (std::uint32_t v = 1; v < n; ++v) pairs[{v - 1, v}] = 1 + v % 3;
    return CsrGraph(tests::graph_of(n, pairs));
}

TEST(Hierarchy, JoinsVerticesAndTheirEdges) {
    Random random(1);
    for (int round = 0; round < 200; ++round) {
        const auto n = static_cast<std::uint32_t>(1 + random.below(300));
        const CsrGraph graph(random_graph(random, n, 20));

        for (const Step step : {Step::two, Step::four})
            expect_joined(Hierarchy(graph, 10, random, step));
    }
}

TEST(Hierarchy, JoinsOnlyEqualLabels) {
    Random random(2);
    const CsrGraph graph = path(200);
    std::vector<std::uint32_t> labels(200);
    for (std::uint32_t v = 0; v < labels.size(); ++v) labels[v] = v / 50;

    const Hierarchy hierarchy(graph, 10, random, Step::two, labels);

    std::vector<std::uint32_t> coarse = labels;
    for (std::size_t level = 0; level < hierarchy.num_levels(); ++level) {
        const auto& coarse_of = hierarchy.coarse_of(level);
        const std::vector<std::uint32_t> fine = coarse;
        coarse = hierarchy.to_coarser(level, std::span<const std::uint32_t>(fine));
        for (std::size_t v = 0; v < fine.size(); ++v) EXPECT_EQ(coarse[coarse_of[v]], fine[v]);
    }
    EXPECT_LT(hierarchy.coarsest().num_vertices(), 30U);
}

TEST(Hierarchy, FewerLevelsByFours) {
    Random random(3);
    const CsrGraph graph = path(4096);

    const Hierarchy twos(graph, 40, random, Step::two);
    const Hierarchy fours(graph, 40, random, Step::four);

    EXPECT_LT(fours.num_levels(), twos.num_levels());
    for (const Hierarchy* hierarchy : {&twos, &fours})
        EXPECT_LE(hierarchy->coarsest().num_vertices(), 40U);
}

TEST(Hierarchy, StarsAndRanksAloneShrinkToo) {
    Random random(4);
    const CsrGraph of_star = star(4000);
    const CsrGraph alone(tests::graph_of(4000, {}));

    for (const CsrGraph* graph : {&of_star, &alone}) {
        const Hierarchy hierarchy(*graph, 40, random, Step::two);
        expect_joined(hierarchy);
        EXPECT_LE(hierarchy.coarsest().num_vertices(), 80U);
        EXPECT_LE(hierarchy.num_levels(), 9U);
    }
}

TEST(Hierarchy, NoVertexGetsTooLarge) {
    Random random(5);
    const CsrGraph graph = star(1000);

    const Hierarchy hierarchy(graph, 100, random, Step::four);

    for (const std::uint32_t size : hierarchy.coarsest().sizes) EXPECT_LE(size, 1001 * 3 / 200);
}

/// The levels of a side are those of the side's own graph, with the same vertices joined.
TEST(Hierarchy, OfASide) {
    Random random(6);
    std::size_t levels = 0;
    for (int round = 0; round < 200; ++round) {
        const auto n = static_cast<std::uint32_t>(2 + random.below(300));
        const CsrGraph graph(random_graph(random, n, 20));
        const Hierarchy whole(graph, 10, random, round % 2 == 0 ? Step::two : Step::four);
        Sides sides(n);
        // Sides are halves of the numbers, or random: few or many vertices are kept only in part.
        for (std::uint32_t v = 0; v < n; ++v)
            sides[v] =
                static_cast<std::uint8_t>(round % 3 == 0 ? random.below(2) : (v < n / 2 ? 0 : 1));
        for (const std::uint8_t side : {std::uint8_t{0}, std::uint8_t{1}}) {
            const CsrGraph kept = graph_of_side(graph, sides, side);

            const Hierarchy part = whole.of_side(kept, sides, side);

            ASSERT_LE(part.num_levels(), whole.num_levels());
            expect_joined(part);
            // Vertices that are joined in the whole graph are joined in the part.
            std::vector<std::uint32_t> in_whole(n);
            std::iota(in_whole.begin(), in_whole.end(), 0U);
            std::vector<std::uint32_t> in_part(kept.num_vertices());
            std::iota(in_part.begin(), in_part.end(), 0U);
            for (std::size_t level = 0; level < part.num_levels(); ++level) {
                for (std::uint32_t& v : in_whole) v = whole.coarse_of(level)[v];
                for (std::uint32_t& v : in_part) v = part.coarse_of(level)[v];
                std::map<std::uint32_t, std::uint32_t> part_of_whole;
                std::uint32_t i = 0;
                for (std::uint32_t v = 0; v < n; ++v) {
                    if (sides[v] != side) continue;
                    EXPECT_EQ(part_of_whole.emplace(in_whole[v], in_part[i]).first->second,
                              in_part[i]);
                    ++i;
                }
                EXPECT_EQ(part_of_whole.size(), part.graph(level + 1).num_vertices());
                ++levels;
            }
        }
    }
    EXPECT_GT(levels, 500U);
}

TEST(Hierarchy, OfASideIsCoarsenedFurtherOrLess) {
    Random random(7);
    const CsrGraph graph = path(1000);
    const Hierarchy whole(graph, 100, random, Step::two);
    Sides sides(1000, 0);
    std::fill(sides.begin() + 500, sides.end(), std::uint8_t{1});
    const CsrGraph half = graph_of_side(graph, sides, 1);
    Hierarchy further = whole.of_side(half, sides, 1);
    Hierarchy less = whole.of_side(half, sides, 1);

    further.coarsen(20, random, Step::two);
    less.coarsen(200, random, Step::two);

    expect_joined(further);
    expect_joined(less);
    EXPECT_LE(further.coarsest().num_vertices(), 20U);
    EXPECT_LE(less.coarsest().num_vertices(), 200U);
    EXPECT_GT(less.graph(less.num_levels() - 1).num_vertices(), 200U);
}

/// The side divides all pairs.
TEST(Hierarchy, LevelsThatShrinkLittleAreNotInherited) {
    Random random(9);
    const CsrGraph graph = path(4096);
    const Hierarchy whole(graph, 64, random, Step::two);
    Sides sides(4096);
    for (std::uint32_t v = 0; v < 4096; ++v) sides[v] = static_cast<std::uint8_t>(v % 2);
    const CsrGraph side = graph_of_side(graph, sides, 0);

    EXPECT_EQ(whole.of_side(side, sides, 0).num_levels(), 0U);
}

}  // namespace
}  // namespace commmap
