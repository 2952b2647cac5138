// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/request/allocation_step.hpp"

#include <gmock/gmock.h>

#include <map>

namespace commmap::spank {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Variables = std::map<std::string, std::string, std::less<>>;

constexpr std::uint32_t debian_12 = slurm_version(22, 5);
constexpr std::uint32_t oldest_dropping = slurm_version(23, 2);
constexpr std::uint32_t trixie = slurm_version(24, 11);
constexpr std::uint32_t forky = slurm_version(26, 5);
constexpr std::array every_release = {debian_12, oldest_dropping,      slurm_version(23, 11),
                                      trixie,    slurm_version(25, 5), forky};

/// srun with these options in a job of four nodes with four CPUs each.
Result<AllocationStep> step(std::vector<std::string> options, Variables variables = {},
                            std::uint32_t version = debian_12, std::uint32_t cpus_per_task = 1) {
    variables.emplace("SLURM_JOB_NUM_NODES", "4");
    options.insert(options.begin(), "srun");
    options.emplace_back("./a");
    const auto args = parse_srun_args(options);
    EXPECT_TRUE(args) << args.error().message;
    return step_in_allocation(
        args.value(),
        [&](std::string_view name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            if (found == variables.end()) return std::nullopt;
            return found->second;
        },
        {{"m0", "m1", "m2", "m3"}, {4, 4, 4, 4}}, cpus_per_task, slurm_rules(version));
}

std::size_t tasks(std::vector<std::string> options, Variables variables = {},
                  std::uint32_t version = debian_12, std::uint32_t cpus_per_task = 1) {
    const auto found = step(std::move(options), std::move(variables), version, cpus_per_task);
    EXPECT_TRUE(found) << found.error().message;
    return found ? found.value().num_tasks : 0;
}

std::string refusal(std::vector<std::string> options, Variables variables = {},
                    std::uint32_t version = debian_12) {
    const auto found = step(std::move(options), std::move(variables), version);
    EXPECT_FALSE(found) << found.value().num_tasks;
    return found ? "" : found.error().message;
}

TEST(AllocationStep, NumberOfTasksInEveryRelease) {
    for (const std::uint32_t version : every_release) {
        EXPECT_EQ(tasks({}, {}, version), 4U);
        EXPECT_EQ(tasks({"-n9"}, {}, version), 9U);
        EXPECT_EQ(tasks({}, {{"SLURM_NTASKS", "9"}}, version), 9U);
        EXPECT_EQ(tasks({}, {{"SLURM_NPROCS", "9"}}, version), 9U);
        EXPECT_EQ(tasks({}, {{"SLURM_NPROCS", "9"}, {"SLURM_NTASKS", "8"}}, version), 8U);
        EXPECT_EQ(tasks({"-n7"}, {{"SLURM_NTASKS", "9"}}, version), 7U);
        EXPECT_EQ(tasks({"-N4"}, {{"SLURM_NTASKS", "9"}}, version), 9U);
        EXPECT_EQ(tasks({"-N4"}, {}, version), 4U);
        EXPECT_EQ(tasks({"--ntasks-per-node=3"}, {}, version), 12U);
        EXPECT_EQ(tasks({"-N4"}, {{"SLURM_NTASKS_PER_NODE", "3"}}, version), 12U);
        EXPECT_EQ(tasks({"-n8", "--ntasks-per-node=2"}, {}, version), 8U);
        EXPECT_EQ(tasks({"-n8", "--tasks-per-node=2"}, {}, version), 8U);
        EXPECT_THAT(refusal({"-n6", "--ntasks-per-node=2"}, {}, version), HasSubstr("not 6 tasks"));
        EXPECT_THAT(refusal({"-nx"}, {}, version), HasSubstr("--ntasks=x is not a number"));
    }
}

TEST(AllocationStep, TasksPerNodeBesideSlurmNtasks) {
    const std::vector<std::string> options = {"-N4", "--ntasks-per-node=1"};
    const Variables variables = {{"SLURM_NTASKS", "8"}};
    // 22.05 forgets the tasks per node there, later releases forget SLURM_NTASKS.
    EXPECT_THAT(refusal(options, variables, debian_12), HasSubstr("are not 8 tasks"));
    EXPECT_EQ(tasks(options, variables, oldest_dropping), 4U);
    EXPECT_EQ(tasks(options, variables, trixie), 4U);
    // Without --nodes both hold, and only one number makes sense of both.
    EXPECT_THAT(refusal({"--ntasks-per-node=1"}, variables, trixie), HasSubstr("not 8 tasks"));
}

TEST(AllocationStep, CpusPerTaskMakeTheNumberOfTasks) {
    EXPECT_EQ(tasks({"-c2"}, {}, debian_12, 2), 8U);
    EXPECT_EQ(tasks({"-c3"}, {}, debian_12, 3), 4U);
    EXPECT_EQ(tasks({}, {{"SRUN_CPUS_PER_TASK", "2"}}, debian_12, 2), 8U);
    EXPECT_EQ(tasks({}, {{"SLURM_CPUS_PER_TASK", "2"}}, debian_12), 4U);  // not srun's there
    EXPECT_EQ(tasks({}, {{"SLURM_CPUS_PER_TASK", "2"}}, trixie, 2), 8U);
    EXPECT_EQ(tasks({"-n5", "-c2"}, {}, debian_12, 2), 5U);
}

TEST(AllocationStep, NumberOfNodes) {
    for (const char* nodes : {"-N4", "-N4-4", "-N4-9"}) EXPECT_EQ(tasks({"-n8", nodes}), 8U);
    for (const char* nodes : {"-N2-4", "-N4x", "-N5", "-N1-", "-N0"})
        EXPECT_THAT(refusal({"-n8", nodes}), HasSubstr("--nodes=")) << nodes;
    EXPECT_THAT(refusal({"-n8"}, {{"SLURM_JOB_NUM_NODES", "2"}}), HasSubstr("SLURM_JOB_NUM_NODES"));
    EXPECT_THAT(refusal({"-n3"}), HasSubstr("fewer tasks than nodes"));
    EXPECT_THAT(refusal({"-n4", "-N2"}), HasSubstr("2 of the job's 4 nodes"));
}

TEST(AllocationStep, NodesByName) {
    const auto nodes = [](std::vector<std::string> options, std::uint32_t version = debian_12) {
        const auto found = step(std::move(options), {}, version);
        EXPECT_TRUE(found) << found.error().message;
        return found ? found.value().nodes : std::vector<std::size_t>{};
    };
    EXPECT_THAT(nodes({"-n4", "-N2", "-w", "m[3,1]"}), ElementsAre(1, 3));
    EXPECT_THAT(nodes({"-n4", "-w", "m1"}), ElementsAre(0, 1, 2, 3));  // all of the job, with m1
    EXPECT_THAT(nodes({"-n4", "-N3", "-x", "m1"}), ElementsAre(0, 2, 3));
    EXPECT_THAT(nodes({"-n4", "-N2", "-r1"}), ElementsAre(1, 2));
    EXPECT_THAT(refusal({"-n4", "-N2", "-w", "m1"}), HasSubstr("2 of the job's 4 nodes"));
    EXPECT_THAT(refusal({"-n4", "-N2", "-w", "m[1,9]"}), HasSubstr("names m9"));
    EXPECT_THAT(refusal({"-n4", "-x", "m1"}), HasSubstr("4 of the job's 4 nodes"));
    EXPECT_THAT(refusal({"-n4", "-N2", "-w", "./file"}), HasSubstr("--nodelist"));
    EXPECT_THAT(refusal({"-n4", "-N2", "-r3"}), HasSubstr("--relative"));
    EXPECT_THAT(refusal({"-n4", "-N2", "-r1"}, {}, trixie), HasSubstr("--relative"));
    EXPECT_TRUE(step({"-n4", "-N2", "-r2"}, {}, trixie)) << "there are no others";
    EXPECT_THAT(refusal({"-n4", "-N2", "-r2"}, {}, forky), HasSubstr("--relative"));
    EXPECT_THAT(refusal({"-n4", "-N2", "-r1", "-x", "m0"}), HasSubstr("together"));
}

TEST(AllocationStep, BesideOtherSteps) {
    const auto beside = [](std::vector<std::string> options, std::uint32_t cpus = 1) {
        return step(std::move(options), {}, debian_12, cpus).value().beside_others;
    };
    EXPECT_FALSE(beside({"-n8"}));
    EXPECT_TRUE(beside({"-n8", "--exact"}));
    EXPECT_TRUE(beside({"-n8", "--exclusive"}));
    EXPECT_FALSE(beside({"-n8", "--exact", "--overlap"}));
    EXPECT_FALSE(beside({"-n4", "--exact"}));   // one on each node, wherever there is room
    EXPECT_FALSE(beside({"-n16", "--exact"}));  // all that there is
    EXPECT_TRUE(beside({"-n6", "-c2"}, 2));
    EXPECT_FALSE(beside({"-n8", "-c2"}, 2));
}

}  // namespace
}  // namespace commmap::spank
