// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "commmap/machine_tree.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace commmap {
namespace {

using Arities = std::vector<std::uint32_t>;
using Distances = std::vector<std::uint64_t>;
using Pus = std::vector<PuId>;

std::string error_of(const Arities& arities, const Distances& distances) {
    const auto tree = MachineTree::make(arities, distances);
    return tree ? "none" : tree.error().message;
}

TEST(MachineTree, DistanceIsThatOfTheLowestCommonGroup) {
    // bins of 2 PUs, 3 bins in a node, 5 nodes: arities that are no powers of two
    const auto made = MachineTree::make(Arities{2, 3, 5}, Distances{1, 7, 50});

    ASSERT_TRUE(made);
    const MachineTree& tree = made.value();
    EXPECT_EQ(tree.num_pus(), 30U);
    EXPECT_EQ(tree.num_bins(), 15U);
    for (GroupId a = 0; a < 15; ++a) {
        for (GroupId b = 0; b < 15; ++b) {
            const double expected = a == b ? 1 : a / 3 == b / 3 ? 7 : 50;
            EXPECT_EQ(tree.distance(tree.path(a), tree.path(b)), expected) << a << ' ' << b;
            const unsigned depth = a == b ? 2 : a / 3 == b / 3 ? 1 : 0;
            EXPECT_EQ(tree.common_depth(tree.path(a), tree.path(b)), depth) << a << ' ' << b;
        }
    }
    EXPECT_EQ(tree.level(1).parent, (std::vector<GroupId>{0, 0, 0, 0, 0}));
    EXPECT_EQ(tree.level(1).first_child, (std::vector<GroupId>{0, 3, 6, 9, 12, 15}));
    EXPECT_EQ(tree.level(1).capacity, (std::vector<std::uint32_t>{6, 6, 6, 6, 6}));
}

TEST(MachineTree, OnlyPusThatMayBeUsedCount) {
    const auto made = MachineTree::make(Arities{2, 2, 2}, Distances{1, 1, 9}, Pus{1, 2, 3, 7});

    ASSERT_TRUE(made);
    const MachineTree& tree = made.value();
    EXPECT_EQ(tree.num_pus(), 4U);
    EXPECT_EQ(tree.bins().capacity, (std::vector<std::uint32_t>{1, 2, 0, 1}));
    EXPECT_EQ(tree.level(1).capacity, (std::vector<std::uint32_t>{3, 1}));
    EXPECT_EQ(Pus(tree.pus_of(1).begin(), tree.pus_of(1).end()), (Pus{2, 3}));
    EXPECT_TRUE(tree.pus_of(2).empty());
}

TEST(MachineTree, PathsOf64Bits) {
    // The root has one child. On each level below, the last group has 17 children (5 bits), or 9 on
    // the last six levels (4 bits). All other groups have one child.
    MachineTree::Shape shape;
    std::uint32_t groups = 1;
    shape.parents.push_back({0});
    for (int level = 0; level < 14; ++level) {
        std::vector<GroupId> parents(level < 8 ? 17 : 9, groups - 1);
        for (GroupId other = groups - 1; other-- > 0;) parents.insert(parents.begin(), other);
        groups = static_cast<std::uint32_t>(parents.size());
        shape.parents.push_back(parents);
    }
    for (std::uint64_t depth = 0; depth < 16; ++depth) shape.distances.push_back(16 - depth);
    for (PuId bin = 0; bin < groups; ++bin) shape.pus.push_back({bin});

    const auto made = MachineTree::of_shape(shape);

    ASSERT_TRUE(made) << made.error().message;
    const MachineTree& tree = made.value();
    EXPECT_EQ(tree.distance(tree.path(0), tree.path(groups - 1)), 15);
    EXPECT_EQ(tree.distance(tree.path(groups - 2), tree.path(groups - 1)), 2);
    EXPECT_EQ(tree.distance(tree.path(groups - 1), tree.path(groups - 1)), 1);
}

TEST(MachineTree, GroupsOfOneAndASingleLevel) {
    const auto chain = MachineTree::make(Arities{1, 4, 1, 2, 1}, Distances{0, 1, 2, 3, 4});
    ASSERT_TRUE(chain);
    const MachineTree& tree = chain.value();
    EXPECT_EQ(tree.num_bins(), 8U);
    EXPECT_EQ(tree.distance(tree.path(0), tree.path(0)), 0);
    EXPECT_EQ(tree.distance(tree.path(0), tree.path(3)), 1);
    EXPECT_EQ(tree.distance(tree.path(0), tree.path(4)), 3);

    const auto flat = MachineTree::make(Arities{8}, Distances{5});
    ASSERT_TRUE(flat);
    EXPECT_EQ(flat.value().num_bins(), 1U);
    EXPECT_EQ(flat.value().distance(flat.value().path(0), flat.value().path(0)), 5);
}

TEST(MachineTree, TreesThatMakeNoSense) {
    EXPECT_EQ(error_of({}, {}), "a tree needs a level (example: 8:2:4)");
    EXPECT_EQ(error_of({2, 0}, {1, 2}), "a group of 0 in a tree: at least 1");
    EXPECT_EQ(error_of({65536, 65536}, {1, 2}),
              "a tree of more than 268435456 PUs: that is the most");
    EXPECT_EQ(error_of({1, 1, 1, 268435456}, {1, 2, 3, 4}),
              "a tree of 805306369 groups: 67108864 are the most");
    EXPECT_EQ(error_of(Arities(17, 1), Distances(17, 1)), "a tree of 17 levels: 16 are the most");
    EXPECT_FALSE(MachineTree::make(Arities{2}, Distances{1}, Pus{7}));
    EXPECT_FALSE(MachineTree::make(Arities{2}, Distances{1}, Pus{1, 1}));
    EXPECT_EQ(error_of({2, 2}, {1}),
              "1 distances for 2 levels: one for each, from the leaf level upwards");
    EXPECT_EQ(error_of({2, 2}, {5, 4}),
              "distance 4 after 5: PUs are not nearer when less of the machine is common to them");
}

TEST(MachineTree, Texts) {
    EXPECT_EQ(parse_arities("8:2:4").value(), (Arities{8, 2, 4}));
    EXPECT_EQ(parse_distances("0:4294967296").value(), (Distances{0, 4294967296}));
    for (const char* text : {"", ":", "8:", "8::2", "-1", "8x2", "4294967297:1"}) {
        EXPECT_FALSE(parse_arities(text)) << text;
        EXPECT_FALSE(parse_distances(text)) << text;
    }
    EXPECT_EQ(parse_pus("6,0-2,1", 8).value(), (Pus{0, 1, 2, 6}));
    EXPECT_EQ(parse_pus("0-8", 8).error().message, "PU 8 does not exist: the machine has 0 to 7");
    EXPECT_EQ(parse_pus("3-1", 8).error().message,
              "'3-1' is no PU and no range of PUs (example: 0-3,8)");
    EXPECT_EQ(parse_pus("", 8).error().message, "no PU may be used (example: 0-3,8)");
}

}  // namespace
}  // namespace commmap
