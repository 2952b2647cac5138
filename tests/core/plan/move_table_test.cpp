// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/move_table.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "core/topology/allocation.hpp"
#include "core/topology/cluster_yaml.hpp"

namespace commmap {
namespace {

/// Nodes of two PUs each: PuId 2k and 2k + 1 are on node k.
Hct nodes_of_two(unsigned count) {
    const std::string last = std::to_string(count - 1);
    const auto cluster = parse_cluster_yaml(
        "version: 1\n"
        "links: {net: {bandwidth: 100 MB/s}}\n"
        "node_classes:\n"
        "  c: {hwloc: {synthetic: \"core:2 pu:1\"}, link: net}\n"
        "switches: {s: {nodes: \"n[0-" +
            last + "]\", class: c}}\n",
        "test.yaml");
    EXPECT_TRUE(cluster) << cluster.error().message;
    auto hct = build_hct(cluster.value(), whole_cluster(cluster.value()));
    EXPECT_TRUE(hct) << hct.error().message;
    return std::move(hct).value();
}

std::vector<PuId> in_order(std::size_t count) {
    std::vector<PuId> pus(count);
    std::iota(pus.begin(), pus.end(), PuId{0});
    return pus;
}

using Lines = std::vector<std::string>;

TEST(MoveTable, ShowsTheNodesWhoseRanksChange) {
    const Hct hct = nodes_of_two(3);
    const std::vector<PuId> after = {0, 2, 1, 3, 5, 4};

    EXPECT_EQ(move_table(hct, in_order(6), after),
              (Lines{"2 of 6 ranks to another node, 2 to another CPU of the same node",
                     "node  ranks by Slurm  ranks as planned", "n0    0-1             0 2",
                     "n1    2-3             1 3", "1 node with the same ranks"}));
}

TEST(MoveTable, NothingMovesNothingToShow) {
    const Hct hct = nodes_of_two(2);
    EXPECT_EQ(move_table(hct, in_order(4), in_order(4)), (Lines{"0 of 4 ranks to another node"}));
    EXPECT_EQ(move_table(hct, in_order(1), in_order(1)), (Lines{"0 of 1 rank to another node"}));
}

TEST(MoveTable, ANodeWithoutRanks) {
    const Hct hct = nodes_of_two(2);
    EXPECT_EQ(move_table(hct, std::vector<PuId>{0}, std::vector<PuId>{2}),
              (Lines{"1 of 1 rank to another node", "node  ranks by Slurm  ranks as planned",
                     "n0    0               -", "n1    -               0"}));
}

TEST(MoveTable, ALargeJobIsSummedUp) {
    for (const unsigned nodes : {16U, 17U, 500U}) {
        const Hct hct = nodes_of_two(nodes);
        std::vector<PuId> after = in_order(2 * nodes);
        std::rotate(after.begin(), after.begin() + 1, after.end());

        const Lines lines = move_table(hct, in_order(2 * nodes), after);

        EXPECT_LE(lines.size(), 20U);
        EXPECT_EQ(lines.size(), 18U);
        if (nodes == 500) {
            EXPECT_EQ(lines.back(), "... and 485 more nodes with other ranks");
        }
    }
}

TEST(MoveTable, ALongRowIsSummedUp) {
    const auto cluster = parse_cluster_yaml(R"(version: 1
links: {net: {bandwidth: 100 MB/s}}
node_classes:
  big: {hwloc: {synthetic: "core:64 pu:1"}, link: net}
switches: {s: {nodes: "n[0-1]", class: big}}
)",
                                            "test.yaml");
    ASSERT_TRUE(cluster);
    const auto hct = build_hct(cluster.value(), whole_cluster(cluster.value()));
    ASSERT_TRUE(hct);
    std::vector<PuId> cyclic;
    for (PuId pu = 0; pu < 64; ++pu) {
        cyclic.push_back(pu);
        cyclic.push_back(64 + pu);
    }

    const Lines lines = move_table(hct.value(), in_order(128), cyclic);

    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[2],
              "n0    0-63            0 2 4 6 8 10 12 14 16 18 20 22 24 26 ... (64 ranks)");
    for (const std::string& line : lines) EXPECT_LT(line.size(), 120U);
}

}  // namespace
}  // namespace commmap
