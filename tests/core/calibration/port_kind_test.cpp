// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/port_kind.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/calibration/sample_clusters.hpp"

namespace commmap {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PortKinds, OneForEachClassAndForEachTierOfUplinks) {
    const Cluster cluster = sweeney_cluster();

    const auto kinds = find_port_kinds(cluster, whole_cluster(cluster));

    ASSERT_TRUE(kinds) << kinds.error().message;
    ASSERT_EQ(kinds.value().size(), 2U);
    const PortKind& port = kinds.value()[0];
    EXPECT_EQ(port.owner, PortKind::Owner::node);
    EXPECT_EQ(port.class_index, 0U);
    EXPECT_EQ(port.link_name, "fast-ethernet");
    EXPECT_EQ(port.num_ports, 8U);
    EXPECT_THAT(port.ends_a, ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(port.ends_b, ElementsAre(1, 2, 3, 4));
    const PortKind& uplink = kinds.value()[1];
    EXPECT_EQ(uplink.owner, PortKind::Owner::switch_);
    EXPECT_EQ(uplink.depth, 1U);
    EXPECT_EQ(uplink.num_ports, 2U);
    EXPECT_THAT(uplink.ends_a, ElementsAre(0, 1, 2));
    EXPECT_THAT(uplink.ends_b, ElementsAre(5, 6, 7));
}

TEST(PortKinds, AreThoseOfTheJob) {
    const auto kinds = find_port_kinds(sweeney_cluster(), nodes({"m6", "m5", "m2"}));

    ASSERT_TRUE(kinds) << kinds.error().message;
    ASSERT_EQ(kinds.value().size(), 2U);
    EXPECT_THAT(kinds.value()[0].ends_a, ElementsAre(0));
    EXPECT_THAT(kinds.value()[0].ends_b, ElementsAre(1));
    // from the switch with more nodes
    EXPECT_THAT(kinds.value()[1].ends_a, ElementsAre(0));
    EXPECT_THAT(kinds.value()[1].ends_b, ElementsAre(2));
}

TEST(PortKinds, UplinksFromTheLeavesToTheRoot) {
    const Cluster cluster = two_pods(3, 2);

    const auto kinds = find_port_kinds(cluster, whole_cluster(cluster));

    ASSERT_TRUE(kinds) << kinds.error().message;
    ASSERT_EQ(kinds.value().size(), 3U);
    EXPECT_EQ(kinds.value()[1].link_name, "rack");
    EXPECT_EQ(kinds.value()[1].depth, 2U);
    EXPECT_EQ(kinds.value()[1].num_ports, 6U);
    // within one pod, from the first rack to the second
    EXPECT_THAT(kinds.value()[1].ends_a, ElementsAre(0, 1));
    EXPECT_THAT(kinds.value()[1].ends_b, ElementsAre(2, 3));
    EXPECT_EQ(kinds.value()[2].link_name, "");
    EXPECT_EQ(kinds.value()[2].depth, 1U);
    // across pods, by turns from each rack: its uplink carries no more than it must
    EXPECT_THAT(kinds.value()[2].ends_a, ElementsAre(0, 2, 4, 1));
    EXPECT_THAT(kinds.value()[2].ends_b, ElementsAre(6, 8, 10, 7));
}

TEST(PortKinds, OfWhichNoPairIsInTheJobSayWhy) {
    const auto kinds = find_port_kinds(sweeney_cluster(), nodes({"m0", "m7"}));

    ASSERT_TRUE(kinds) << kinds.error().message;
    ASSERT_EQ(kinds.value().size(), 2U);
    EXPECT_THAT(kinds.value()[0].why_not, HasSubstr("no two nodes of class 'dual'"));
    EXPECT_THAT(kinds.value()[0].ends_a, IsEmpty());
    EXPECT_EQ(kinds.value()[1].why_not, "");
}

TEST(PortKinds, OfOneSwitchHaveNoUplinks) {
    const auto kinds = find_port_kinds(sweeney_cluster(), nodes({"m5", "m7"}));

    ASSERT_TRUE(kinds) << kinds.error().message;
    EXPECT_EQ(kinds.value().size(), 1U);
}

TEST(PortKinds, OfATenThousandNodesAreAsFewAsOfAHundred) {
    const Cluster small = two_pods(5, 10);
    const Cluster large = two_pods(100, 50);

    const auto of_small = find_port_kinds(small, whole_cluster(small));
    const auto of_large = find_port_kinds(large, whole_cluster(large));

    ASSERT_TRUE(of_small && of_large);
    EXPECT_EQ(large.nodes.size(), 10000U);
    EXPECT_EQ(of_large.value().size(), of_small.value().size());
    EXPECT_EQ(of_large.value()[0].ends_b.size(), max_pairs_of_kind);
}

TEST(PortKinds, RefuseJobsThatCannotBeMeasured) {
    const Cluster cluster = sweeney_cluster();

    EXPECT_THAT(find_port_kinds(cluster, nodes({"m0"})).error().message, HasSubstr("-N 2"));
    EXPECT_THAT(find_port_kinds(cluster, nodes({"m0", "x1"})).error().message,
                HasSubstr("node 'x1' of the job is not in sweeney.yaml"));
    EXPECT_THAT(find_port_kinds(cluster, nodes({"m0", "m0"})).error().message, HasSubstr("twice"));
}

}  // namespace
}  // namespace commmap
