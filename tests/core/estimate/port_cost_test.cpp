// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/port_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <tuple>

#include "core/estimate/graphs.hpp"

namespace commmap {
namespace {

double cost(const CommGraph& graph, const Hct& hct, const std::vector<PuId>& placement) {
    const auto result = port_cost(graph, hct, placement);
    EXPECT_TRUE(result) << result.error().message;
    return result.value().cost_s;
}

/// Two nodes of two PUs; one message gets 100 MB/s of a link, all together get `max`.
Hct wide_links(double max) {
    Port link = sample_port(100e6);
    link.out.max_bandwidth_bytes_per_s = link.in.max_bandwidth_bytes_per_s = max;
    const Port pu = sample_port(1e9);
    return sample_hct({Level::switch_,
                       {},
                       {sample_node("n0", 2, link, pu), sample_node("n1", 2, link, pu)},
                       "s"});
}

TEST(PortCost, OneMessageTakesTheSlowestPortOfItsPath) {
    const CommGraph graph(2, {{0, 1, 1, 100'000'000}});

    EXPECT_DOUBLE_EQ(cost(graph, two_nodes_of_two(), {0, 1}), 0.1);  // PU port, 1 GB/s
    EXPECT_DOUBLE_EQ(cost(graph, two_nodes_of_two(), {0, 2}), 1.0);  // link, 100 MB/s
}

TEST(PortCost, TasksOnAFullPortAddUp) {
    // Both ranks of n0 send 100 MB over n0's link: 1 s + 1 s. The receivers' PU ports take 0.1 s
    // each.
    const CommGraph graph(4, {{0, 2, 1, 100'000'000}, {1, 3, 1, 100'000'000}});
    const std::vector<PuId> placement{0, 1, 2, 3};

    const auto result = port_cost(graph, two_nodes_of_two(), placement);

    ASSERT_TRUE(result);
    EXPECT_DOUBLE_EQ(result.value().cost_s, 2.0);
    EXPECT_EQ(result.value().bottleneck.element,
              1U);  // n0 stands before n1, whose in port costs as much
    EXPECT_EQ(result.value().bottleneck.direction, PortDirection::out);
    EXPECT_DOUBLE_EQ(result.value().bottleneck.bytes, 200e6);
}

TEST(PortCost, TheTwoDirectionsOfAPortDoNotAddUp) {
    const CommGraph graph(2, {{0, 1, 1, 100'000'000}, {1, 0, 1, 100'000'000}});

    EXPECT_DOUBLE_EQ(cost(graph, two_nodes_of_two(), {0, 2}), 1.0);
}

TEST(PortCost, TheTwoDirectionsOfAHalfDuplexPortAddUp) {
    // 100 MB each way, beside each other: 2 s on a link of 100 MB/s that both directions share.
    const CommGraph graph(2, {{0, 1, 1, 100'000'000}, {1, 0, 1, 100'000'000}});
    const Hct hct = two_nodes_of_two(true);

    const auto result = port_cost(graph, hct, std::vector<PuId>{0, 2});
    const auto loads = port_loads(graph, hct, std::vector<PuId>{0, 2});

    ASSERT_TRUE(result);
    EXPECT_DOUBLE_EQ(result.value().cost_s, 2.0);
    EXPECT_EQ(result.value().bottleneck.direction, PortDirection::both);
    EXPECT_DOUBLE_EQ(result.value().bottleneck.bytes, 200e6);
    ASSERT_TRUE(loads);
    EXPECT_EQ(loads.value().size(), 6U);  // a port of each node, and two of each PU
}

TEST(PortCost, TasksOverlapUpToTheMaximumBandwidth) {
    // The link gives 100 MB/s to one message and 150 MB/s to all. The first task's 100 MB take 1 s,
    // in which 50 MB more are free. The second task pays 0.5 s for the other 50 of its 100 MB.
    const CommGraph graph(4, {{0, 2, 1, 100'000'000}, {1, 3, 1, 100'000'000}});

    EXPECT_DOUBLE_EQ(cost(graph, wide_links(150e6), {0, 1, 2, 3}), 1.5);
    EXPECT_DOUBLE_EQ(cost(graph, wide_links(200e6), {0, 1, 2, 3}), 1.0);
    EXPECT_DOUBLE_EQ(cost(graph, wide_links(INFINITY), {0, 1, 2, 3}), 1.0);
}

TEST(PortCost, APortIsNeverCheaperThanItsCostliestTask) {
    // Rank 0 sends 150 MB in 1.5 s. Rank 1's 100 MB would fit beside them, but take 1.2 s more with
    // their latency of 2 s.
    Port link = sample_port(100e6, 1e9);
    link.out.max_bandwidth_bytes_per_s = link.in.max_bandwidth_bytes_per_s = 1e9;
    const Port pu = sample_port(1e9);
    const Hct hct = sample_hct({Level::switch_,
                                {},
                                {sample_node("n0", 2, link, pu), sample_node("n1", 2, link, pu)},
                                "s"});
    const CommGraph graph(4, {{0, 2, 1, 150'000'000}, {1, 3, 5, 5}});

    EXPECT_NEAR(cost(graph, hct, {0, 1, 2, 3}), 5.0, 1e-6);  // 5 messages * 1 s, not 2.5 s
}

TEST(PortCost, CountsEveryMessageOfAnEntry) {
    Port link = sample_port(100e6, 1000.0);
    const Hct hct = sample_hct({Level::switch_,
                                {},
                                {sample_node("n0", 1, link, sample_port(1e12)),
                                 sample_node("n1", 1, link, sample_port(1e12))},
                                "s"});
    const CommGraph graph(2, {{0, 1, 1000, 1'000'000}});

    EXPECT_NEAR(cost(graph, hct, {0, 1}), 1000 * (1e-6 + 1000 / 100e6), 1e-15);
}

TEST(PortCost, EmptyMessagesCostLatency) {
    const CommGraph graph(2, {{0, 1, 10, 0}});

    EXPECT_NEAR(cost(graph, sweeney_8x2(), {0, 2}), 10 * 60e-6, 1e-12);
}

TEST(PortCost, ABoundedSwitchIsAPortOfItsOwn) {
    // Four nodes in two pairs: each link carries 100 MB in 1 s, the switch 200 MB at 125 MB/s.
    SampleElement root{Level::switch_, {}, {}, "s"};
    for (const char* name : {"a", "b", "c", "d"}) {
        root.children.push_back(sample_node(name, 1, sample_port(100e6), sample_port(1e9)));
    }
    root.max_bandwidth_bytes_per_s = 125e6;
    const CommGraph graph(4, {{0, 1, 1, 100'000'000}, {2, 3, 1, 100'000'000}});
    const std::vector<PuId> placement{0, 1, 2, 3};

    const auto result = port_cost(graph, sample_hct(root), placement);

    ASSERT_TRUE(result);
    EXPECT_DOUBLE_EQ(result.value().cost_s, 1.6);
    EXPECT_EQ(result.value().bottleneck.direction, PortDirection::through);
    EXPECT_EQ(result.value().bottleneck.element, 0U);
}

TEST(PortCost, BytesNeverWaitUnpaidWhereTheObservedBandwidthIsAboveTheMaximum) {
    Port link = sample_port(200e6);
    link.out.max_bandwidth_bytes_per_s = 100e6;
    const Hct hct = sample_hct({Level::switch_,
                                {},
                                {sample_node("n0", 1, link, sample_port(1e9)),
                                 sample_node("n1", 1, link, sample_port(1e9))},
                                "s"});

    EXPECT_DOUBLE_EQ(cost(CommGraph(2, {{0, 1, 1, 100'000'000}}), hct, {0, 1}), 1.0);
}

TEST(PortCost, NothingSentCostsNothing) {
    EXPECT_EQ(cost(CommGraph(2, {}), two_nodes_of_two(), {0, 3}), 0.0);
    EXPECT_EQ(cost(CommGraph(0, {}), two_nodes_of_two(), {}), 0.0);
    EXPECT_EQ(cost(CommGraph(2, {{0, 1, 1, 100}}), two_nodes_of_two(), {3, 3}), 0.0);  // one PU
}

TEST(PortCost, RefusesAPlacementThatDoesNotFit) {
    const CommGraph graph(2, {{0, 1, 1, 100}});

    EXPECT_EQ(port_cost(graph, two_nodes_of_two(), std::vector<PuId>{0}).error().code,
              Errc::invalid_input);
    EXPECT_EQ(port_cost(graph, two_nodes_of_two(), std::vector<PuId>{0, 4}).error().code,
              Errc::invalid_input);
    EXPECT_EQ(port_loads(graph, two_nodes_of_two(), std::vector<PuId>{0, 4}).error().code,
              Errc::invalid_input);
}

TEST(PortLoads, AreSortedAndStartWithTheBottleneck) {
    const CommGraph graph(3, {{0, 2, 1, 100'000'000}, {0, 1, 1, 100'000'000}});
    const std::vector<PuId> placement{0, 1, 2};

    const auto loads = port_loads(graph, two_nodes_of_two(), placement);

    // PU 0 out, PU 1 in, n0 out, n1 in, PU 2 in
    ASSERT_TRUE(loads);
    ASSERT_EQ(loads.value().size(), 5U);
    EXPECT_DOUBLE_EQ(loads.value()[0].cost_s, 1.0);
    EXPECT_EQ(loads.value()[0].element, 1U);
    EXPECT_DOUBLE_EQ(loads.value()[2].cost_s, 0.2);  // both messages leave PU 0
    EXPECT_EQ(loads.value()[2].element, 3U);
    EXPECT_DOUBLE_EQ(loads.value()[4].cost_s, 0.1);
}

/// Computes Fig. 4 directly: with a map of ports, without tables, and with a bandwidth look-up for
/// each message.
double slow_port_cost(const CommGraph& graph, const Hct& hct, const std::vector<PuId>& placement) {
    struct Total {
        double cost = 0, bytes = 0;
    };
    using Key = std::tuple<ElementId, int>;
    std::map<Key, Total> ports;
    for (RankId src = 0; src < graph.num_ranks(); ++src) {
        std::map<Key, Total> task;
        std::map<Key, double> max_of;
        for (const Traffic& msg : graph.sent_by(src)) {
            const SlowPath path = slow_path(hct, placement[src], placement[msg.peer]);
            const auto use = [&](Key key, double seconds, double max) {
                task[key].cost += seconds * static_cast<double>(msg.count);
                task[key].bytes += static_cast<double>(msg.bytes);
                max_of[key] = max;
            };
            const auto use_channel = [&](ElementId e, int direction, const Channel& c) {
                use({e, hct.port(e).half_duplex ? 0 : direction},
                    c.message_time_s(msg.mean_length_bytes()), c.max_bandwidth_bytes_per_s);
            };
            std::vector<ElementId> through = path.up;
            through.insert(through.end(), path.down.begin(), path.down.end());
            if (placement[src] != placement[msg.peer]) through.push_back(path.common);
            for (const ElementId e : path.up) use_channel(e, 0, hct.port(e).out);
            for (const ElementId e : path.down) use_channel(e, 1, hct.port(e).in);
            for (const ElementId e : through) {
                const double max = hct.element(e).max_bandwidth_bytes_per_s;
                if (hct.element(e).num_children > 0 && !std::isinf(max)) {
                    use({e, 2}, msg.mean_length_bytes() / max, max);
                }
            }
        }
        for (const auto& [key, t] : task) {
            Total& p = ports[key];
            const double max = max_of[key];
            if (std::isinf(max)) {
                p.cost = std::max(p.cost, t.cost);
            } else {
                const double seconds = std::max(t.cost, t.bytes / max);
                const double free = std::max(0.0, max * p.cost - p.bytes);
                if (free < t.bytes) p.cost += (t.bytes - free) / t.bytes * seconds;
                p.cost = std::max(p.cost, seconds);
            }
            p.bytes += t.bytes;
        }
    }
    double highest = 0.0;
    for (const auto& [key, p] : ports) highest = std::max(highest, p.cost);
    return highest;
}

TEST(PortCost, AgreesWithTheSlowVersionOnRandomCases) {
    std::mt19937 random(11);
    const std::vector<Hct> trees{uneven_tree(), uneven_tree(true), sweeney_8x2(),
                                 two_nodes_of_two(),
                                 uniform_tree({2, 2, 2, 2}, {1e8, 3e8, 1e9, 4e9}, 2)};
    for (int round = 0; round < 300; ++round) {
        const Hct& hct = trees[static_cast<std::size_t>(round) % trees.size()];
        const std::size_t num_ranks = 1 + random() % std::min<std::size_t>(8, hct.num_pus());
        const CommGraph graph = random_graph(num_ranks, 0.6, random, 3);
        std::vector<PuId> placement = random_placement(num_ranks, hct.num_pus(), random);
        if (round % 10 == 0) placement.back() = placement.front();  // oversubscribed

        const double expected = slow_port_cost(graph, hct, placement);

        EXPECT_NEAR(cost(graph, hct, placement), expected, 1e-12 * expected) << "round " << round;
    }
}

}  // namespace
}  // namespace commmap
