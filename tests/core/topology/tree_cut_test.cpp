// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/tree_cut.hpp"

#include <gtest/gtest.h>

#include "core/estimate/graphs.hpp"

namespace commmap {
namespace {

TEST(TreeAboveNodes, KeepsSwitchesAndLinks) {
    const Hct whole = uneven_tree();  // s0: s1 (n0, n1), s2 (n2, n3); a bound on s1

    const Hct tree = tree_above_nodes(whole);

    ASSERT_EQ(tree.num_nodes(), 4U);
    ASSERT_EQ(tree.num_pus(), 4U);
    for (NodeId node = 0; node < 4; ++node) {
        const NodeInfo& info = tree.node(node);
        EXPECT_EQ(info.name, whole.node(node).name);
        EXPECT_EQ(info.num_pus, 1U);
        EXPECT_EQ(tree.port(info.element), whole.port(whole.node(node).element));
        EXPECT_EQ(tree.port(tree.pu(info.first_pu).element), Port{}) << "inside all is free";
    }
    EXPECT_EQ(tree.element(1).name, "s1");
    EXPECT_EQ(tree.element(1).max_bandwidth_bytes_per_s,
              whole.element(1).max_bandwidth_bytes_per_s);
    // Two nodes of one switch, then of two switches. The PUs' own free links count as hops too.
    EXPECT_EQ(tree.hops(0, 1), 4U);
    EXPECT_EQ(tree.hops(0, 2), 6U);
}

TEST(TreeAboveNodes, TakesATreeThatIsOneNode) {
    const Hct tree = tree_above_nodes(sample_hct(sample_node("n0", 3, {}, sample_port(1e9))));

    EXPECT_EQ(tree.num_pus(), 1U);
    EXPECT_EQ(tree.num_elements(), 2U);
    EXPECT_EQ(tree.node(0).name, "n0");
}

TEST(TreeInsideNode, HasTheNodeAndOneOutside) {
    const Port port = sample_port(1e9);
    const Port fast = sample_port(5e9);
    const SampleElement package{
        Level::package, fast, {{Level::pu, port, {}}, {Level::pu, port, {}}}};
    const SampleElement node{Level::node, port, {package, package}, "b"};
    const SampleElement root{Level::switch_, {}, {sample_node("a", 2, port, port), node}, "s"};
    for (const Hct& whole : {sample_hct(root), sample_hct(node)}) {
        const auto last = static_cast<NodeId>(whole.num_nodes() - 1);

        const Hct tree = tree_inside_node(whole, last);

        ASSERT_EQ(tree.num_nodes(), 2U);
        ASSERT_EQ(tree.num_pus(), 5U);
        EXPECT_EQ(tree.node(0).name, "b");
        EXPECT_EQ(tree.node(0).num_pus, 4U);
        EXPECT_EQ(tree.node(1).first_pu, 4U);
        EXPECT_EQ(tree.port(tree.node(0).element), Port{}) << "the link is the same for all";
        EXPECT_EQ(tree.port(tree.element(tree.pu(0).element).parent), fast);
        EXPECT_EQ(tree.hops(0, 1), 2U);
        EXPECT_EQ(tree.hops(1, 2), 4U);
        EXPECT_EQ(tree.hops(0, 4), 5U);
    }
}

}  // namespace
}  // namespace commmap
