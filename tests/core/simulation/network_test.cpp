// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/simulation/network.hpp"

#include <gtest/gtest.h>

#include "core/simulation/protocol.hpp"
#include "core/topology/cluster_yaml.hpp"
#include "core/topology/sample_hct.hpp"

namespace commmap {
namespace {

std::vector<std::uint32_t> ports_of(const Route& route) {
    std::vector<std::uint32_t> ports;
    for (const Route::Hop& hop : route.hops) ports.push_back(hop.port);
    return ports;
}

TEST(Route, ToItselfThereAreNoPorts) {
    const Hct hct = two_nodes_of_two();
    EXPECT_TRUE(route_between(1, 1, hct).hops.empty());
}

TEST(Route, ARouteGoesUpAndThenDown) {
    // elements: 1 and 2 are the nodes, 3 and 6 the PUs
    const Hct hct = two_nodes_of_two();

    const Route route = route_between(0, 3, hct);

    EXPECT_EQ(ports_of(route), (std::vector<std::uint32_t>{3 * 3, 3 * 1, 3 * 2 + 1, 3 * 6 + 1}));
    EXPECT_TRUE(route.between_nodes);
    EXPECT_EQ(route.leaves_at, 1U);
}

TEST(Route, AHalfDuplexLinkIsOnePort) {
    const Hct hct = two_nodes_of_two(true);

    EXPECT_EQ(ports_of(route_between(0, 3, hct)),
              (std::vector<std::uint32_t>{3 * 3, 3 * 1, 3 * 2, 3 * 6 + 1}));
    EXPECT_EQ(ports_of(route_between(3, 0, hct)),
              (std::vector<std::uint32_t>{3 * 6, 3 * 2, 3 * 1, 3 * 3 + 1}));
}

TEST(Route, InsideANodeItLeavesAtTheFirstPort) {
    const Hct hct = two_nodes_of_two();

    const Route route = route_between(0, 1, hct);

    EXPECT_EQ(ports_of(route), (std::vector<std::uint32_t>{3 * 3, 3 * 4 + 1}));
    EXPECT_FALSE(route.between_nodes);
    EXPECT_EQ(route.leaves_at, 0U);
}

TEST(Route, BoundedElementsArePortsToo) {
    // the memory bus of a node of the 8x2 machine: through m0 (element 3) inside it
    const Hct hct = sweeney_8x2();

    const Route inside = route_between(0, 1, hct);

    ASSERT_EQ(inside.hops.size(), 3U);
    EXPECT_EQ(inside.hops[1].port, 3U * 3 + 2);
    EXPECT_DOUBLE_EQ(inside.hops[1].busy_s(4e9), 1.0);
    EXPECT_DOUBLE_EQ(inside.hops[1].alone_s(4e9, 4e9), 0.0);  // no bound for one alone
}

TEST(Route, TheLargestLatencyCountsAndFramesTakeRoom) {
    const Hct hct = sweeney_8x2();

    const Route route = route_between(0, 15, hct);  // m0 to m7, over both switches

    EXPECT_DOUBLE_EQ(route.latency_s, 60e-6);
    EXPECT_DOUBLE_EQ(largest_latency_s(hct), 60e-6);
    EXPECT_DOUBLE_EQ(route.hops[route.leaves_at].busy_s(12.5e6), Protocol::framing);
    EXPECT_DOUBLE_EQ(route.hops[route.leaves_at].alone_s(12.5e6, 1e6), Protocol::framing);
    EXPECT_DOUBLE_EQ(route.hops.front().busy_s(2e9), 1.0);  // no frames inside the node
}

TEST(Route, LinksOfPayloadHaveNoFrames) {
    const auto hct = [](const std::string& rate) {
        const auto cluster = parse_cluster_yaml(
            "version: 1\n"
            "node_classes: {c: {hwloc: {synthetic: 'pu:1'}, link: {bandwidth: 1 MB/s, rate: " +
                rate + "}}}\nswitches: {s: {nodes: 'n[0-1]', class: c}}\n",
            "t.yaml");
        return build_hct(cluster.value(), whole_cluster(cluster.value())).value();
    };
    const auto hop = [](const Hct& machine, std::size_t behind) {
        const Route route = route_between(0, 1, machine);
        return route.hops.at(route.leaves_at + behind);
    };
    const Hct payload = hct("payload");
    const Hct line = hct("line");
    EXPECT_DOUBLE_EQ(hop(payload, 0).busy_s(1e6), 1.0);
    EXPECT_DOUBLE_EQ(hop(payload, 1).alone_s(1e6, 1e6), 1.0);
    EXPECT_DOUBLE_EQ(hop(line, 0).busy_s(1e6), Protocol::framing);
}

TEST(Route, AMachineOfOneNodeHasTheLatencyInside) {
    const Hct hct = sample_hct(sample_node("n0", 2, {}, sample_port(1e9, 500.0)));
    EXPECT_DOUBLE_EQ(largest_latency_s(hct), 500e-9);
}

}  // namespace
}  // namespace commmap
