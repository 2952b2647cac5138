// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/binding.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "core/cpus/cpu_masks.hpp"

namespace commmap::spank {
namespace {

/// CPUs of a machine that are all alike.
NodeCpus flat(const CpuSet& cpus) {
    return {{{{0, static_cast<std::uint32_t>(cpus.size()), 0, 0}}}, cpus};
}

TEST(BindTask, BindsInsideWhatTheTaskMayUse) {
    const CpuSet before = current_cpus().value();
    std::vector<std::uint32_t> cpu_sets(before.size());
    std::iota(cpu_sets.begin(), cpu_sets.end(), 0U);

    const Status bound =
        bind_task(flat(before), "", {.cpus_per_task = 1, .cpu_sets = cpu_sets, .local_id = 0});

    ASSERT_TRUE(bound) << bound.error().message;
    EXPECT_EQ(current_cpus().value().size(), 1U);
    ASSERT_TRUE(set_cpus(before, before));
}

TEST(BindTask, AMaskOfAnotherMachineLeavesTheOldBinding) {
    const CpuSet before = current_cpus().value();
    const std::string mask = "0x8" + std::string(200, '0');

    const Status bound =
        bind_task(flat(before), mask,
                  {.cpus_per_task = 1, .cpu_sets = std::vector<std::uint32_t>{0}, .local_id = 0});

    ASSERT_FALSE(bound);
    EXPECT_EQ(bound.error().message, "hwloc does not know CPU 803 of this node");
    EXPECT_EQ(current_cpus().value(), before);
}

}  // namespace
}  // namespace commmap::spank
