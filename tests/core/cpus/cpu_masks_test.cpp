// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/cpus/cpu_masks.hpp"

#include <gmock/gmock.h>
#include <sched.h>

#include <random>

namespace commmap {
namespace {

using testing::ElementsAre;

TEST(CpuMasks, ReadsSlurmsList) {
    EXPECT_THAT(parse_cpu_masks("0x1").value(), ElementsAre(CpuSet{0}));
    EXPECT_THAT(parse_cpu_masks("0x3,0xC,0x000000A0").value(),
                ElementsAre(CpuSet{0, 1}, CpuSet{2, 3}, CpuSet{5, 7}));
    EXPECT_THAT(parse_cpu_masks("0x1000000000000000000").value(), ElementsAre(CpuSet{72}));
}

TEST(CpuMasks, RefusesEverythingElse) {
    for (const char* text : {"", "0x", "1", "0x1,", "0xg", ",0x1", "0x1 ", "quiet", "0x1,,0x2"})
        EXPECT_FALSE(parse_cpu_masks(text)) << text;
    EXPECT_FALSE(parse_cpu_masks("0x" + std::string(100000, '1')));
    std::mt19937 random(1);
    for (int round = 0; round < 10000; ++round) {
        std::string text;
        for (auto length = random() % 12; length > 0; --length) text += "0x1fF,,g "[random() % 9];
        static_cast<void>(parse_cpu_masks(text));
    }
}

class SetCpus : public testing::Test {
protected:
    void SetUp() override { before_ = current_cpus().value(); }
    void TearDown() override { ASSERT_TRUE(set_cpus(before_, before_)); }

    CpuSet before_;
};

TEST_F(SetCpus, BindsTheThread) {
    ASSERT_TRUE(set_cpus({before_.back()}, before_));
    EXPECT_THAT(current_cpus().value(), ElementsAre(before_.back()));
}

TEST_F(SetCpus, ARefusedCpuLeavesTheOldBinding) {
    EXPECT_FALSE(set_cpus({803}, before_));
    EXPECT_EQ(current_cpus().value(), before_);
    EXPECT_FALSE(set_cpus({}, before_));
    EXPECT_EQ(current_cpus().value(), before_);
}

TEST_F(SetCpus, HalfAMaskIsNotTaken) {
    const auto bound =
        set_cpus({before_.front(), 803}, before_);  // the system alone would take CPU 0
    ASSERT_FALSE(bound);
    EXPECT_NE(bound.error().message.find("let this task use 1 of its 2 CPUs"), std::string::npos);
    EXPECT_EQ(current_cpus().value(), before_);
}

}  // namespace
}  // namespace commmap
