// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/hop_bytes.hpp"

#include <gtest/gtest.h>

#include "core/estimate/graphs.hpp"

namespace commmap {
namespace {

TEST(HopBytes, CountsEachPairOnce) {
    // Two nodes of two PUs: two links inside a node, four across.
    const CommGraph graph(3, {{0, 1, 1, 7}, {1, 0, 1, 3}, {1, 2, 1, 4}});

    const auto j = hop_bytes(graph, two_nodes_of_two(), std::vector<PuId>{0, 1, 2});

    ASSERT_TRUE(j) << j.error().message;
    EXPECT_EQ(j.value(), (7 + 3) * 2 + 4 * 4);
}

TEST(HopBytes, RefusesAPlacementThatDoesNotFit) {
    EXPECT_FALSE(hop_bytes(CommGraph(2, {}), two_nodes_of_two(), std::vector<PuId>{0, 9}));
}

TEST(HopBytes, AgreesWithTheSlowVersionOnRandomCases) {
    std::mt19937 random(13);
    const Hct hct = uneven_tree();
    for (int round = 0; round < 100; ++round) {
        const std::size_t num_ranks = 1 + random() % 8;
        const CommGraph graph = random_graph(num_ranks, 0.6, random);
        const std::vector<PuId> placement = random_placement(num_ranks, hct.num_pus(), random);
        double expected = 0.0;
        for (RankId u = 0; u < num_ranks; ++u) {
            for (RankId v = u + 1; v < num_ranks; ++v) {
                double bytes = 0.0;
                for (const Traffic& t : graph.sent_by(u)) {
                    if (t.peer == v) bytes += static_cast<double>(t.bytes);
                }
                for (const Traffic& t : graph.sent_by(v)) {
                    if (t.peer == u) bytes += static_cast<double>(t.bytes);
                }
                const SlowPath path = slow_path(hct, placement[u], placement[v]);
                expected += bytes * static_cast<double>(path.up.size() + path.down.size());
            }
        }

        EXPECT_EQ(hop_bytes(graph, hct, placement).value(), expected);
    }
}

}  // namespace
}  // namespace commmap
