// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "spank_commmap/slurmstepd/fake_step.hpp"

// The hooks of a step whose tasks are bound, in slurmstepd and in its tasks.

namespace commmap::spank {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string crossed = "placed1:1,0@0x1";
const std::string crossed_and_told = "placed1,verbose:1,0@0x1";
const std::string left = ": CPU binding is left to Slurm: ";

/// A placed step whose tasks are still to come.
struct Placed : Step {
    explicit Placed(const std::string& value, const Variables& variables = {})
        : Step(value, variables) {
        call_up_to(Hook::user_init);
    }
};

class StepBinding : public testing::Test {
protected:
    void SetUp() override {
        if (!has_two_cpus()) GTEST_SKIP() << "needs two CPUs";
    }
};

const auto asks = Contains("run commmap-node");
const auto is_bound = Contains(StartsWith("bind to CPU"));

/// What a task does in a situation.
Deeds first_task(const std::string& value, const Variables& variables = {}) {
    return Placed(value, variables).task(0);
}

TEST_F(StepBinding, OneTaskAsksForAll) {
    Placed step(crossed);
    const Deeds first = step.task(0);
    const Deeds second = step.task(1);

    EXPECT_THAT(first, asks);
    EXPECT_THAT(first, Contains("bind to CPU 1"));
    EXPECT_THAT(second, Not(asks));
    EXPECT_THAT(second, Contains("bind to CPU 0"));
}

TEST_F(StepBinding, NoTaskAsksWhereRootHasKeptTheAnswer) {
    if (::geteuid() != 0) GTEST_SKIP() << "is about a slurmd of root's";
    Step step(crossed);
    step.call_up_to(Hook::exit);
    ASSERT_THAT(step.kept(), StartsWith("commmap-node "));
    step.become_later_step();

    EXPECT_THAT(step.call_up_to(Hook::user_init), IsEmpty());
    const Deeds deeds = step.task(0);
    EXPECT_THAT(deeds, Not(asks));
    EXPECT_THAT(deeds, Contains("bind to CPU 1"));
    EXPECT_THAT(step.call(Hook::exit), IsEmpty());
}

TEST_F(StepBinding, WhatOthersThanRootCanChangeIsNotBelieved) {
    if (::geteuid() != 0) GTEST_SKIP() << "is about a slurmd of root's";
    Step step(crossed);
    step.call_up_to(Hook::exit);
    ::chmod(step.kept_directory().c_str(), 0777);
    step.become_later_step();
    const Deeds deeds = step.call_up_to(Hook::task_init);

    EXPECT_THAT(deeds, asks);
    EXPECT_THAT(step.call(Hook::exit),
                Contains("error 'DIR/kept' is no directory of root's alone"));
}

TEST_F(StepBinding, AnAnswerThatRootDoesNotGetIsNotKept) {
    if (::geteuid() != 0) GTEST_SKIP() << "is about a slurmd of root's";
    Step step(crossed);
    step.call_up_to(Hook::task_init);
    step.set_answer_of_node("no tree");

    EXPECT_THAT(step.call(Hook::exit), Contains(StartsWith("error ")));
    EXPECT_EQ(step.kept(), "");
}

TEST_F(StepBinding, AProgramThatTookAllItsTimeIsNotAskedByRootAgain) {
    if (::geteuid() != 0) GTEST_SKIP() << "is about a slurmd of root's";
    Step step(crossed);
    step.limit_node(std::chrono::seconds(5));
    step.call_up_to(Hook::task_init);
    fs::remove(step.directory() + "/answer");
    ASSERT_EQ(::mkfifo((step.directory() + "/answer").c_str(), 0600), 0);  // its reader waits

    EXPECT_THAT(step.call(Hook::exit), Contains(HasSubstr("took longer than 5 s")));
    EXPECT_THAT(step.kept(), StartsWith("commmap-node "));
    EXPECT_THAT(step.call(Hook::exit), IsEmpty());
}

TEST_F(StepBinding, ASlurmdThatIsNotRootsBindsAndKeepsNothing) {
    if (::geteuid() == 0 && !nobody_reaches_installed_files())
        GTEST_SKIP() << "nobody cannot read this build";

    EXPECT_THAT(in_child_without_root([] { return Step(crossed).call_up_to(Hook::task_init); }),
                is_bound);
    EXPECT_THAT(in_child_without_root([] { return Step(crossed).call_up_to(Hook::exit); }),
                IsEmpty());
}

TEST_F(StepBinding, AnOrderWithoutCpusBindsNothing) {
    Step step("placed1:");

    EXPECT_THAT(step.call_up_to(Hook::user_init), IsEmpty());
    EXPECT_THAT(step.task(0), ElementsAre(option_is_gone));
    EXPECT_THAT(step.call(Hook::exit), IsEmpty());
}

TEST_F(StepBinding, TasksWithGpusKeepTheCpusNearThem) {
    for (const char* name : {"SLURM_STEP_GPUS", "SLURM_GPUS_ON_NODE"})
        EXPECT_THAT(first_task(crossed, {{name, "1"}}), ElementsAre(option_is_gone));
}

TEST_F(StepBinding, APlanForOtherTasksIsToldOnlyWithVerbose) {
    const std::string why =
        "say commmap: task 0" + left + "the plan is for other tasks than this node has";
    for (const auto& change : std::initializer_list<void (*)(FakeStep&)>{
             [](FakeStep& step) { step.local_tasks = 1; }, [](FakeStep& step) { step.node = 1; },
             [](FakeStep& step) { step.withheld = {S_TASK_ID}; }}) {
        Placed silent(crossed);
        change(silent.slurm());
        EXPECT_THAT(silent.task(0), ElementsAre(option_is_gone));

        Placed told(crossed_and_told);
        change(told.slurm());
        EXPECT_THAT(told.task(0), ElementsAre(why, option_is_gone));
    }
}

TEST_F(StepBinding, CpusThatDoNotSufficeAreToldOnlyWithVerbose) {
    const auto deeds = [](const std::string& value) {
        Placed step(value);
        step.slurm().cpus_per_task = 2;
        return step.task(0);
    };

    EXPECT_THAT(deeds(crossed), ElementsAre("run commmap-node", option_is_gone));
    EXPECT_THAT(deeds(crossed_and_told),
                ElementsAre(StartsWith("say commmap: task 0" + left + "2 tasks of 2 CPUs each"),
                            "run commmap-node", option_is_gone));
}

TEST_F(StepBinding, ANumberOfCpusOutOfRangeIsOne) {
    for (const std::uint32_t none : {0U, 0xfffeU, 0xffffffffU}) {
        Placed step(crossed);
        step.slurm().cpus_per_task = none;
        EXPECT_THAT(step.task(0), is_bound) << none;
    }
}

TEST_F(StepBinding, EachTaskSaysThatItsCpusAreNotThoseOfTheTable) {
    Placed step("placed1:1,1@0x1");

    EXPECT_THAT(step.task(0),
                ElementsAre(StartsWith("say commmap: task 0" + left), option_is_gone));
    EXPECT_THAT(step.task(1),
                ElementsAre(StartsWith("say commmap: task 1" + left), option_is_gone));
}

TEST_F(StepBinding, SlurmsMasksSayWhichCpusATaskMayUse) {
    const std::string mask = "0x8" + std::string(200, '0');
    const Variables of_slurm = {{"SLURM_CPU_BIND_TYPE", "mask_cpu:"},
                                {"SLURM_CPU_BIND_LIST", mask + ",0x4" + std::string(200, '0')}};
    Variables without_masks = of_slurm;
    without_masks["SLURM_CPU_BIND_TYPE"] = "none";

    EXPECT_THAT(
        first_task(crossed, of_slurm),
        ElementsAre("say commmap: task 0" + left + "hwloc does not know CPU 802 of this node",
                    "run commmap-node", option_is_gone));
    EXPECT_THAT(first_task(crossed, without_masks), is_bound);
}

TEST_F(StepBinding, OneTaskNamesTheNodeThatCannotSayItsCpus) {
    const auto deeds = [](const std::string& value, std::uint32_t first_rank, std::uint32_t task) {
        Placed step(value, {{"SLURMD_NODENAME", "m1"}});
        step.set_answer_of_node("no tree");
        step.slurm().first_rank = first_rank;
        return step.task(task);
    };
    const auto says = Contains(StartsWith("say commmap: m1" + left));

    EXPECT_THAT(deeds(crossed, 0, 0), says);
    EXPECT_THAT(deeds(crossed, 2, 0), Not(says)) << "another node's";
    EXPECT_THAT(deeds(crossed_and_told, 2, 0), says);
    EXPECT_THAT(deeds(crossed_and_told, 2, 1), Not(says));
}

TEST_F(StepBinding, WhatTheUserSaysAboutBindingStays) {
    const Deeds deeds = first_task(crossed, {{"I_MPI_PIN", "on"}});

    EXPECT_THAT(deeds, is_bound);
    EXPECT_THAT(deeds, Not(Contains(StartsWith("I_MPI_PIN"))));
    EXPECT_THAT(deeds, Contains("MV2_ENABLE_AFFINITY=0"));
}

}  // namespace
}  // namespace commmap::spank
