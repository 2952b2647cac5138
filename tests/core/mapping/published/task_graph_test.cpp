// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/published/task_graph.hpp"

#include <gtest/gtest.h>

namespace commmap {
namespace {

TEST(HeavyEdgeMatching, JoinsAVertexWithItsHeaviestFreeNeighbour) {
    // A path 0 -5- 1 -9- 2 -7- 3. Vertex 0 comes first and takes 1; 2 then has 3 left.
    const TaskGraph path{{{0, 1, 3, 5, 6}, {1, 0, 2, 1, 3, 2}, {5, 5, 9, 9, 7, 7}}, {1, 1, 1, 1}};

    const auto in_order = heavy_edge_matching(path, std::vector<std::uint32_t>{0, 1, 2, 3}, 2);
    const auto from_1 = heavy_edge_matching(path, std::vector<std::uint32_t>{1, 0, 2, 3}, 2);

    EXPECT_EQ(in_order.coarse_of, (std::vector<std::uint32_t>{0, 0, 1, 1}));
    EXPECT_EQ(in_order.graph.processes, (std::vector<std::uint32_t>{2, 2}));
    EXPECT_EQ(in_order.graph.edges.neighbours, (std::vector<std::uint32_t>{1, 0}));
    EXPECT_EQ(in_order.graph.edges.weights, (std::vector<std::uint64_t>{9, 9}));
    EXPECT_EQ(from_1.coarse_of, (std::vector<std::uint32_t>{1, 0, 0, 2}));
}

TEST(HeavyEdgeMatching, AddsUpTheEdgesOfWhatIsJoined) {
    // A square 0-1-2-3-0 with weights 8, 1, 8, 2: the pairs 0-1 and 2-3 are joined by 1 + 2.
    const TaskGraph square{{{0, 2, 4, 6, 8}, {1, 3, 0, 2, 1, 3, 0, 2}, {8, 2, 8, 1, 1, 8, 2, 8}},
                           {1, 1, 1, 1}};

    const auto coarse = heavy_edge_matching(square, std::vector<std::uint32_t>{3, 1, 0, 2}, 2);

    EXPECT_EQ(coarse.coarse_of, (std::vector<std::uint32_t>{1, 1, 0, 0}));
    EXPECT_EQ(coarse.graph.edges.weights, (std::vector<std::uint64_t>{3, 3}));
}

TEST(HeavyEdgeMatching, LeavesAloneWhatWouldBeTooLarge) {
    const TaskGraph pair{{{0, 1, 2}, {1, 0}, {5, 5}}, {2, 3}};

    EXPECT_EQ(heavy_edge_matching(pair, std::vector<std::uint32_t>{0, 1}, 4).graph.processes,
              (std::vector<std::uint32_t>{2, 3}));
    EXPECT_EQ(heavy_edge_matching(pair, std::vector<std::uint32_t>{0, 1}, 5).graph.processes,
              (std::vector<std::uint32_t>{5}));
}

}  // namespace
}  // namespace commmap
