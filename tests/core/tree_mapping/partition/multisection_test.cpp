// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/partition/multisection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/tree_mapping/graphs.hpp"

namespace commmap {
namespace {

using tests::graph_of;
using tests::Pairs;
using tests::slow_figures;
using Bins = std::vector<GroupId>;

MachineTree tree(const std::vector<std::uint32_t>& arities,
                 std::vector<std::uint64_t> distances = {1, 10, 100}) {
    distances.resize(arities.size());
    return std::move(MachineTree::make(arities, distances)).value();
}

Multisection divide(const WeightedGraph& graph, const MachineTree& machine,
                    const MultisectionEffort& effort = {}, const Deadline& deadline = {},
                    const Grid* grid = nullptr) {
    Threads threads;
    return multisect(CsrGraph(graph), machine, effort, 1, threads, deadline, grid);
}

/// 0 - 4 | 1 - 5 || 2 - 6 | 3 - 7: one edge between nodes, two between bins, four inside.
TEST(Multisection, CutsAPathOnceOnEachLevel) {
    Pairs pairs;
    for (std::uint32_t v = 0; v < 4; ++v) pairs[{v, v + 4}] = 1;
    for (std::uint32_t v = 1; v < 4; ++v) pairs[{v, v + 3}] = 1;
    const WeightedGraph path = graph_of(8, pairs);
    const MachineTree machine = tree({2, 2, 2});

    const Multisection found = divide(path, machine);

    EXPECT_EQ(slow_figures(path, machine, found.bin_of_rank).hop_bytes, 100 + 2 * 10 + 4 * 1);
    EXPECT_FALSE(found.cut_short);
}

/// The clique 2 .. 5 and the pair 0 - 1 on bins of 4, 4 and 4: two bins are used.
TEST(Multisection, FillsAsFewGroupsAsHoldTheRanks) {
    Pairs pairs{{{0, 1}, 1}};
    for (std::uint32_t v = 2; v < 6; ++v)
        for (std::uint32_t u = 2; u < v; ++u) pairs[{u, v}] = 1;

    const Multisection found = divide(graph_of(6, pairs), tree({4, 3}));

    EXPECT_EQ(found.bin_of_rank, (Bins{1, 1, 0, 0, 0, 0}));
}

TEST(Multisection, ADeadlineThatHasPassedLeavesRanksInOrder) {
    // With more time 0 - 4, 1 - 5, 2 - 6 and 3 - 7 would each share a bin.
    Pairs pairs;
    for (std::uint32_t v = 0; v < 4; ++v) pairs[{v, v + 4}] = 1;
    const WeightedGraph graph = graph_of(8, pairs);

    const Multisection found = divide(graph, tree({2, 2, 2}), {}, Deadline::after(0.0));

    EXPECT_EQ(found.bin_of_rank, (Bins{0, 0, 1, 1, 2, 2, 3, 3}));
    EXPECT_TRUE(found.cut_short);
    EXPECT_NE(divide(graph, tree({2, 2, 2})).bin_of_rank, found.bin_of_rank);
}

/// Edges along y weigh ten times those along x: halves are beside each other, though the points
/// in order are one above the other.
TEST(Multisection, CutsAGridAcrossItsLightEdges) {
    Grid grid;
    grid.dimensions = 2;
    grid.sides = {4, 4, 1, 1, 1, 1};
    for (std::uint32_t v = 0; v < 16; ++v) grid.of_vertex.push_back({v % 4, v / 4});

    const Multisection found =
        divide(graph_of(16, tests::grid_of(4, 4, 1, 10)), tree({8, 2}), {}, {}, &grid);

    EXPECT_EQ(found.bin_of_rank, (Bins{0, 0, 1, 1,  //
                                       0, 0, 1, 1,  //
                                       0, 0, 1, 1,  //
                                       0, 0, 1, 1}));
}

/// Ranks 0 and 1 send 3 to each other, and 2 to each of the others. These are the pairs 2 =2= 3
/// and 4 =2= 5. Three bins of two ranks:
///     {0 1} {2 3} {4 5}: the cut is 16, and the loads are 16, 8 and 8
///     {0 2} {1 3} {4 5}: the cut is 17, and the loads are 13, 13 and 8
TEST(Multisection, EvensOutLoadsWhereItIsAskedTo) {
    Pairs pairs{{{0, 1}, 3}, {{2, 3}, 2}, {{4, 5}, 2}};
    for (const std::uint32_t busy : {0U, 1U})
        for (std::uint32_t v = 2; v < 6; ++v) pairs[{busy, v}] = 2;
    const WeightedGraph graph = graph_of(6, pairs);
    const MachineTree machine = tree({2, 3}, {0, 2});  // port cost and hop-bytes / 2 are weights
    MultisectionEffort even;
    even.annealed.top.even_out = even.other.top.even_out = 2;

    const auto least_cut = slow_figures(graph, machine, divide(graph, machine).bin_of_rank);
    const auto evened = slow_figures(graph, machine, divide(graph, machine, even).bin_of_rank);

    EXPECT_EQ(least_cut.hop_bytes / 2, 16);
    EXPECT_EQ(least_cut.port_cost, 16);
    EXPECT_EQ(evened.port_cost, 13);
}

/// There are enough ranks for halves to have threads of their own.
TEST(Multisection, FillsEveryBinTheSameWithAnyNumberOfThreads) {
    const CsrGraph grid(graph_of(1024, tests::grid_of(32, 32)));
    const MachineTree machine = tree({16, 8, 8});
    Threads one;
    Threads three(3);

    const auto alone = multisect(grid, machine, {}, 7, one);

    EXPECT_EQ(multisect(grid, machine, {}, 7, three).bin_of_rank, alone.bin_of_rank);
    for (GroupId bin = 0; bin < 64; ++bin)
        EXPECT_EQ(std::count(alone.bin_of_rank.begin(), alone.bin_of_rank.end(), bin), 16) << bin;
}

}  // namespace
}  // namespace commmap
