// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/node_binding.hpp"

#include <gtest/gtest.h>

#include "core/mapping/problems.hpp"

namespace commmap {
namespace {

/// Two nodes of two packages of two PUs; a package's port is slow, a node's fast.
Hct two_nodes_of_two_packages() { return uniform_tree({2, 2, 2}, {1e9, 1e8, 2e9}, 1); }

std::vector<NodeId> nodes_of(const Hct& hct, std::span<const PuId> placement) {
    std::vector<NodeId> nodes;
    for (const PuId pu : placement) nodes.push_back(hct.pu(pu).node);
    return nodes;
}

TEST(NodeBinding, PutsPartnersIntoOnePackage) {
    const Hct hct = two_nodes_of_two_packages();
    ASSERT_EQ(hct.num_nodes(), 2U);
    std::vector<Message> messages;
    for (const RankId r : {0U, 1U, 4U, 5U}) messages.push_back({r, r + 2, 1, 100'000'000});
    const CommGraph graph(8, std::move(messages));
    const std::vector<PuId> start{0, 1, 2, 3, 4, 5, 6, 7};

    const auto bound = bind_in_nodes(graph, hct, start, {});

    EXPECT_EQ(nodes_of(hct, bound), nodes_of(hct, start));
    for (const RankId r : {0U, 1U, 4U, 5U}) EXPECT_EQ(bound[r] / 2, bound[r + 2] / 2) << r;
    EXPECT_LT(port_cost(graph, hct, bound).value().cost_s,
              0.2 * port_cost(graph, hct, start).value().cost_s);
}

TEST(NodeBinding, SharesTheLoadThatComesFromOutside) {
    // Ranks 0 and 1 send a lot to the other node, so they must not share a package's port.
    const Hct hct = two_nodes_of_two_packages();
    const CommGraph graph(8, {{0, 4, 1, 100'000'000}, {1, 6, 1, 100'000'000}});
    const std::vector<PuId> start{0, 1, 2, 3, 4, 5, 6, 7};

    const auto bound = bind_in_nodes(graph, hct, start, {});

    EXPECT_NE(bound[0] / 2, bound[1] / 2);
    EXPECT_NE(bound[4] / 2, bound[6] / 2);
}

TEST(NodeBinding, MovesNoRankAndIsNeverWorse) {
    std::mt19937 random(7);
    for (int i = 0; i < 60; ++i) {
        const Hct hct = i % 2 == 0 ? uneven_tree() : uniform_tree({2, 2, 2}, {1e8, 2e8, 2e9}, 1);
        const std::size_t n = 2 + random() % (hct.num_pus() - 2);
        const CommGraph graph = random_graph(n, 0.5, random);
        const auto start = random_placement(n, hct.num_pus(), random);

        const auto bound = bind_in_nodes(graph, hct, start, {.seed = 3});

        EXPECT_EQ(nodes_of(hct, bound), nodes_of(hct, start));
        EXPECT_TRUE(std::is_permutation(bound.begin(), bound.end(), start.begin()));
        EXPECT_LE(port_cost(graph, hct, bound).value().cost_s,
                  port_cost(graph, hct, start).value().cost_s * (1 + 1e-9));
        EXPECT_EQ(bound, bind_in_nodes(graph, hct, start, {.seed = 3}));
    }
}

}  // namespace
}  // namespace commmap
