// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/own_job_end.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

#include "spank_commmap/srun/fake_srun.hpp"
#include "spank_commmap/srun/relaunch/shepherd_process.hpp"

namespace commmap::spank {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class OwnJobEnd : public testing::Test {
protected:
    OwnJobEnd() {
        it_ = second_srun("m0\nm0\nm1\nm1\n", ":7:" + std::to_string(shepherd_.pipe()));
        TestEnvironment::add({{"SLURM_DISTRIBUTION", "arbitrary"}});
        it_->call_up_to(Hook::local_user_init);
    }

    Shepherd shepherd_;
    std::unique_ptr<Srun> it_;
};

TEST_F(OwnJobEnd, TheTasksSeeNoVariableOfAnAllocation) {
    EXPECT_FALSE(TestEnvironment::now().contains("SLURM_DISTRIBUTION"));
    EXPECT_FALSE(TestEnvironment::now().contains("SLURM_COMMMAP_OWN_JOB"));
}

TEST_F(OwnJobEnd, EndsWithSrun) {
    EXPECT_THAT(it_->end(0), ElementsAre("complete job 7 with 0"));
    EXPECT_EQ(shepherd_.end(), 7);
}

TEST_F(OwnJobEnd, HasSrunsExitCode) {
    EXPECT_THAT(it_->end(3), ElementsAre("complete job 7 with 768"));
}

TEST_F(OwnJobEnd, HasTheSignalThatAnExitCodeStandsFor) {
    EXPECT_THAT(it_->end(128 + SIGSEGV), ElementsAre("complete job 7 with 11"));
}

TEST_F(OwnJobEnd, IsTheShepherdsAfterTwoInterrupts) {
    EXPECT_THAT(it_->end(128 + SIGINT), IsEmpty());
    EXPECT_EQ(shepherd_.end(), 8);
}

TEST_F(OwnJobEnd, DoesNotEndWithAChildThatSrunForked) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(it_->end(0).empty() ? 0 : 1);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);

    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace commmap::spank
