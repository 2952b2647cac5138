// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/switch_kind.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/calibration/sample_clusters.hpp"
#include "core/topology/cluster_yaml.hpp"

namespace commmap {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

/// Four nodes below each of four switches, and two nodes of another class below the first.
Cluster four_switches(const std::string& of_b = "") {
    return parse_cluster_yaml(
               "version: 1\n"
               "links: {port: {bandwidth: 1 GB/s}, up: {bandwidth: 2 GB/s}}\n"
               "node_classes:\n"
               "  k: {hwloc: {synthetic: 'core:1 pu:1'}, link: port}\n"
               "  fat: {hwloc: {synthetic: 'core:2 pu:1'}, link: port}\n"
               "switches:\n"
               "  top: {switches: [a, b, c, d]}\n"
               "  a: {nodes: [{names: 'f[0-1]', class: fat}, {names: 'a[0-3]', class: k}], link: "
               "up}\n"
               "  b: {nodes: 'b[0-3]', class: k, link: up" +
                   of_b +
                   "}\n"
                   "  c: {nodes: 'c[0-5]', class: k, link: up}\n"
                   "  d: {nodes: 'd[0-3]', class: k, link: up}\n",
               "four.yaml")
        .value();
}

std::vector<std::pair<std::string, std::string>> pairs_of(const SwitchKind& kind,
                                                          const Allocation& allocation) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (std::size_t p = 0; p < kind.senders.size(); ++p) {
        pairs.emplace_back(allocation.nodes[kind.senders[p]].name,
                           allocation.nodes[kind.receivers[p]].name);
    }
    return pairs;
}

std::vector<SwitchKind> kinds_of(const Cluster& cluster) {
    return find_switch_kinds(cluster, whole_cluster(cluster)).value();
}

TEST(SwitchKinds, TakeTheSwitchWithTheMostPairsOfOneClass) {
    const Cluster cluster = four_switches();

    const auto kinds = kinds_of(cluster);

    ASSERT_EQ(kinds.size(), 2U) << "both classes have the same link";
    EXPECT_EQ(kinds[0].depth, 1U);
    EXPECT_THAT(kinds[0].switches, ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(cluster.switches[kinds[0].measured].name, "c");
    EXPECT_THAT(pairs_of(kinds[0], whole_cluster(cluster)),
                ElementsAre(Pair("c0", "c3"), Pair("c1", "c4"), Pair("c2", "c5")));
}

TEST(SwitchKinds, TakeANodeBelowEachChildOfAnInnerSwitch) {
    const Cluster cluster = four_switches();

    const auto kinds = kinds_of(cluster);

    EXPECT_EQ(kinds[1].depth, 0U);
    EXPECT_THAT(pairs_of(kinds[1], whole_cluster(cluster)),
                ElementsAre(Pair("a0", "c0"), Pair("b0", "d0")))
        << "and not f0, which is of another class";
}

TEST(SwitchKinds, AreToldApartByTheMaximumOfTheFile) {
    const auto kinds = kinds_of(four_switches(", max_bandwidth: 3 GB/s"));

    ASSERT_EQ(kinds.size(), 3U);
    EXPECT_THAT(kinds[0].switches, ElementsAre(1, 3, 4));
    EXPECT_THAT(kinds[1].switches, ElementsAre(2));
    EXPECT_EQ(kinds[1].max_bandwidth_bytes_per_s, 3e9);
}

TEST(SwitchKinds, AreToldApartByUplinkAndPorts) {
    const Cluster cluster = parse_cluster_yaml(
                                "version: 1\n"
                                "links: {port: {bandwidth: 1 GB/s}, fast: {bandwidth: 10 GB/s}}\n"
                                "node_classes:\n"
                                "  k: {hwloc: {synthetic: 'core:1 pu:1'}, link: port}\n"
                                "  ib: {hwloc: {synthetic: 'core:1 pu:1'}, link: fast}\n"
                                "switches:\n"
                                "  top: {switches: [a, b, c, d]}\n"
                                "  a: {nodes: 'a[0-3]', class: k, link: port}\n"
                                "  b: {nodes: 'b[0-3]', class: ib, link: port}\n"
                                "  c: {nodes: 'c[0-3]', class: k, link: fast}\n"
                                "  d: {switches: [e], link: port}\n"
                                "  e: {nodes: 'e[0-3]', class: k, link: fast}\n",
                                "ports.yaml")
                                .value();

    const auto kinds = kinds_of(cluster);

    ASSERT_EQ(kinds.size(), 6U);
    for (const SwitchKind& kind : kinds) EXPECT_EQ(kind.switches.size(), 1U);
}

TEST(SwitchKinds, CompareAllPortsBetweenNodeAndSwitch) {
    std::string text =
        "version: 1\n"
        "links: {port: {bandwidth: 3 GB/s}, old: {bandwidth: 1 GB/s}}\n"
        "node_classes: {k: {hwloc: {synthetic: 'core:1 pu:1'}, link: port}}\n"
        "switches:\n"
        "  top: {switches: [p0, p1, p2, p3, p4, p5]}\n";
    for (int pod = 0; pod < 6; ++pod) {
        text += fmt::format(
            "  p{}: {{switches: [r{}], link: port}}\n"
            "  r{}: {{nodes: 'n{}', class: k, link: {}}}\n",
            pod, pod, pod, pod, pod == 1 ? "old" : "port");
    }
    const Cluster cluster = parse_cluster_yaml(text, "pods.yaml").value();

    const auto kinds = kinds_of(cluster);

    EXPECT_THAT(pairs_of(kinds.back(), whole_cluster(cluster)),
                ElementsAre(Pair("n0", "n3"), Pair("n2", "n4")));
}

TEST(SwitchKinds, TakeChildrenWhereTheyAreMore) {
    const Cluster cluster =
        parse_cluster_yaml(
            "version: 1\n"
            "links: {port: {bandwidth: 1 GB/s}}\n"
            "node_classes: {k: {hwloc: {synthetic: 'core:1 pu:1'}, link: port}}\n"
            "switches:\n"
            "  top: {switches: [a, b, c, d, e, f], nodes: 's[0-3]', class: k}\n"
            "  a: {nodes: a, class: k, link: port}\n"
            "  b: {nodes: b, class: k, link: port}\n"
            "  c: {nodes: c, class: k, link: port}\n"
            "  d: {nodes: d, class: k, link: port}\n"
            "  e: {nodes: e, class: k, link: port}\n"
            "  f: {nodes: f, class: k, link: port}\n",
            "root.yaml")
            .value();
    const auto kinds = kinds_of(cluster);
    EXPECT_THAT(pairs_of(kinds.back(), whole_cluster(cluster)),
                ElementsAre(Pair("a", "d"), Pair("b", "e"), Pair("c", "f")));
}

TEST(SwitchKinds, SayWhyNothingCanBeMeasured) {
    const Cluster cluster = sweeney_cluster();

    const auto kinds = kinds_of(cluster);

    ASSERT_EQ(kinds.size(), 2U);
    EXPECT_THAT(pairs_of(kinds[0], whole_cluster(cluster)),
                ElementsAre(Pair("m0", "m2"), Pair("m1", "m3")));
    EXPECT_THAT(kinds[1].why_not, HasSubstr("no two pairs"));
    EXPECT_EQ(kinds[1].measured, no_id);
}

TEST(SwitchKinds, HaveNoPairOfThreeNodes) {
    const Cluster cluster = sweeney_cluster();

    const auto kinds = find_switch_kinds(cluster, nodes({"m5", "m6", "m7"})).value();

    ASSERT_EQ(kinds.size(), 2U);
    EXPECT_THAT(kinds[0].senders, IsEmpty());
}

TEST(SwitchKinds, HaveAtMostSixteenPairs) {
    EXPECT_EQ(kinds_of(two_pods(1, 64))[0].senders.size(), max_pairs_of_switch);
}

TEST(SwitchKinds, RefuseANodeThatTheClusterLacks) {
    Allocation allocation;
    allocation.nodes = {{"x", 0}, {"y", 0}};
    EXPECT_FALSE(find_switch_kinds(sweeney_cluster(), allocation));
}

}  // namespace
}  // namespace commmap
