// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/hwloc_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/topology/describe.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;

const std::string data = COMMMAP_TEST_DATA "/topology/";

/// Describes a tree with one switch and this node.
std::string description_of(const NodeTree& tree) {
    Cluster cluster;
    cluster.switches.push_back({"s", no_id, {}});
    cluster.classes.push_back({"c", tree, {}, std::numeric_limits<double>::infinity(), {}});
    cluster.nodes.push_back({"n", 0, 0});
    cluster.node_index["n"] = 0;
    const auto hct = build_hct(cluster, whole_cluster(cluster));
    return hct ? describe(hct.value()) : hct.error().message;
}

/// Returns the levels from the node down to its first leaf.
std::vector<Level> first_branch(const NodeTree& tree) {
    std::vector<Level> levels{Level::node};
    for (std::uint32_t v = 0; !tree.vertices[v].children.empty();) {
        v = tree.vertices[v].children[0];
        levels.push_back(tree.vertices[v].level);
    }
    return levels;
}

std::vector<std::uint32_t> os_indexes(const NodeTree& tree) {
    std::vector<std::uint32_t> indexes;
    const auto walk = [&](auto&& self, std::uint32_t v) -> void {
        if (tree.vertices[v].level == Level::pu) indexes.push_back(tree.vertices[v].os_index);
        for (const std::uint32_t child : tree.vertices[v].children) self(self, child);
    };
    walk(walk, 0);
    return indexes;
}

class GoldenXml : public testing::TestWithParam<const char*> {};

TEST_P(GoldenXml, IsAsExpected) {
    const auto tree = read_hwloc_xml(data + GetParam() + ".xml");

    ASSERT_TRUE(tree) << tree.error().message;
    std::ifstream file(data + GetParam() + ".expected");
    std::ostringstream expected;
    expected << file.rdbuf();
    EXPECT_EQ(description_of(tree.value()), expected.str());
}

INSTANTIATE_TEST_SUITE_P(HwlocReader, GoldenXml,
                         testing::Values("2-core2-pu1", "32-package2-core8-pu2",
                                         "32-l3x4-l2x4-core2", "64-package2-numa2-l3x2-core4-pu2",
                                         "10-restricted-package2-l3x2-core2-pu2"));

TEST(HwlocReader, FoldsLevelsOfOnlyChildren) {
    const auto tree = read_hwloc_synthetic("package:1 l3:1 core:4 pu:1");

    ASSERT_TRUE(tree) << tree.error().message;
    EXPECT_EQ(first_branch(tree.value()), (std::vector<Level>{Level::node, Level::pu}));
    EXPECT_EQ(tree.value().num_pus(), 4U);
    // the leaf stands for the core, too
    EXPECT_EQ(tree.value().vertices[1].levels,
              1U << static_cast<unsigned>(Level::core) | 1U << static_cast<unsigned>(Level::pu));
}

TEST(HwlocReader, ASinglePuStaysALeaf) {
    const auto tree = read_hwloc_synthetic("pu:1");

    ASSERT_TRUE(tree) << tree.error().message;
    EXPECT_EQ(first_branch(tree.value()), (std::vector<Level>{Level::node, Level::pu}));
}

TEST(HwlocReader, NumaNodesAreALevelWhereTheyGroupCores) {
    const auto in_package = read_hwloc_synthetic("package:2 numa:2 core:4 pu:2");
    const auto of_package = read_hwloc_synthetic("package:2 [numa] core:4 pu:2");
    const auto of_machine = read_hwloc_synthetic("[numa] package:2 core:4 pu:2");

    ASSERT_TRUE(in_package);
    ASSERT_TRUE(of_package);
    ASSERT_TRUE(of_machine);
    EXPECT_EQ(
        first_branch(in_package.value()),
        (std::vector<Level>{Level::node, Level::package, Level::numa, Level::core, Level::pu}));
    EXPECT_EQ(first_branch(of_package.value()),
              (std::vector<Level>{Level::node, Level::package, Level::core, Level::pu}));
    EXPECT_EQ(first_branch(of_machine.value()),
              (std::vector<Level>{Level::node, Level::package, Level::core, Level::pu}));
}

TEST(HwlocReader, ANumaNodeMayHoldPackages) {
    const auto tree = read_hwloc_synthetic("numa:2 package:2 core:2 pu:1");

    ASSERT_TRUE(tree) << tree.error().message;
    EXPECT_EQ(first_branch(tree.value()),
              (std::vector<Level>{Level::node, Level::numa, Level::package, Level::pu}));
    EXPECT_THAT(description_of(tree.value()), HasSubstr("8 PUs"));
}

TEST(HwlocReader, CachesOfASingleCoreAreNoLevel) {
    const auto tree = read_hwloc_synthetic("package:2 l3:2 l2:2 l1d:1 core:1 pu:2");

    ASSERT_TRUE(tree) << tree.error().message;
    EXPECT_EQ(
        first_branch(tree.value()),
        (std::vector<Level>{Level::node, Level::package, Level::cache, Level::core, Level::pu}));
}

TEST(HwlocReader, KeepsLogicalOrderAndTheSystemsNumbers) {
    const auto tree = read_hwloc_synthetic("core:2 pu:2(indexes=0,2,1,3)");

    ASSERT_TRUE(tree) << tree.error().message;
    EXPECT_EQ(os_indexes(tree.value()), (std::vector<std::uint32_t>{0, 2, 1, 3}));
}

TEST(HwlocReader, ReadsThisMachine) {
    const auto tree = read_hwloc_live();

    ASSERT_TRUE(tree) << tree.error().message;
    EXPECT_GT(tree.value().num_pus(), 0U);
    EXPECT_THAT(description_of(tree.value()), HasSubstr("1 node"));
}

TEST(HwlocReader, RefusesBadInputInSilence) {
    testing::internal::CaptureStderr();
    for (const char* bad :
         {"", "foo:2", "core:0 pu:1", "pu:2 core:2", "core:-1 pu:1", "core:2 pu:99999999999",
          "package:1000 core:1000 pu:1000", "core:2 pu:2(indexes=7,7)x", "\n"}) {
        const auto tree = read_hwloc_synthetic(bad);
        ASSERT_FALSE(tree) << bad;
        EXPECT_EQ(tree.error().message.find('\n'), std::string::npos);
    }
    const auto garbage = read_hwloc_xml(data + "garbage.xml");
    const auto missing = read_hwloc_xml(data + "no_such_file.xml");
    const auto no_xml = read_hwloc_xml(data + "sweeney-8x2.yaml");

    ASSERT_FALSE(garbage);
    EXPECT_EQ(garbage.error().code, Errc::invalid_input);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Errc::not_found);
    EXPECT_FALSE(no_xml);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace commmap
