// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/process_time.hpp"

#include <gtest/gtest.h>

#include "core/estimate/graphs.hpp"

namespace commmap {
namespace {

TEST(ProcessTime, IsTheSlowestProcess) {
    // Links 100 MB/s, PUs 1 GB/s. Rank 0 sends 100 MB across (1 s) and receives 200 MB inside (0.2
    // s).
    const CommGraph graph(3, {{0, 2, 1, 100'000'000}, {1, 0, 1, 200'000'000}});

    const auto time = process_time(graph, two_nodes_of_two(), std::vector<PuId>{0, 1, 2});

    ASSERT_TRUE(time) << time.error().message;
    EXPECT_DOUBLE_EQ(time.value(), 1.2);
}

TEST(ProcessTime, NothingSentTakesNoTime) {
    EXPECT_EQ(process_time(CommGraph(0, {}), two_nodes_of_two(), {}).value(), 0.0);
    const CommGraph graph(2, {{0, 1, 1, 5}});
    EXPECT_EQ(process_time(graph, two_nodes_of_two(), std::vector<PuId>{1, 1}).value(), 0.0);
}

TEST(ProcessTime, RefusesAPlacementThatDoesNotFit) {
    EXPECT_FALSE(process_time(CommGraph(2, {}), two_nodes_of_two(), std::vector<PuId>{0}));
}

/// Computes Eq. (1) directly: for each process, the sum over all others in both directions.
double slow_process_time(const CommGraph& graph, const Hct& hct,
                         const std::vector<PuId>& placement) {
    double slowest = 0.0;
    for (RankId i = 0; i < graph.num_ranks(); ++i) {
        double t = 0.0;
        for (RankId source = 0; source < graph.num_ranks(); ++source) {
            for (const Traffic& traffic : graph.sent_by(source)) {
                if (source != i && traffic.peer != i) continue;
                const SlowPath path = slow_path(hct, placement[source], placement[traffic.peer]);
                std::vector<const Channel*> channels;
                for (const ElementId e : path.up) channels.push_back(&hct.port(e).out);
                for (const ElementId e : path.down) channels.push_back(&hct.port(e).in);
                double b = INFINITY;
                for (const Channel* c : channels) {
                    b = std::min({b, c->bandwidth.at(traffic.mean_length_bytes()),
                                  c->max_bandwidth_bytes_per_s});
                }
                t += static_cast<double>(traffic.bytes) / b;
            }
        }
        slowest = std::max(slowest, t);
    }
    return slowest;
}

TEST(ProcessTime, AgreesWithTheSlowVersionOnRandomCases) {
    std::mt19937 random(12);
    const Hct hct = uneven_tree();
    for (int round = 0; round < 100; ++round) {
        const std::size_t num_ranks = 1 + random() % 8;
        const CommGraph graph = random_graph(num_ranks, 0.6, random);
        const std::vector<PuId> placement = random_placement(num_ranks, hct.num_pus(), random);

        const double expected = slow_process_time(graph, hct, placement);

        EXPECT_NEAR(process_time(graph, hct, placement).value(), expected, 1e-12 * expected);
    }
}

}  // namespace
}  // namespace commmap
