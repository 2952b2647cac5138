// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/allocation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/topology/node_names.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;

TEST(SlurmAllocation, PairsNodesWithCounts) {
    const auto job = parse_slurm_allocation("n[1-2],m", "4(x2),1");

    ASSERT_TRUE(job) << job.error().message;
    ASSERT_EQ(job.value().nodes.size(), 3U);
    EXPECT_EQ(job.value().nodes[1].name, "n2");
    EXPECT_EQ(job.value().nodes[1].num_pus, 4U);
    EXPECT_EQ(job.value().nodes[2].num_pus, 1U);
}

TEST(SlurmAllocation, WithoutCountsTakesAllPus) {
    const auto job = parse_slurm_allocation("n[1-2]", "");

    ASSERT_TRUE(job);
    EXPECT_EQ(job.value().nodes[0].num_pus, 0U);
}

TEST(SlurmAllocation, RefusesCountsOfOtherNodes) {
    const auto job = parse_slurm_allocation("n[1-2]", "4(x3)");

    ASSERT_FALSE(job);
    EXPECT_THAT(job.error().message, HasSubstr("has 2 nodes"));
    EXPECT_THAT(job.error().message, HasSubstr("are for 3"));
}

TEST(SlurmAllocation, RefusesBadHostlists) {
    for (const char* bad :
         {"", "n[", "n[2-1]", "n[1-99999999]", "[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0]"}) {
        EXPECT_FALSE(parse_slurm_allocation(bad, "")) << bad;
    }
    EXPECT_FALSE(parse_slurm_allocation(std::string(256, 'a') + "[1-2]", ""));
}

TEST(NodeNames, JoiningIsTheInverseOfExpanding) {
    for (const char* text : {"m[0-4]", "a", "n[001-003,7],login", "m[0-2],x7,m9", "n[9-11]",
                             "n[09-11]", "a,b,c", "r1c[1-2]", "n[1,1]"}) {
        const auto names = expand_node_names(text);

        ASSERT_TRUE(names) << text;
        EXPECT_EQ(joined_names(names.value()), text);
    }
    EXPECT_EQ(joined_names({}), "");
}

}  // namespace
}  // namespace commmap
