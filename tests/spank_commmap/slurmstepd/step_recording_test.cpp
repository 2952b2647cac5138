// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <tuple>
#include <utility>

#include "spank_commmap/process/installed_paths.hpp"
#include "spank_commmap/slurmstepd/fake_step.hpp"

// The hooks of a step that is recorded or timed, in slurmstepd and in its tasks.

namespace commmap::spank {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string in_container =
    "say commmap: not recorded: the step runs in a container (--container, pyxis), which may have "
    "another C library; docs/user/recorder.md, In containers, says how to record there";

const auto is_recorded = Contains("COMMMAP_RECORD=1");
const auto has_memory = Contains("COMMMAP_RECORD_MEMORY is open");

/// What only a slurmd of root's does.
class StepRecordingAsRoot : public testing::Test {
protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "is about a slurmd of root's";
    }
};

TEST_F(StepRecordingAsRoot, EverySourceOfTheModeGetsMemory) {
    const std::string made = "make memory for 2 tasks";
    EXPECT_THAT(Step("profile,verbose").call_up_to(Hook::user_init), ElementsAre(made));
    EXPECT_THAT(Step(std::nullopt, {{"COMMMAP", "profile"}}).call_up_to(Hook::user_init),
                ElementsAre(made));
    EXPECT_THAT(Step("auto", {{"SLURM_COMMMAP_MODE", "profile"}}).call_up_to(Hook::user_init),
                ElementsAre(made));
    Step site(std::nullopt);
    site.add_to_plugstack("mode=profile");
    EXPECT_THAT(site.call_up_to(Hook::user_init), ElementsAre(made));
    EXPECT_THAT(site.task(0), AllOf(is_recorded, has_memory));
}

TEST_F(StepRecordingAsRoot, EveryTaskHasMemoryOfItsOwn) {
    Recorded step;
    step.call(Hook::task_init);

    EXPECT_THAT(step.task(1), has_memory);
    EXPECT_THAT(step.call(Hook::task_exit), ElementsAre(HasSubstr("memories 2")));
}

TEST_F(StepRecordingAsRoot, PartsOfAHeterogeneousJobHaveNoMemory) {
    Step step("profile", {{"SLURM_HET_SIZE", "2"}});

    EXPECT_THAT(step.call_up_to(Hook::user_init), IsEmpty());
    EXPECT_THAT(step.task(0), AllOf(is_recorded, Not(has_memory)));
}

TEST_F(StepRecordingAsRoot, ATaskOfAnotherProcessThanSlurmstepdHasNoMemory) {
    // a plugin (contain_spank) forks the tasks in slurmstepd's place
    Recorded step;

    EXPECT_THAT(in_child([&] { return step.task(0); }), AllOf(is_recorded, Not(has_memory)));
}

TEST_F(StepRecordingAsRoot, AProcessInSlurmstepdsPlaceCollectsNothing) {
    Recorded step;
    step.call(Hook::task_init);

    EXPECT_THAT(in_child([&] { return step.call(Hook::task_exit); }), IsEmpty());
    EXPECT_THAT(in_child([&] { return step.call(Hook::exit); }), IsEmpty());
}

TEST_F(StepRecordingAsRoot, RecordsAreCollectedOnceAfterTheLastTask) {
    Recorded step;
    step.call(Hook::task_init);

    EXPECT_THAT(step.call(Hook::task_exit), ElementsAre(StartsWith("run commmap-collect")));
    EXPECT_THAT(step.call(Hook::task_exit), IsEmpty());
    EXPECT_THAT(step.call(Hook::exit), IsEmpty());
}

TEST_F(StepRecordingAsRoot, TheEndOfTheStepCollectsWhereATaskWasNotSeenToEnd) {
    Recorded step;
    step.call(Hook::task_init);
    step.slurm().local_tasks = 1;

    EXPECT_THAT(step.call(Hook::task_exit), IsEmpty());
    EXPECT_THAT(step.call(Hook::exit), ElementsAre(StartsWith("run commmap-collect")));
}

TEST_F(StepRecordingAsRoot, NothingIsCollectedThatIsNotLeft) {
    for (const RecordState state :
         {RecordState::nothing, RecordState::handed_over, RecordState::given_up}) {
        Recorded step;
        step.set_record_state(state);
        step.call(Hook::task_init);

        EXPECT_THAT(step.call(Hook::task_exit), IsEmpty());
        EXPECT_THAT(step.call(Hook::exit), IsEmpty());
    }
}

TEST_F(StepRecordingAsRoot, OneNodeSaysThatRecordsAreLost) {
    const std::string lost =
        "error what was recorded on this node is lost: 'LIB/commmap-collect' failed with exit code "
        "3: no space left";
    for (const auto& [node, state, says] :
         {std::tuple(0U, RecordState::running, true), std::tuple(1U, RecordState::running, false),
          std::tuple(1U, RecordState::gathered, true)}) {
        Recorded step;
        step.slurm().node = node;
        step.set_record_state(state);
        step.set_end_of_collect(3);
        step.call(Hook::task_init);
        const Deeds deeds = step.call(Hook::task_exit);

        EXPECT_THAT(deeds, Contains(HasSubstr("node " + std::to_string(node) + " memories 2")));
        EXPECT_EQ(std::ranges::count(deeds, lost), says ? 1 : 0) << node;
    }
}

TEST_F(StepRecordingAsRoot, TheUserCollectsTheirOwnRecords) {
    if (!nobody_reaches_installed_files()) GTEST_SKIP() << "nobody cannot read this build";
    Step step("profile");
    step.slurm().user = nobody;
    step.slurm().group = nobody;
    step.slurm().groups = {nobody, 12345};

    EXPECT_THAT(step.call_up_to(Hook::user_init), ElementsAre("make memory for 2 tasks"));
    EXPECT_THAT(step.call(Hook::task_init), AllOf(is_recorded, has_memory));
    EXPECT_THAT(step.call(Hook::task_exit),
                ElementsAre("run commmap-collect 7.3 node 0 memories 2 as 65534:65534 groups "
                            "12345 65534"));
}

TEST_F(StepRecordingAsRoot, AProcessThatCannotBecomeTheUserCollectsNothing) {
    Recorded step;
    step.call(Hook::task_init);

    ASSERT_EQ(::seteuid(nobody), 0);
    const Deeds deeds = step.call(Hook::task_exit);
    ASSERT_EQ(::seteuid(0), 0);
    EXPECT_THAT(deeds, IsEmpty());
}

TEST_F(StepRecordingAsRoot, NothingRunsForAUserThatSlurmDoesNotName) {
    for (const spank_item item : {S_JOB_UID, S_JOB_GID, S_JOB_SUPPLEMENTARY_GIDS}) {
        Recorded step;
        step.call(Hook::task_init);
        step.slurm().withheld = {item};

        EXPECT_THAT(step.call(Hook::task_exit),
                    ElementsAre("error Slurm does not say whose step it is"));
    }
}

TEST(StepRecording, ASlurmdThatIsNotRootsRecordsWithoutMemory) {
    if (::geteuid() == 0 && !nobody_reaches_installed_files())
        GTEST_SKIP() << "nobody cannot read this build";
    for (const auto& [hook, expected] :
         {std::pair(Hook::user_init, ""), std::pair(Hook::task_init, "COMMMAP_RECORD=1"),
          std::pair(Hook::task_exit, ""), std::pair(Hook::exit, "")}) {
        const Deeds deeds =
            in_child_without_root([last = hook] { return Step("profile").call_up_to(last); });

        EXPECT_THAT(deeds, Not(Contains(HasSubstr("MEMORY"))));
        if (*expected == '\0')
            EXPECT_THAT(deeds, IsEmpty());
        else
            EXPECT_THAT(deeds, Contains(expected));
    }
}

TEST(StepRecording, OneTaskSaysWhyAStepInAContainerIsNotRecorded) {
    Recorded step({{"SLURM_CONTAINER", "/bundle"}, {"SLURM_COMMMAP_CLOCK", "/home/u/time"}});

    EXPECT_THAT(step.task(0),
                ElementsAre(in_container, "unset SLURM_COMMMAP_CLOCK", option_is_gone));
    EXPECT_THAT(step.task(1), ElementsAre("unset SLURM_COMMMAP_CLOCK", option_is_gone));
}

TEST_F(StepRecordingAsRoot, ATaskThatAPluginTookIntoAContainerIsNotRecorded) {
    Recorded step;
    // libraries are not found there either, so the line must come before
    const Deeds deeds = step.task(0, [&] {
        if (::chroot(step.directory().c_str()) != 0 || ::chdir("/") != 0) ::_exit(1);
    });

    EXPECT_THAT(deeds, ElementsAre(in_container, option_is_gone));
}

TEST(StepRecording, NothingIsPreloadedWhereAContainerPluginComesLater) {
    Recorded step(Variables{{"SLURM_COMMMAP_CLOCK", "/home/u/time"}});
    const std::string pyxis = step.directory() + "/spank_pyxis.so";
    fs::copy_file(installed_file("commmap_task.so"), pyxis);
    const Deeds deeds = step.task(0, [&] { static_cast<void>(::dlopen(pyxis.c_str(), RTLD_NOW)); });

    EXPECT_THAT(deeds,
                ElementsAre("say commmap: not recorded: spank_pyxis.so stands behind commmap.so in "
                            "plugstack.conf, so that nobody can tell whether the step runs in a "
                            "container; the administrator can put commmap.so behind it",
                            "unset SLURM_COMMMAP_CLOCK", option_is_gone));
}

}  // namespace
}  // namespace commmap::spank
