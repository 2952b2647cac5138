// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/inside_kinds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/calibration/sample_clusters.hpp"

namespace commmap {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Two nodes of one class on a switch.
Cluster cluster_of(const std::string& synthetic, const std::string& inside = "{}") {
    return parse_cluster_yaml(
               fmt::format("version: 1\n"
                           "links: {{net: {{bandwidth: 1 GB/s}}, local: {{bandwidth: 5 GB/s}}}}\n"
                           "node_classes: {{c: {{hwloc: {{synthetic: '{}'}}, link: net, "
                           "inside: {}}}}}\n"
                           "switches: {{s: {{nodes: 'n[0-1]', class: c}}}}\n",
                           synthetic, inside),
               "inside.yaml")
        .value();
}

std::vector<PortKind> kinds_of(const Cluster& cluster) {
    const auto kinds = find_inside_kinds(cluster, whole_cluster(cluster));
    EXPECT_TRUE(kinds) << kinds.error().message;
    return kinds ? kinds.value() : std::vector<PortKind>{};
}

TEST(InsideKinds, OneForEachLevelFromPackagesDown) {
    const auto kinds = kinds_of(cluster_of("package:2 l3:1 core:2 pu:2(indexes=0,1,2,3,4,5,6,7)"));

    ASSERT_EQ(kinds.size(), 3U);
    EXPECT_EQ(kinds[0].level, Level::package);
    EXPECT_EQ(kinds[1].level, Level::core);
    EXPECT_EQ(kinds[2].level, Level::pu);
    for (const PortKind& kind : kinds) {
        EXPECT_EQ(kind.owner, PortKind::Owner::inside);
        EXPECT_EQ(kind.class_index, 0U);
        EXPECT_EQ(kind.node, 0U);
        EXPECT_EQ(kind.why_not, "");
    }
    EXPECT_EQ(kinds[0].num_ports, 4U) << "of both nodes";
    EXPECT_EQ(kinds[2].num_ports, 16U);
}

TEST(InsideKinds, LevelsOfSeveralPusHaveEndsOfTheirOwnCoresFirst) {
    const auto kinds = kinds_of(cluster_of("package:2 core:2 pu:2(indexes=0,1,2,3,4,5,6,7)"));

    ASSERT_EQ(kinds.size(), 3U);
    EXPECT_THAT(kinds[0].ends_a, ElementsAre(0, 2, 1, 3));
    EXPECT_THAT(kinds[0].ends_b, ElementsAre(4, 6, 5, 7));
    EXPECT_THAT(kinds[1].ends_a, ElementsAre(0, 1));
    EXPECT_THAT(kinds[1].ends_b, ElementsAre(2, 3));
    EXPECT_THAT(kinds[2].ends_a, ElementsAre(0));
    EXPECT_THAT(kinds[2].ends_b, ElementsAre(1));
}

TEST(InsideKinds, SinglePusBeginAtOne) {
    const auto kinds = kinds_of(cluster_of("core:8 pu:1"));

    ASSERT_EQ(kinds.size(), 1U);
    EXPECT_EQ(kinds[0].level, Level::core);
    EXPECT_THAT(kinds[0].ends_a, ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(kinds[0].ends_b, ElementsAre(1, 2, 3, 4));
}

TEST(InsideKinds, HaveTheLinkOfTheFile) {
    const auto named = kinds_of(cluster_of("core:2 pu:1", "{core: local}"));
    const auto in_place = kinds_of(cluster_of("core:2 pu:1", "{core: {bandwidth: 3 GB/s}}"));
    const auto lower = kinds_of(cluster_of("core:2 pu:1", "{pu: local}"));
    const auto built_in = kinds_of(cluster_of("core:2 pu:1"));

    EXPECT_EQ(named.at(0).link_name, "local");
    EXPECT_EQ(named.at(0).link.out.bandwidth.of_longest(), 5e9);
    EXPECT_EQ(in_place.at(0).link_name, "");
    EXPECT_EQ(in_place.at(0).link.out.bandwidth.of_longest(), 3e9);
    EXPECT_EQ(lower.at(0).level, Level::pu) << "the level that the class names";
    EXPECT_EQ(lower.at(0).link_name, "local");
    EXPECT_EQ(built_in.at(0).link.out.bandwidth.of_longest(), 10e9);
}

TEST(InsideKinds, SyntheticLevelsSayNotWhichCpuIsWhere) {
    const auto kinds = kinds_of(cluster_of("package:2 core:2 pu:1"));

    ASSERT_EQ(kinds.size(), 2U);
    for (const PortKind& kind : kinds) EXPECT_THAT(kind.why_not, HasSubstr("synthetic"));
    EXPECT_EQ(kinds_of(cluster_of("core:4 pu:1")).at(0).why_not, "") << "all are siblings";
}

TEST(InsideKinds, ALevelAtSeveralDepthsHasNoNumbersOfItsOwn) {
    const auto kinds = kinds_of(cluster_of("l3:2 l2:2 core:2 pu:1(indexes=0,1,2,3,4,5,6,7)"));

    ASSERT_EQ(kinds.size(), 2U);
    EXPECT_EQ(kinds[0].level, Level::cache);
    EXPECT_THAT(kinds[0].why_not, HasSubstr("several depths"));
    EXPECT_EQ(kinds[1].why_not, "");
}

TEST(InsideKinds, ANodeOfOnePuHasNone) {
    EXPECT_EQ(kinds_of(cluster_of("core:1 pu:1")).size(), 0U);
}

TEST(InsideKinds, TheFirstNodeOfEachClassStandsForIt) {
    const auto kinds = find_inside_kinds(sweeney_cluster(), nodes({"m6", "m1"}));

    ASSERT_TRUE(kinds) << kinds.error().message;
    ASSERT_EQ(kinds.value().size(), 1U);
    EXPECT_EQ(kinds.value()[0].node, 0U);
    EXPECT_EQ(kinds.value()[0].num_ports, 4U);
}

TEST(InsideKinds, AreThoseOfKnownNodes) {
    const auto kinds = find_inside_kinds(sweeney_cluster(), nodes({"x1"}));

    ASSERT_FALSE(kinds);
    EXPECT_THAT(kinds.error().message, HasSubstr("x1"));
}

}  // namespace
}  // namespace commmap
