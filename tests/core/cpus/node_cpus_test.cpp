// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/cpus/node_cpus.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace commmap {

static bool operator==(const CpuTree::Group& a, const CpuTree::Group& b) {
    return a.first_cpu == b.first_cpu && a.num_cpus == b.num_cpus &&
           (a.num_children == 0 || a.first_child == b.first_child) &&
           a.num_children == b.num_children;
}

namespace {

using testing::ElementsAre;
using Group = CpuTree::Group;

/// Two packages of two cores of two CPUs, whose CPUs the system numbers in turn.
const NodeCpus machine{{{{0, 8, 1, 2},
                         {0, 4, 3, 2},
                         {4, 4, 5, 2},
                         {0, 2, 7, 2},
                         {2, 2, 9, 2},
                         {4, 2, 11, 2},
                         {6, 2, 13, 2},
                         {0, 1, 0, 0},
                         {1, 1, 0, 0},
                         {2, 1, 0, 0},
                         {3, 1, 0, 0},
                         {4, 1, 0, 0},
                         {5, 1, 0, 0},
                         {6, 1, 0, 0},
                         {7, 1, 0, 0}}},
                       {0, 4, 2, 6, 1, 5, 3, 7}};

TEST(PartOfNode, LeavesOutGroupsWithOnePart) {
    const auto part = part_of_node(machine, {0, 1, 2, 4});  // of the second package one CPU

    ASSERT_TRUE(part) << part.error().message;
    EXPECT_THAT(part.value().os_index, ElementsAre(0, 4, 2, 1));
    EXPECT_THAT(
        part.value().tree.groups,
        ElementsAre(Group{0, 4, 1, 2}, Group{0, 3, 3, 2}, Group{3, 1, 0, 0}, Group{0, 2, 5, 2},
                    Group{2, 1, 0, 0}, Group{0, 1, 0, 0}, Group{1, 1, 0, 0}));
}

TEST(PartOfNode, OfAllIsAllAndOfNothingNothing) {
    const auto all = part_of_node(machine, {0, 1, 2, 3, 4, 5, 6, 7});
    ASSERT_TRUE(all);
    EXPECT_EQ(all.value().tree.groups, machine.tree.groups);
    const auto nothing = part_of_node(machine, {});
    ASSERT_TRUE(nothing);
    EXPECT_TRUE(nothing.value().tree.groups.empty());
}

TEST(PartOfNode, RefusesACpuThatIsNotThere) {
    EXPECT_EQ(part_of_node(machine, {0, 8}).error().message,
              "hwloc does not know CPU 8 of this node");
    EXPECT_FALSE(part_of_node({}, {0}));
}

TEST(NodeOfBytes, ReadsWhatIsWritten) {
    const auto same = node_of_bytes(bytes_of_node(machine));
    ASSERT_TRUE(same) << same.error().message;
    EXPECT_EQ(same.value().tree.groups, machine.tree.groups);
    EXPECT_EQ(same.value().os_index, machine.os_index);
    EXPECT_TRUE(node_of_bytes(bytes_of_node({})));
}

TEST(NodeOfBytes, RefusesWhatIsCutOrNoTree) {
    const std::string bytes = bytes_of_node(machine);
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(node_of_bytes(bytes.substr(0, size))) << size;
    EXPECT_FALSE(node_of_bytes(bytes + "x"));

    const std::vector<Group> wrong = {{0, 8, 0, 2},    // its own child
                                      {0, 8, 1, 1},    // too few children
                                      {0, 9, 1, 2},    // more CPUs than there are
                                      {1, 8, 1, 2},    // not from the first on
                                      {0, 8, 1, 99}};  // children that are not there
    for (const Group& root : wrong) {
        NodeCpus broken = machine;
        broken.tree.groups.front() = root;
        EXPECT_FALSE(node_of_bytes(bytes_of_node(broken)));
    }
    NodeCpus overlapping = machine;
    overlapping.tree.groups[2].first_cpu = 3;
    EXPECT_FALSE(node_of_bytes(bytes_of_node(overlapping)));
}

/// Words of a buffer: its size, where its root is, "CMN1"; the root's first word names its vtable.
TEST(NodeOfBytes, RefusesAnotherSizeRootKindOrVtable) {
    const std::string bytes = bytes_of_node(machine);
    const auto word = [](const std::string& text, std::size_t at) {
        std::uint32_t value = 0;
        std::memcpy(&value, text.data() + at, sizeof value);
        return value;
    };
    const auto with = [&](std::size_t at, std::uint32_t value) {
        std::string changed = bytes;
        std::memcpy(changed.data() + at, &value, sizeof value);
        return changed;
    };
    constexpr std::size_t root_at = sizeof(std::uint32_t);
    const std::size_t root = root_at + word(bytes, root_at);
    ASSERT_TRUE(node_of_bytes(with(root, word(bytes, root))));

    EXPECT_FALSE(node_of_bytes(with(0, word(bytes, 0) - 1)));
    EXPECT_FALSE(node_of_bytes(with(2 * root_at, 0)));
    for (const std::uint32_t other : {0U, 1U, 2U, 4U, word(bytes, root_at) + 4, 0x7fffffffU, ~0U}) {
        EXPECT_FALSE(node_of_bytes(with(root_at, other))) << other;
        EXPECT_FALSE(node_of_bytes(with(root, other))) << other;
    }
    EXPECT_FALSE(node_of_bytes(std::string(4096, '\0')));
}

/// A task may be told anything by another; what is read has all its CPUs.
TEST(NodeOfBytes, ReadsNothingWrongWhateverAByteIs) {
    const std::string bytes = bytes_of_node(machine);
    for (std::size_t at = 0; at < bytes.size(); ++at)
        for (const char flip : {'\x01', '\x04', '\x80', '\xff'}) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(changed[at] ^ flip);
            const auto node = node_of_bytes(changed);
            if (!node || node.value().tree.groups.empty()) continue;
            EXPECT_EQ(node.value().tree.groups[0].num_cpus, node.value().os_index.size()) << at;
        }
}

TEST(NodeOfBytes, ReadsFromAnyPlace) {
    const std::string behind = "x" + bytes_of_node(machine);
    const auto same = node_of_bytes(std::string_view(behind).substr(1));
    ASSERT_TRUE(same) << same.error().message;
    EXPECT_EQ(same.value().os_index, machine.os_index);
}

/// Whoever walks down the tree calls itself for each level.
TEST(NodeOfBytes, RefusesATreeOfManyLevels) {
    const auto chain = [](std::uint32_t levels) {
        NodeCpus node{{}, {0}};
        for (std::uint32_t i = 1; i < levels; ++i) node.tree.groups.push_back({0, 1, i, 1});
        node.tree.groups.push_back({0, 1, 0, 0});
        return bytes_of_node(node);
    };
    EXPECT_TRUE(node_of_bytes(chain(64)));
    EXPECT_FALSE(node_of_bytes(chain(65)));
    EXPECT_FALSE(node_of_bytes(chain(30000)));
}

}  // namespace
}  // namespace commmap
