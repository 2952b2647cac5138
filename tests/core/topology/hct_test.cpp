// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/hct.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "core/topology/sample_hct.hpp"

namespace commmap {
namespace {

/// From the leaf to the root, the leaf included.
std::vector<ElementId> ancestors(const Hct& hct, PuId pu) {
    std::vector<ElementId> chain;
    for (ElementId e = hct.pu(pu).element; e != no_id; e = hct.element(e).parent)
        chain.push_back(e);
    return chain;
}

/// A random tree: switches of random depth, nodes of random insides, leaves at different depths.
SampleElement random_element(std::mt19937& random, Level level, unsigned depth, int& next_name) {
    SampleElement element;
    element.level = level;
    if (level <= Level::node) element.name = "e" + std::to_string(next_name++);
    if (level == Level::pu) return element;
    const unsigned num_children = 1 + static_cast<unsigned>(random() % 4);
    for (unsigned c = 0; c < num_children; ++c) {
        Level child = Level::pu;
        if (level == Level::switch_) {
            child = depth < 3 && random() % 2 == 0 ? Level::switch_ : Level::node;
        } else {
            const int below = static_cast<int>(Level::pu) - static_cast<int>(level);
            child = static_cast<Level>(static_cast<int>(level) + 1 +
                                       static_cast<int>(random() % static_cast<unsigned>(below)));
        }
        element.children.push_back(random_element(random, child, depth + 1, next_name));
    }
    return element;
}

TEST(Hct, TwoNodesOfTwoByHand) {
    const Hct hct = two_nodes_of_two();

    EXPECT_EQ(hct.num_elements(), 7U);
    EXPECT_EQ(hct.num_pus(), 4U);
    EXPECT_EQ(hct.num_nodes(), 2U);
    EXPECT_EQ(hct.hops(0, 0), 0U);
    EXPECT_EQ(hct.hops(0, 1), 2U);  // two PU ports
    EXPECT_EQ(hct.hops(0, 2), 4U);  // and two node ports
    EXPECT_EQ(hct.common_ancestor(0, 1), hct.node(0).element);
    EXPECT_EQ(hct.common_ancestor(1, 3), 0U);
    EXPECT_EQ(hct.common_ancestor(2, 2), hct.pu(2).element);
}

TEST(Hct, PortsOfAMessageAcrossTheSweeneyMachine) {
    const Hct hct = sweeney_8x2();
    std::vector<ElementId> up;
    std::vector<ElementId> down;

    // PU 1 is the second of m0, PU 15 the second of m7
    const ElementId top = hct.for_each_port(
        1, 15, [&](ElementId e) { up.push_back(e); }, [&](ElementId e) { down.push_back(e); });

    EXPECT_EQ(top, 0U);
    EXPECT_EQ(up, (std::vector<ElementId>{12, 3, 1}));
    EXPECT_EQ(down, (std::vector<ElementId>{26, 10, 2}));
    EXPECT_EQ(hct.element(10).name, "m7");
    EXPECT_DOUBLE_EQ(hct.port(10).in.message_time_s(12.5e6), 1.0 + 60e-6);
}

TEST(Hct, NodesAreNumberedAsTheJobListsThem) {
    const Port port;
    const Hct hct = sample_hct({Level::switch_,
                                port,
                                {sample_node("a", 1, port, port), sample_node("b", 2, port, port)},
                                "s"},
                               {"b", "a"});

    EXPECT_EQ(hct.node(0).name, "b");
    EXPECT_EQ(hct.node(0).first_pu, 1U);
    EXPECT_EQ(hct.node(1).name, "a");
    EXPECT_EQ(hct.pu(0).node, 1U);
    EXPECT_EQ(hct.pu_index(2), 1U);
}

TEST(Hct, OnePuIsATree) {
    const Hct hct = uniform_tree({1});

    EXPECT_EQ(hct.num_elements(), 2U);
    EXPECT_EQ(hct.element(0).level, Level::node);
    EXPECT_EQ(hct.common_ancestor(0, 0), 1U);
}

TEST(Hct, UniformTreeHasItsLevels) {
    const Hct hct = uniform_tree({2, 2, 3, 2}, {1.0, 2.0, 3.0, 4.0});

    EXPECT_EQ(hct.num_pus(), 24U);
    EXPECT_EQ(hct.element(0).level, Level::switch_);
    EXPECT_EQ(hct.element(1).level, Level::node);
    EXPECT_EQ(hct.element(3).level, Level::package);
    EXPECT_EQ(hct.element(7).level, Level::core);
    EXPECT_EQ(hct.element(7).num_pus, 2U);
    EXPECT_EQ(hct.port(7).out.bandwidth.at(1), 3.0);
    EXPECT_EQ(hct.port(hct.pu(0).element).out.bandwidth.at(1), 4.0);
}

TEST(Hct, LevelNames) {
    EXPECT_STREQ(level_name(Level::switch_), "switch");
    EXPECT_STREQ(level_name(Level::pu), "pu");
}

TEST(Hct, RandomTreesAgreeWithTheSlowWay) {
    std::mt19937 random(7);
    for (int round = 0; round < 60; ++round) {
        int next_name = 0;
        const Level root = round % 3 == 0 ? Level::node : Level::switch_;
        const Hct hct = sample_hct(random_element(random, root, 0, next_name));
        for (int pair = 0; pair < 50; ++pair) {
            const auto a = static_cast<PuId>(random() % hct.num_pus());
            const auto b = static_cast<PuId>(random() % hct.num_pus());
            const std::vector<ElementId> above_a = ancestors(hct, a);
            const std::vector<ElementId> above_b = ancestors(hct, b);
            // The slow way: the first common ancestor in both chains, and the elements before it.
            const auto top_a =
                std::find_first_of(above_a.begin(), above_a.end(), above_b.begin(), above_b.end());
            const auto top_b = std::find(above_b.begin(), above_b.end(), *top_a);
            std::vector<ElementId> up;
            std::vector<ElementId> down;

            const ElementId top = hct.for_each_port(
                a, b, [&](ElementId e) { up.push_back(e); },
                [&](ElementId e) { down.push_back(e); });

            ASSERT_EQ(top, *top_a);
            ASSERT_EQ(hct.common_ancestor(a, b), *top_a);
            ASSERT_EQ(up, std::vector<ElementId>(above_a.begin(), top_a));
            ASSERT_EQ(down, std::vector<ElementId>(above_b.begin(), top_b));
            ASSERT_EQ(hct.hops(a, b), up.size() + down.size());
        }
    }
}

#if GTEST_HAS_DEATH_TEST && !defined(NDEBUG)
TEST(HctDeathTest, RefusesATreeThatIsNotOne) {
    // a root whose only child says that its parent is itself
    std::vector<Element> elements(2);
    elements[0] = {Level::node, no_id, 1, 1, 0, 1, 0, 0, 0, 1.0, "n"};
    elements[1] = {Level::pu, 1, no_id, 0, 0, 1, 1, 0, 0, 1.0, ""};

    EXPECT_DEATH(Hct(elements, {Port{}}, {{1, 0}}, {{"n", 0, 0, 1}}), "child and parent agree");
}
#endif

}  // namespace
}  // namespace commmap
