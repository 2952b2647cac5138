// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "core/topology/cluster_yaml.hpp"
#include "core/topology/describe.hpp"
#include "core/topology/node_defaults.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;

/// top over left (a[0-1]), right (b[0-1]) and c; nodes of two cores with two PUs.
Cluster small_cluster() {
    auto cluster = parse_cluster_yaml(
        "version: 1\n"
        "node_classes: {k: {hwloc: {synthetic: 'core:2 pu:2'}, link: {bandwidth: 1 GB/s}}}\n"
        "switches:\n"
        "  left: {nodes: 'a[0-1]', class: k, link: {bandwidth: 2 GB/s}}\n"
        "  top: {switches: [right, left], nodes: c, class: k}\n"
        "  right: {nodes: 'b[0-1]', class: k, link: {bandwidth: 3 GB/s}}\n",
        "small.yaml");
    return std::move(cluster).value();
}

std::vector<std::string> names_at(const Hct& hct, std::uint32_t depth) {
    std::vector<std::string> names;
    for (const Element& element : hct.elements()) {
        if (element.depth == depth) names.push_back(element.name);
    }
    return names;
}

TEST(BuildHct, WholeClusterFollowsTheSwitches) {
    const Cluster cluster = small_cluster();

    const auto hct = build_hct(cluster, whole_cluster(cluster));

    ASSERT_TRUE(hct) << hct.error().message;
    EXPECT_EQ(names_at(hct.value(), 1), (std::vector<std::string>{"right", "left", "c"}));
    EXPECT_EQ(hct.value().num_pus(), 20U);
    // nodes are numbered as the file lists them, PUs as the tree has them
    EXPECT_EQ(hct.value().node(0).name, "a0");
    EXPECT_EQ(hct.value().node(0).first_pu, 8U);
    EXPECT_EQ(hct.value().node(4).name, "b1");
    EXPECT_EQ(hct.value().node(4).first_pu, 4U);
}

TEST(BuildHct, NodesHaveTheOrderOfTheJob) {
    const auto hct = build_hct(small_cluster(), {{{"c", 0}, {"a1", 0}, {"b0", 0}}});

    ASSERT_TRUE(hct) << hct.error().message;
    EXPECT_EQ(hct.value().node(0).name, "c");
    EXPECT_EQ(hct.value().node(1).name, "a1");
    EXPECT_EQ(hct.value().node(2).name, "b0");
    EXPECT_EQ(hct.value().pu(0).node, 2U);  // right comes first in the tree
}

TEST(BuildHct, RootIsTheLowestSwitchWithAllNodes) {
    const auto hct = build_hct(small_cluster(), {{{"b1", 0}, {"b0", 0}}});

    ASSERT_TRUE(hct) << hct.error().message;
    EXPECT_EQ(hct.value().element(0).name, "right");
    EXPECT_EQ(names_at(hct.value(), 1), (std::vector<std::string>{"b0", "b1"}));
}

TEST(BuildHct, ASwitchWithASingleChildKeepsItsPort) {
    const auto hct = build_hct(small_cluster(), {{{"b1", 0}, {"c", 0}}});

    ASSERT_TRUE(hct) << hct.error().message;
    EXPECT_EQ(names_at(hct.value(), 1), (std::vector<std::string>{"right", "c"}));
    EXPECT_EQ(hct.value().port(1).out.bandwidth.at(1), 3e9);
    EXPECT_EQ(hct.value().element(1).num_children, 1U);
}

TEST(BuildHct, APartOfANodeIsItsFirstPus) {
    // three PUs: the first core whole, half of the second
    const auto hct = build_hct(small_cluster(), {{{"b0", 3}, {"b1", 2}}});

    ASSERT_TRUE(hct) << hct.error().message;
    const Element& b0 = hct.value().element(hct.value().node(0).element);
    ASSERT_EQ(b0.num_children, 2U);
    EXPECT_EQ(hct.value().element(b0.first_child).num_pus, 2U);
    EXPECT_EQ(hct.value().element(b0.first_child + 1).num_pus, 1U);
    const Element& b1 = hct.value().element(hct.value().node(1).element);
    EXPECT_EQ(b1.num_children, 1U);  // the second core is empty
    EXPECT_EQ(hct.value().pu_index(4), 1U);
}

TEST(BuildHct, PortsAreTheClasssOrBuiltIn) {
    auto cluster = parse_cluster_yaml(
        "version: 1\n"
        "node_classes:\n"
        "  given: {hwloc: {synthetic: 'core:2 pu:1'}, link: {}, inside: {core: {bandwidth: 2 "
        "GB/s}}}\n"
        "  lower: {hwloc: {synthetic: 'core:2 pu:1'}, link: {}, inside: {pu: {bandwidth: 3 "
        "GB/s}}}\n"
        "  none: {hwloc: {synthetic: 'core:2 pu:1'}, link: {}}\n"
        "switches: {s: {nodes: [{names: g, class: given}, {names: l, class: lower}, {names: n, "
        "class: none}]}}\n",
        "ports.yaml");
    ASSERT_TRUE(cluster) << cluster.error().message;

    const auto hct = build_hct(cluster.value(), whole_cluster(cluster.value()));

    ASSERT_TRUE(hct) << hct.error().message;
    const auto bandwidth = [&](PuId pu) {
        return hct.value().port(hct.value().pu(pu).element).out.bandwidth.at(1);
    };
    EXPECT_EQ(bandwidth(0), 2e9);
    EXPECT_EQ(bandwidth(2), 3e9);
    EXPECT_EQ(bandwidth(4), default_port(Level::core).out.bandwidth.at(1));
}

TEST(BuildHct, BuiltInPortsGetWorseTowardsTheRoot) {
    for (const auto& [above, below] : {std::pair{Level::package, Level::numa},
                                       {Level::numa, Level::cache},
                                       {Level::cache, Level::core},
                                       {Level::core, Level::pu}}) {
        const Port upper = default_port(above);
        const Port lower = default_port(below);
        EXPECT_LT(upper.out.bandwidth.at(1), lower.out.bandwidth.at(1));
        EXPECT_GT(upper.out.latency_ns, lower.out.latency_ns);
        EXPECT_GE(upper.out.max_bandwidth_bytes_per_s, upper.out.bandwidth.highest());
    }
}

TEST(BuildHct, RefusesJobsThatDoNotFit) {
    const Cluster cluster = small_cluster();
    const auto message = [&](const Allocation& job) {
        const auto hct = build_hct(cluster, job);
        return hct ? std::string("accepted") : hct.error().message;
    };

    EXPECT_THAT(message({}), HasSubstr("the job has no nodes"));
    EXPECT_EQ(
        message({{{"a00", 0}}}),
        "node 'a00' is not in small.yaml; add it to one of the switches (or did you mean 'a0'?)");
    EXPECT_THAT(message({{{"completely-different", 0}}}),
                HasSubstr("add it to one of the switches"));
    EXPECT_THAT(message({{{"a0", 1}, {"a0", 1}}}), HasSubstr("'a0' stands twice"));
    EXPECT_EQ(
        message({{{"a0", 5}}}),
        "the job has 5 PUs on node 'a0', but its class 'k' has 4; correct the class in small.yaml");
    EXPECT_EQ(build_hct(cluster, {{{"x", 0}}}).error().code, Errc::not_found);
}

/// Checks build_hct() against the slow way: a job's PUs are the first PUs of each node, in the tree
/// order of the whole cluster.
TEST(BuildHct, AnyJobIsAPartOfTheWhole) {
    const Cluster cluster = small_cluster();
    const Hct whole = build_hct(cluster, whole_cluster(cluster)).value();
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        Allocation job;
        std::map<std::string, std::uint32_t> wanted;
        for (const Cluster::Node& node : cluster.nodes) {
            const auto num_pus = static_cast<std::uint32_t>(random() % 5);
            if (num_pus == 0) continue;
            job.nodes.push_back({node.name, num_pus});
            wanted[node.name] = num_pus;
        }
        std::shuffle(job.nodes.begin(), job.nodes.end(), random);
        if (job.nodes.empty()) continue;

        const auto part = build_hct(cluster, job);

        ASSERT_TRUE(part) << part.error().message;
        std::vector<PuId> kept;
        for (PuId p = 0; p < whole.num_pus(); ++p) {
            const PuInfo& pu = whole.pu(p);
            const auto node = wanted.find(whole.node(pu.node).name);
            if (node != wanted.end() && whole.pu_index(p) < node->second) kept.push_back(p);
        }
        ASSERT_EQ(part.value().num_pus(), kept.size());
        for (PuId a = 0; a < kept.size(); ++a) {
            ASSERT_EQ(part.value().node(part.value().pu(a).node).name,
                      whole.node(whole.pu(kept[a]).node).name);
            for (PuId b = 0; b < kept.size(); ++b) {
                ASSERT_EQ(part.value().hops(a, b), whole.hops(kept[a], kept[b]));
            }
        }
    }
}

TEST(BuildHct, TenThousandNodesOf128PusFit) {
    std::string text =
        "version: 1\n"
        "node_classes: {k: {hwloc: {synthetic: 'package:2 numa:4 l3:2 core:4 pu:2'}, link: "
        "{bandwidth: 1 GB/s}}}\n"
        "switches:\n"
        "  top: {switches: [s0";
    for (int s = 1; s < 100; ++s) text += ", s" + std::to_string(s);
    text += "]}\n";
    for (int s = 0; s < 100; ++s) {
        const std::string name = "s" + std::to_string(s);
        text += "  " + name + ": {nodes: '" + name +
                "n[00-99]', class: k, link: {bandwidth: 1 GB/s}}\n";
    }
    const auto cluster = parse_cluster_yaml(text, "big.yaml");
    ASSERT_TRUE(cluster) << cluster.error().message;

    const auto hct = build_hct(cluster.value(), whole_cluster(cluster.value()));

    ASSERT_TRUE(hct) << hct.error().message;
    EXPECT_EQ(hct.value().num_pus(), 1280000U);
    // The root has a port, and the links of 100 switches and 10,000 nodes share a port. The five
    // levels inside a node have a port each.
    EXPECT_EQ(hct.value().ports().size(), 1U + 1U + 5U);
    EXPECT_THAT(describe(hct.value()), HasSubstr("100 x switch s[0-99]"));
}

}  // namespace
}  // namespace commmap
