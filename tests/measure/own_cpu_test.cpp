// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/own_cpu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <string>

namespace commmap::measure {
namespace {

using testing::HasSubstr;

/// A process of one thread, which runs on the CPUs that it had before when a test ends.
class OwnCpu : public testing::Test {
protected:
    OwnCpu() {
        ::sched_getaffinity(0, sizeof before_, &before_);
        while (CPU_ISSET(first_, &before_) == 0) ++first_;
    }
    OwnCpu(const OwnCpu&) = delete;
    OwnCpu& operator=(const OwnCpu&) = delete;
    ~OwnCpu() override {
        ::sched_setaffinity(0, sizeof before_, &before_);
        ::unsetenv("SLURM_LOCALID");
    }

    [[nodiscard]] cpu_set_t now() const {
        cpu_set_t set;
        ::sched_getaffinity(0, sizeof set, &set);
        return set;
    }
    [[nodiscard]] bool is_as_before() const {
        const cpu_set_t set = now();
        return CPU_EQUAL(&set, &before_) != 0;
    }

    cpu_set_t before_{};
    unsigned first_ = 0;  ///< the first CPU on which this process may run
};

TEST_F(OwnCpu, IsThatOfTheTasksNumberOnItsNode) {
    ::setenv("SLURM_LOCALID", "1", 1);

    const auto cpu = run_on_own_cpu("60000," + std::to_string(first_));

    ASSERT_TRUE(cpu) << cpu.error().message;
    EXPECT_EQ(cpu.value(), first_);
    const cpu_set_t set = now();
    EXPECT_EQ(CPU_COUNT(&set), 1);
    EXPECT_NE(CPU_ISSET(first_, &set), 0);
}

TEST_F(OwnCpu, WithoutAListTheProcessRunsWhereItDid) {
    EXPECT_EQ(run_on_own_cpu("").value(), std::nullopt);
    EXPECT_TRUE(is_as_before());
}

TEST_F(OwnCpu, OneThatIsNotForThisProcessIsNamed) {
    ::setenv("SLURM_LOCALID", "0", 1);

    const auto cpu = run_on_own_cpu("60000");

    ASSERT_FALSE(cpu);
    EXPECT_EQ(cpu.error().message, "CPU 60000 of this node is not for this step");
    EXPECT_TRUE(is_as_before());
}

TEST_F(OwnCpu, NeedsANumberForEachTask) {
    EXPECT_THAT(run_on_own_cpu("0,1").error().message, HasSubstr("is for this task")) << "no Slurm";
    for (const char* task : {"2", "-1", "x"}) {
        ::setenv("SLURM_LOCALID", task, 1);
        EXPECT_FALSE(run_on_own_cpu("0,1")) << task;
    }
    ::setenv("SLURM_LOCALID", "0", 1);
    for (const char* cpus : {"x", "-1", "65536", "99999999999999999999"}) {
        EXPECT_FALSE(run_on_own_cpu(cpus)) << cpus;
    }
    EXPECT_TRUE(is_as_before());
}

}  // namespace
}  // namespace commmap::measure
