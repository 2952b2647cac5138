// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/plan/constraint_costs.hpp"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "core/plan/sample_job.hpp"

namespace commmap::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Ranks 0 and 2, 1 and 3 send to each other: Slurm's order keeps both pairs apart.
Job job_of_pairs() {
    Profile profile = paired_profile({2, 3, 0, 1}, 100'000'000, 10.0, 9.0);
    Cluster cluster = sample_cluster();
    auto scenario = make_scenario(profile, cluster, whole_cluster(cluster), 4);
    return {std::move(profile), std::move(cluster), std::move(scenario).value()};
}

std::vector<std::string> rows(PlannerOptions options, const Deadline& deadline) {
    const Job job = job_of_pairs();
    const Plan plan = make_plan(job.scenario, job.profile, job.cluster, options).value();
    options.deadline = deadline;  // when the plan itself was made
    return describe_keeping(plan, job, options);
}

TEST(DescribeKeeping, SaysWhichSearchesHadNoTime) {
    const auto lines = rows({}, Deadline::after(0.0));

    ASSERT_EQ(lines.size(), 5U);
    EXPECT_THAT(lines[1], HasSubstr("<- asked for"));
    EXPECT_THAT(lines[2], HasSubstr("slurm (no time to look for a better one)"));
    EXPECT_THAT(lines[3], HasSubstr("slurm (no time to look for a better one)"));
    EXPECT_THAT(lines[4], Not(HasSubstr("no time")));
}

TEST(DescribeKeeping, SaysNothingOfTimeWhereThereWasSome) {
    for (const std::string& line : rows({}, {})) EXPECT_THAT(line, Not(HasSubstr("no time")));
}

}  // namespace
}  // namespace commmap::cli
