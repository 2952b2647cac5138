// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/graph/csr_graph.hpp"

#include <gtest/gtest.h>

#include "core/tree_mapping/graphs.hpp"

namespace commmap {
namespace {

using tests::graph_of;
using tests::Pairs;

/// Returns a ring of n vertices, with a hub that has edges to the first `spokes` of them.
CsrGraph wheel(std::uint32_t n, std::uint32_t spokes) {
    Pairs pairs;
    for (std::uint32_t v = 0; v < n; ++v) pairs[std::minmax(v, (v + 1) % n)] = 1;
    for (std::uint32_t v = 0; v < spokes; ++v) pairs[{v, n}] = 1;
    return CsrGraph(graph_of(n + 1, pairs));
}

TEST(CsrGraph, IsHardWhereNeighboursHaveThreeTimesAsManyNeighbours) {
    // With s spokes, s of the 101 vertices have three neighbours, 100 - s have two, and one has s.
    // A vertex has on average (200 + 2 s) / 101 neighbours: 2.81 with 42 spokes, 2.85 with 44. A
    // neighbour has (9 s + 4 (100 - s) + s^2) / (200 + 2 s): 8.36 and 8.88.
    EXPECT_FALSE(is_hard(wheel(100, 42)));
    EXPECT_TRUE(is_hard(wheel(100, 44)));
}

TEST(CsrGraph, VerticesWithoutNeighboursSayNothing) {
    Pairs line;
    for (std::uint32_t v = 0; v + 1 < 50; ++v) line[{v, v + 1}] = 1;
    EXPECT_FALSE(is_hard(CsrGraph(graph_of(1000, line))));
}

TEST(CsrGraph, NothingIsNotHard) {
    EXPECT_FALSE(is_hard(CsrGraph()));
    EXPECT_FALSE(is_hard(CsrGraph(graph_of(5, {})))) << "no edges";
}

}  // namespace
}  // namespace commmap
