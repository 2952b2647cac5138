// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "commmap/weighted_graph.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

namespace commmap {
namespace {

std::pair<Errc, std::string> error_of(std::size_t num_ranks, std::vector<WeightedEdge> edges) {
    const auto graph = graph_of_edges(num_ranks, edges);
    return graph ? std::pair{Errc::internal, std::string("no error")}
                 : std::pair{graph.error().code, graph.error().message};
}

TEST(GraphOfEdges, StandAtBothEndsInSortedRows) {
    const std::vector<WeightedEdge> edges{{3, 0, 7}, {0, 2, 5}, {1, 3, 4}, {1, 0, 9}};

    const auto graph = graph_of_edges(5, edges);

    ASSERT_TRUE(graph) << graph.error().message;
    EXPECT_EQ(graph.value().first, (std::vector<std::size_t>{0, 3, 5, 6, 8, 8}));
    EXPECT_EQ(graph.value().neighbours, (std::vector<std::uint32_t>{1, 2, 3, 0, 3, 0, 0, 1}));
    EXPECT_EQ(graph.value().weights, (std::vector<std::uint64_t>{9, 5, 7, 9, 4, 5, 7, 4}));
}

TEST(GraphOfEdges, ThoseOfTheSameTwoRanksAddUp) {
    const std::vector<WeightedEdge> edges{{0, 1, 1}, {1, 2, 0}, {1, 0, 10}, {2, 0, 3}, {0, 1, 100}};

    const auto graph = graph_of_edges(3, edges);

    ASSERT_TRUE(graph) << graph.error().message;
    EXPECT_EQ(graph.value().first, (std::vector<std::size_t>{0, 2, 4, 6}));
    EXPECT_EQ(graph.value().neighbours, (std::vector<std::uint32_t>{1, 2, 0, 2, 0, 1}));
    EXPECT_EQ(graph.value().weights, (std::vector<std::uint64_t>{111, 3, 111, 0, 3, 0}));
}

TEST(GraphOfEdges, WhatARankSendsItselfIsLeftOut) {
    const std::vector<WeightedEdge> edges{{1, 1, 0x1p63}, {0, 1, 2}, {0, 0, 8}};

    const auto graph = graph_of_edges(2, edges);

    ASSERT_TRUE(graph) << graph.error().message;
    EXPECT_EQ(graph.value().neighbours, (std::vector<std::uint32_t>{1, 0}));
    EXPECT_EQ(graph.value().weights, (std::vector<std::uint64_t>{2, 2}));
}

TEST(GraphOfEdges, NoRanksAndNoEdges) {
    const auto nothing = graph_of_edges(0, {});
    ASSERT_TRUE(nothing);
    EXPECT_EQ(nothing.value().first, (std::vector<std::size_t>{0}));

    const auto lonely = graph_of_edges(3, {});
    ASSERT_TRUE(lonely);
    EXPECT_EQ(lonely.value().first, (std::vector<std::size_t>{0, 0, 0, 0}));
    EXPECT_TRUE(lonely.value().neighbours.empty());
}

TEST(GraphOfEdges, RanksOutOfRange) {
    const auto no_rank = [](const std::string& what) {
        return std::pair{Errc::out_of_range, what};
    };
    EXPECT_EQ(error_of(4, {{0, 1, 1}, {4, 1, 1}}),
              no_rank("edge 1: rank 4 is not below the number of ranks, 4"));
    EXPECT_EQ(error_of(4, {{0, no_id, 1}}),
              no_rank("edge 0: rank 4294967295 is not below the number of ranks, 4"));
    EXPECT_EQ(error_of(0, {{0, 0, 1}}),
              no_rank("edge 0: rank 0 is not below the number of ranks, 0"));
    EXPECT_EQ(error_of(no_id, {}), no_rank("4294967295 ranks are too many: at most 2^32 - 2"));
}

TEST(GraphOfEdges, WeightsThatAreNoWholeNumbers) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::pair<double, std::string> cases[] = {
        {-1.0, "-1"},      {-1e-300, "-1e-300"}, {0.5, "0.5"},
        {infinity, "inf"}, {-infinity, "-inf"},  {std::numeric_limits<double>::quiet_NaN(), "nan"}};
    for (const auto& [weight, text] : cases) {
        const std::pair wrong{Errc::invalid_input,
                              "edge 2: weight " + text + " is no whole number from 0 on"};
        EXPECT_EQ(error_of(2, {{0, 1, 1}, {0, 1, 1}, {0, 1, weight}, {0, 9, 1}}), wrong);
        EXPECT_EQ(error_of(2, {{0, 1, 1}, {0, 1, 1}, {1, 1, weight}}), wrong) << "to itself";
    }
    EXPECT_TRUE(graph_of_edges(2, std::vector<WeightedEdge>{{0, 1, -0.0}}));
}

TEST(GraphOfEdges, WeightsThatAddUpToTooMuch) {
    const auto too_much = [](int edge) {
        return std::pair{
            Errc::out_of_range,
            "edge " + std::to_string(edge) + ": the weights of all edges add up to 2^63 or more"};
    };
    EXPECT_EQ(error_of(3, {{0, 1, 1}, {0, 1, 0x1p63}}), too_much(1));
    EXPECT_EQ(error_of(3, {{0, 1, 1e300}}), too_much(0));
    EXPECT_EQ(error_of(3, {{0, 1, 0x1p62}, {2, 2, 0x1p62}, {1, 2, 0x1p62}, {0, 1, 1}}),
              too_much(2));

    const std::vector<WeightedEdge> edges{{0, 1, 0x1p62}, {1, 0, 0x1p62 - 0x1p10}};
    const auto most = graph_of_edges(2, edges);
    ASSERT_TRUE(most) << most.error().message;
    EXPECT_EQ(most.value().weights[0], (std::uint64_t{1} << 63U) - 1024);
}

TEST(Transposed, TurnsEdgesRound) {
    const WeightedGraph graph{{0, 2, 2, 3}, {2, 1, 0}, {5, 6, 7}};

    const WeightedGraph turned = transposed(graph);

    EXPECT_EQ(turned.first, (std::vector<std::size_t>{0, 1, 2, 3}));
    EXPECT_EQ(turned.neighbours, (std::vector<std::uint32_t>{2, 0, 0}));
    EXPECT_EQ(turned.weights, (std::vector<std::uint64_t>{7, 6, 5}));
}

}  // namespace
}  // namespace commmap
