// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/scenario.hpp"

#include <gmock/gmock.h>

#include "core/plan/sample_job.hpp"

namespace commmap {
namespace {

TEST(Scenario, SaysWhyARunHasNoSteps) {
    Profile profile = crossing(true);
    profile.rounds.ranks[3].unclear = true;
    const Cluster cluster = two_switches();

    const auto scenario = make_scenario(profile, cluster, whole_cluster(cluster), 4);

    ASSERT_TRUE(scenario) << scenario.error().message;
    EXPECT_TRUE(scenario.value().steps.empty());
    EXPECT_THAT(scenario.value().no_steps_because, testing::StartsWith("rank 3 has rounds"));
}

TEST(Scenario, RefusesAProfileOfAnotherRankCount) {
    const Cluster cluster = sample_cluster();
    const auto scenario =
        make_scenario(paired_profile({1, 0}, 1, 1.0, 1.0), cluster, whole_cluster(cluster), 4);
    ASSERT_FALSE(scenario);
    EXPECT_NE(scenario.error().message.find("2 ranks, the job has 4"), std::string::npos)
        << scenario.error().message;
}

TEST(Scenario, RefusesANodeThatTheClusterLacks) {
    const Cluster cluster = sample_cluster();
    const auto scenario = make_scenario(paired_profile({1, 0, 3, 2}, 1, 1.0, 1.0), cluster,
                                        Allocation{{{"n0", 2}, {"x9", 2}}}, 4);
    ASSERT_FALSE(scenario);
    EXPECT_NE(scenario.error().message.find("x9"), std::string::npos) << scenario.error().message;
}

}  // namespace
}  // namespace commmap
