// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/cpus/task_cpus.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace commmap {
namespace {

using testing::ElementsAre;

/// Two packages whose CPUs the system numbers in turn.
const NodeCpus two_packages{{{{0, 8, 1, 2}, {0, 4, 0, 0}, {4, 4, 0, 0}}}, {0, 2, 4, 6, 1, 3, 5, 7}};
const CpuSet all = {0, 1, 2, 3, 4, 5, 6, 7};

CpuSet chosen(std::uint32_t cpus_per_task, const std::vector<std::uint32_t>& cpu_sets,
              std::size_t local_id) {
    const auto cpus = choose_cpus(two_packages, cpus_per_task, cpu_sets, local_id);
    return cpus ? cpus.value() : CpuSet{};
}

TEST(ChooseCpus, CountsPlacesInLogicalOrder) {
    const std::vector<std::uint32_t> cpu_sets{0, 1, 4, 2, 3, 5, 6, 7};
    EXPECT_THAT(chosen(1, cpu_sets, 1), ElementsAre(2));
    EXPECT_THAT(chosen(1, cpu_sets, 2), ElementsAre(1));
    EXPECT_THAT(chosen(2, {3, 2, 1, 0}, 0), ElementsAre(5, 7));
    EXPECT_THAT(chosen(3, {1, 0}, 0), ElementsAre(1, 3, 5));
}

TEST(ChooseCpus, RefusesWhatIsNotThere) {
    EXPECT_FALSE(choose_cpus(two_packages, 1, std::vector<std::uint32_t>{0}, 1));
    EXPECT_FALSE(choose_cpus(two_packages, 1, std::vector<std::uint32_t>{1}, 0));
    EXPECT_FALSE(choose_cpus(two_packages, 5, std::vector<std::uint32_t>{0, 1}, 0));
    EXPECT_FALSE(choose_cpus({}, 1, std::vector<std::uint32_t>{0}, 0));
}

/// Size of the share and CPUs of each task; {} when binding is left to Slurm.
std::vector<std::size_t> share(const std::vector<CpuSet>& masks, const CpuSet& current,
                               std::size_t num_tasks, std::uint32_t cpus_per_task) {
    const auto found = cpu_share(masks, current, num_tasks, cpus_per_task);
    if (!found) return {};
    return {found.value().cpus.size(), found.value().cpus_per_task};
}

TEST(CpuShare, IsTheUnionOfSlurmsMasks) {
    EXPECT_THAT(share({{0}, {1}}, all, 2, 1), ElementsAre(2, 1));
    // whole cores for tasks of one CPU: each keeps both threads
    EXPECT_THAT(share({{0, 2}, {4, 6}}, all, 2, 1), ElementsAre(4, 2));
    EXPECT_THAT(share({{0, 2}, {4, 6}}, all, 2, 2), ElementsAre(4, 2));
}

TEST(CpuShare, WhatTasksShareIsDividedWhenTheyFillIt) {
    EXPECT_THAT(share({{0, 2}, {0, 2}}, all, 2, 1), ElementsAre(2, 1));
    EXPECT_THAT(share({{0, 2}, {0, 2}, {4, 6}, {4, 6}}, all, 4, 1), ElementsAre(4, 1));
    EXPECT_THAT(share({all, all}, all, 2, 4), ElementsAre(8, 4));
    EXPECT_THAT(share({{0}, {1, 2}}, all, 2, 1), ElementsAre());
    EXPECT_THAT(share({all, all}, all, 2, 1), ElementsAre());
    EXPECT_THAT(share({all, all}, all, 2, 3), ElementsAre(8, 4));
    EXPECT_THAT(share({all, all}, all, 2, 5), ElementsAre());
}

TEST(CpuShare, WithoutMasksIsWhatTheTaskMayUseWhenTheTasksFillIt) {
    EXPECT_THAT(share({}, all, 8, 1), ElementsAre(8, 1));
    EXPECT_THAT(share({}, all, 2, 4), ElementsAre(8, 4));
    const auto left = cpu_share({}, all, 2, 1);
    ASSERT_FALSE(left);
    EXPECT_EQ(left.error().message,
              "2 tasks of 1 CPU each do not match the 8 CPUs that Slurm lets them use");
}

}  // namespace
}  // namespace commmap
