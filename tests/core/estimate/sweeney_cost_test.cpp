// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/sweeney_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "core/estimate/graphs.hpp"
#include "core/estimate/port_cost.hpp"

namespace commmap {
namespace {

double cost(const CommGraph& graph, const Hct& hct, const std::vector<PuId>& placement) {
    const auto result = sweeney_cost(graph, hct, placement);
    EXPECT_TRUE(result) << result.error().message;
    return result.value();
}

TEST(SweeneyCost, ChargesTheFirstTaskTwice) {
    // 100 MB over a link of 100 MB/s. p.bytes = 100 MB, so bytesAvailable = 0 - 100 MB, and the
    // cost grows by (100 + 100) / 100 of a second.
    const CommGraph graph(2, {{0, 1, 1, 100'000'000}});

    EXPECT_DOUBLE_EQ(cost(graph, two_nodes_of_two(), {0, 2}), 2.0);
}

TEST(SweeneyCost, BytesAreThoseOfOneMessageOfAnEntry) {
    // Rank 0 sends ten messages of 10 MB: taskCost is 1 s, taskBytes 10 MB, and the cost 2 s. Rank
    // 1 sends 100 MB, so bytes are 110 MB. Of the 200 MB that fit into 2 s, 90 MB are left, and 10
    // of its 100 MB cost 0.1 s.
    const CommGraph graph(4, {{0, 2, 10, 100'000'000}, {1, 3, 1, 100'000'000}});

    EXPECT_DOUBLE_EQ(cost(graph, two_nodes_of_two(), {0, 1, 2, 3}), 2.1);
}

TEST(SweeneyCost, ATaskHidesBehindAnotherThatIsShorter) {
    // Rank 1's thousand messages of 1000 bytes get 0.1 MB/s, and take 10 s. The figure counts only
    // 1000 bytes, which fit beside rank 0's. So the link costs no more; port_cost() has the 10 s.
    Port link = sample_port(100e6);
    link.out.bandwidth = link.in.bandwidth = BandwidthCurve({{1000, 0.1e6}, {1'000'000, 100e6}});
    const Port pu = sample_port(1e12);
    const Hct hct = sample_hct({Level::switch_,
                                {},
                                {sample_node("n0", 2, link, pu), sample_node("n1", 2, link, pu)},
                                "s"});
    const CommGraph graph(4, {{0, 2, 1, 100'000'000}, {1, 3, 1000, 1'000'000}});
    const std::vector<PuId> placement{0, 1, 2, 3};

    EXPECT_DOUBLE_EQ(cost(graph, hct, placement), 2.0);
    EXPECT_GE(port_cost(graph, hct, placement).value().cost_s, 10.0);
}

TEST(SweeneyCost, LooksAtNoLatencyAndNoSwitchMaximum) {
    SampleElement root{Level::switch_, {}, {}, "s"};
    for (const char* name : {"a", "b"})
        root.children.push_back(sample_node(name, 1, sample_port(100e6, 1e9), sample_port(1e9)));
    root.max_bandwidth_bytes_per_s = 1e6;

    EXPECT_DOUBLE_EQ(cost(CommGraph(2, {{0, 1, 1, 100'000'000}}), sample_hct(root), {0, 1}), 2.0);
    EXPECT_EQ(cost(CommGraph(2, {{0, 1, 10, 0}}), sample_hct(root), {0, 1}), 0.0);
}

TEST(SweeneyCost, RefusesAPlacementThatDoesNotFit) {
    const CommGraph graph(2, {{0, 1, 1, 100}});

    EXPECT_FALSE(sweeney_cost(graph, two_nodes_of_two(), std::vector<PuId>{0}));
    EXPECT_FALSE(sweeney_cost(graph, two_nodes_of_two(), std::vector<PuId>{0, 4}));
}

/// Computes Fig. 4 line by line, with the figure's names. All ports are visited one by one.
double cost_of_the_page(const CommGraph& graph, const Hct& hct,
                        const std::vector<PuId>& placement) {
    struct P {
        const Channel* channel = nullptr;
        double cost = 0, bytes = 0, taskCost = 0, taskBytes = 0;
    };
    std::map<std::string, P> T;
    for (ElementId e = 1; e < hct.num_elements(); ++e) {
        T["out " + std::to_string(e)].channel = &hct.port(e).out;
        T["in " + std::to_string(e)].channel = &hct.port(e).in;
    }
    for (RankId src = 0; src < graph.num_ranks(); ++src) {
        for (const Traffic& entry : graph.sent_by(src)) {
            const double count = static_cast<double>(entry.count);
            const double len = static_cast<double>(entry.bytes) / count;
            const SlowPath way = slow_path(hct, placement[src], placement[entry.peer]);
            std::vector<std::string> path;
            for (const ElementId e : way.up) path.push_back("out " + std::to_string(e));
            for (const ElementId e : way.down) path.push_back("in " + std::to_string(e));
            for (const std::string& name : path) {
                P& p = T[name];
                p.taskCost += (len / p.channel->bandwidth.at(len)) * count;
                p.taskBytes += len;
            }
        }
        for (auto& [name, p] : T) {
            if (p.taskBytes == 0) continue;  // 0 / 0 on the page
            p.bytes += p.taskBytes;
            double bytesAvailable = p.channel->max_bandwidth_bytes_per_s * p.cost - p.bytes;
            if (std::isnan(bytesAvailable)) bytesAvailable = 0 - p.bytes;  // infinity * 0
            if (bytesAvailable < p.taskBytes)
                p.cost += ((p.taskBytes - bytesAvailable) / p.taskBytes) * p.taskCost;
            p.taskCost = p.taskBytes = 0;
        }
    }
    double C = 0;
    for (const auto& [name, p] : T) C = std::max(C, p.cost);
    return C;
}

TEST(SweeneyCost, AgreesWithThePageOnRandomCases) {
    std::mt19937 random(41);
    const std::vector<Hct> trees{uneven_tree(), sweeney_8x2(), two_nodes_of_two(),
                                 uniform_tree({2, 2, 2, 2}, {1e8, 3e8, 1e9, 4e9}, 2),
                                 uniform_tree({2, 2, 2})};
    int differ = 0;
    for (int round = 0; round < 300; ++round) {
        const Hct& hct = trees[static_cast<std::size_t>(round) % trees.size()];
        const std::size_t num_ranks = 1 + random() % std::min<std::size_t>(8, hct.num_pus());
        const CommGraph graph = random_graph(num_ranks, 0.6, random, 3);
        std::vector<PuId> placement = random_placement(num_ranks, hct.num_pus(), random);
        if (round % 10 == 0) placement.back() = placement.front();  // oversubscribed

        const double expected = cost_of_the_page(graph, hct, placement);

        EXPECT_NEAR(cost(graph, hct, placement), expected, 1e-12 * expected) << "round " << round;
        const double ours = port_cost(graph, hct, placement).value().cost_s;
        if (std::abs(ours - expected) > 0.01 * expected) ++differ;
    }
    EXPECT_GT(differ, 100) << "the cases tell the page from port_cost()";
}

}  // namespace
}  // namespace commmap
