// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "commmap/graph_file.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace commmap {
namespace {

std::string error_of(std::string_view text) {
    const auto graph = parse_graph("g", text);
    return graph ? "none" : graph.error().message;
}

TEST(GraphFile, ReadsWeightsCommentsAndEmptyLines) {
    // a path 1 - 2 - 3, with weights of 0 and above 2^32, and a vertex alone
    const auto path = parse_graph("g", "4 2 001\n2 0\n% c\n1 0 3 5000000000\n2 5000000000\n\n%\n");
    ASSERT_TRUE(path) << path.error().message;
    EXPECT_EQ(path.value().first, (std::vector<std::size_t>{0, 1, 3, 4, 4}));
    EXPECT_EQ(path.value().neighbours, (std::vector<std::uint32_t>{1, 0, 2, 1}));
    EXPECT_EQ(path.value().weights, (std::vector<std::uint64_t>{0, 0, 5000000000U, 5000000000U}));
}

TEST(GraphFile, WithoutWeightsEachIsOne) {
    for (const std::string format : {"", " 0", " 000", " 0 1"}) {
        const auto graph = parse_graph("g", "2 1" + format + "\n2\n1");
        ASSERT_TRUE(graph) << graph.error().message;
        EXPECT_EQ(graph.value().weights, (std::vector<std::uint64_t>{1, 1}));
    }
    EXPECT_EQ(parse_graph("g", "0 0\n").value().num_vertices(), 0U);
}

TEST(GraphFile, HeadersThatMakeNoSense) {
    EXPECT_EQ(error_of(""), "g:1: no graph: the first line is 'vertices edges [format]'");
    EXPECT_EQ(error_of("% only\n"), "g:1: no graph: the first line is 'vertices edges [format]'");
    EXPECT_EQ(error_of("%\nfour 2\n"), "g:2: not 'vertices edges [format]': 'four 2'");
    EXPECT_EQ(error_of("2\n"), "g:1: not 'vertices edges [format]': '2'");
    EXPECT_EQ(error_of("2 -1\n"), "g:1: not 'vertices edges [format]': '2 -1'");
    EXPECT_EQ(error_of("2 1 7\n"),
              "g:1: format '7' is none of 0, 1, 001: whether edges have weights");
    EXPECT_EQ(
        error_of("2 1 011\n"),
        "g:1: format '011' has weights or sizes of vertices: a PU takes one rank, leave them out");
    EXPECT_EQ(error_of("2 1 1 2\n"), "g:1: more than 'vertices edges format': '2 1 1 2'");
    EXPECT_EQ(error_of("99999999999 1\n"),
              "g:1: 99999999999 vertices are more than the file has lines for");
    EXPECT_EQ(error_of("2 999999\n2\n1\n"), "g:1: 999999 edges are more than the file can hold");
}

TEST(GraphFile, LinesThatMakeNoSense) {
    EXPECT_EQ(error_of("2 1\n2\n"), "g:2: the file ends after 1 of 2 vertices");
    EXPECT_EQ(error_of("2 1\n2\n1\n1\n"), "g:4: more lines than 2 vertices");
    EXPECT_EQ(error_of("2 1\n3\n1\n"), "g:2: neighbour '3' of vertex 1 is none of 1 to 2");
    EXPECT_EQ(error_of("2 1\n0\n1\n"), "g:2: neighbour '0' of vertex 1 is none of 1 to 2");
    EXPECT_EQ(error_of("2 1\n1\n1\n"), "g:2: vertex 1 is its own neighbour");
    EXPECT_EQ(error_of("2 1\n2 2\n1\n"), "g:2: vertex 1 has neighbour 2 twice");
    EXPECT_EQ(error_of("2 1 1\n2\n1 1\n"),
              "g:2: the last neighbour has no weight: the first line says that edges have them");
    for (const std::string weight : {"-1", "1.5", "nan", "inf", "1e3", "18446744073709551616"}) {
        EXPECT_EQ(error_of("2 1 1\n2 " + weight + "\n1 1\n"),
                  "g:2: weight '" + weight + "' is no whole number from 0 to 2^64 - 1");
    }
    EXPECT_EQ(error_of("2 1 1\n2 9223372036854775808\n1 9223372036854775808\n"),
              "g:3: the weights of all edges add up to 2^63 or more");
    EXPECT_EQ(error_of("%\n3 2\n2\n1\n\n"), "g:2: says 2 edges, there are 1");
}

TEST(GraphFile, EdgesThatOneEndLacks) {
    EXPECT_EQ(error_of("%\n3 1\n2\n%\n\n\n"),
              "g:3: vertex 1 has neighbour 2, whose line does not have it (line 5)");
    EXPECT_EQ(error_of("3 2\n2\n1\n2\n"),
              "g:4: vertex 3 has neighbour 2, whose line does not have it (line 3)");
    EXPECT_EQ(error_of("2 1 1\n2 4\n1 5\n"),
              "g:2: vertex 1 has neighbour 2, whose line does not have it, or with another weight "
              "(line 3)");
    // rows in any order, each as long as it should be
    EXPECT_EQ(error_of("3 3 1\n3 1 2 1\n3 7 1 1\n2 8 1 1\n"),
              "g:3: vertex 2 has neighbour 3, whose line does not have it, or with another weight "
              "(line 4)");
    EXPECT_EQ(error_of("3 2\n2\n3\n1\n"),
              "g:2: vertex 1 has neighbour 2, whose line does not have it (line 3)");
}

TEST(GraphFile, RowsInAnyOrderGiveTheSameGraph) {
    const auto sorted = parse_graph("g", "3 3 1\n2 5 3 6\n1 5 3 7\n1 6 2 7\n");
    const auto mixed = parse_graph("g", "3 3 1\n3 6 2 5\n1 5 3 7\n2 7 1 6\n");
    ASSERT_TRUE(sorted && mixed);
    EXPECT_EQ(mixed.value().first, sorted.value().first);
    EXPECT_EQ(mixed.value().neighbours, sorted.value().neighbours);
    EXPECT_EQ(mixed.value().weights, sorted.value().weights);
}

}  // namespace
}  // namespace commmap
