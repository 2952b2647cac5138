// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/run_recording.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

#include "spank_commmap/srun/fake_srun.hpp"
#include "support/comes_true.hpp"

namespace commmap::spank {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RunRecordingTest : public testing::Test {
protected:
    RunRecordingTest() {
        Variables variables = allocation;
        variables["SLURM_TASKS_PER_NODE"] = "2(x2)";
        it_ = std::make_unique<Srun>(srun("auto"), variables);
        it_->actions().planned_run = planned;
        it_->call_up_to(Hook::local_user_init);
    }
    [[nodiscard]] bool is_left() const {
        return comes_true([this] { return it_->num_records() == 1; });
    }

    std::unique_ptr<Srun> it_;
};

TEST_F(RunRecordingTest, IsLeftWhenTheExitHookComesFirst) {
    it_->call(Hook::exit);
    EXPECT_EQ(it_->num_records(), 0U);
    it_->end(0);

    EXPECT_TRUE(is_left());
}

TEST_F(RunRecordingTest, IsLeftWhenTheExitHookComesLast) {
    it_->end(0);
    EXPECT_EQ(it_->num_records(), 0U);
    it_->call(Hook::exit);

    EXPECT_TRUE(is_left());
}

TEST_F(RunRecordingTest, IsNotLeftForARunThatFailed) {
    it_->call(Hook::exit);
    it_->end(1);

    EXPECT_EQ(it_->num_records(), 0U);
}

TEST_F(RunRecordingTest, IsNotLeftByAChildThatSrunForked) {
    it_->call(Hook::exit);
    const pid_t child = ::fork();
    if (child == 0) {
        it_->end(0);
        ::_exit(0);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);

    EXPECT_EQ(it_->num_records(), 0U);
}

TEST(RunRecording, TheClockOfTheRunIsHandedToTheTasks) {
    Variables variables = allocation;
    variables["COMMMAP_HISTORY"] = "mpi";
    Srun it(srun("auto"), variables);
    it.actions().planned_run = planned;

    EXPECT_THAT(
        it.call_up_to(Hook::local_user_init),
        ElementsAre("watch for the end", testing::StartsWith("SLURM_COMMMAP_CLOCK=DIR/history-")));
}

TEST(RunRecording, ARunWithCommmapOffIsCountedWhereTheUserWantsThat) {
    Variables variables = allocation;
    variables["COMMMAP_COUNT_OFF"] = "1";
    Srun it(srun("off"), variables);

    EXPECT_THAT(it.call_up_to(Hook::local_user_init), ElementsAre("watch for the end"));
}

}  // namespace
}  // namespace commmap::spank
