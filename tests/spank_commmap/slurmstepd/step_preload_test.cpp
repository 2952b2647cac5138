// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "spank_commmap/slurmstepd/fake_step.hpp"

// The libraries that a task's program gets, or why it gets none.

namespace commmap::spank {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::StartsWith;

const std::string both_libraries =
    "LD_PRELOAD=DIR/libcommmap_hooks_ompi.so:DIR/libcommmap_hooks_mpich.so";

const auto is_recorded = Contains("COMMMAP_RECORD=1");

TEST(StepPreload, OneTaskSaysWhyAProgramIsNotRecorded) {
    for (const auto& [program, why] :
         {std::pair("./static",
                    "it is statically linked, and the recorder is loaded by the dynamic"
                    " linker; link it dynamically"),
          std::pair("./foreign",
                    "it is of 32 bits, or of another machine's code, and the recorder "
                    "is not"),
          std::pair("./loader",
                    "'/nix/ld.so' starts it, which is not the dynamic linker of this "
                    "node's system; link it with the system's C library"),
          std::pair("./container",
                    "it runs programs in a container, which may have another C "
                    "library; docs/user/recorder.md, In containers, says how to "
                    "record there")}) {
        Recorded step;
        step.slurm().command = {program};
        const std::string line =
            std::string("say commmap: '") + program + "' is not recorded: " + why;

        EXPECT_THAT(step.task(0), ElementsAre(line, option_is_gone));
        EXPECT_THAT(step.task(1), ElementsAre(option_is_gone));
    }
}

TEST(StepPreload, AProgramThatIsNotThereFailsByItself) {
    for (const Deeds& command : {Deeds{"./none"}, Deeds{"./other"}, Deeds{}}) {
        Recorded step;
        step.slurm().command = command;

        EXPECT_THAT(step.task(0), ElementsAre(option_is_gone));
    }
}

TEST(StepPreload, TheProgramsMpiDecidesOnTheLibrary) {
    Recorded step;
    for (const auto& [program, libraries] :
         {std::pair("./open-mpi", "LD_PRELOAD=DIR/libcommmap_hooks_ompi.so"),
          std::pair("./mpich", "LD_PRELOAD=DIR/libcommmap_hooks_mpich.so"),
          std::pair("./app", both_libraries.c_str()),
          std::pair("./script", both_libraries.c_str())}) {
        step.slurm().command = {program};

        EXPECT_THAT(step.task(0), Contains(libraries)) << program;
    }
}

TEST(StepPreload, EachTaskOfAStepOfSeveralProgramsHasItsOwn) {
    Recorded step;
    step.slurm().command = {"./other", "0 ./open-mpi\n1 ./static\n"};

    EXPECT_THAT(step.task(0), Contains("COMMMAP_APP_PATH=/home/u/open-mpi"));
    EXPECT_THAT(step.task(1), Not(is_recorded));
}

TEST(StepPreload, AStepOfTooManyTasksIsNotRecorded) {
    Recorded step;
    step.slurm().total_tasks = 16385;

    EXPECT_THAT(step.task(0), ElementsAre("say commmap: not recorded: the step has 16385 tasks, "
                                          "and 16384 may be recorded (profile-ranks)",
                                          option_is_gone));
    step.slurm().total_tasks = 16384;
    EXPECT_THAT(step.task(0), AllOf(is_recorded, Contains("COMMMAP_RECORD_APART=1")));
    step.slurm().total_tasks = 4096;
    EXPECT_THAT(step.task(0), AllOf(is_recorded, Not(Contains("COMMMAP_RECORD_APART=1"))));
}

TEST(StepPreload, NothingIsPreloadedThatIsNotThere) {
    Recorded step;
    fs::remove(step.directory() + "/libcommmap_hooks_mpich.so");

    EXPECT_THAT(step.task(0), ElementsAre("say commmap: not recorded: "
                                          "'DIR/libcommmap_hooks_mpich.so' cannot be loaded on "
                                          "this node",
                                          option_is_gone));
}

TEST(StepPreload, ATaskWithoutAPlaceForProfilesIsNotRecorded) {
    Recorded step;
    step.slurm().environment.erase("HOME");

    EXPECT_THAT(step.task(0),
                AllOf(Contains(StartsWith("say commmap: not recorded: ")), Not(is_recorded)));
}

TEST(StepPreload, WhatTheUserHasSetStays) {
    Recorded step({{"ASAN_OPTIONS", "detect_leaks=0"},
                   {"COMMMAP_PROFILE_DIR", "profiles"},
                   {"COMMMAP_PROFILE_READERS", "group"},
                   {"LD_PRELOAD", "/x/libasan.so.8:/y/tool.so"}});
    const Deeds deeds = step.task(0);

    EXPECT_THAT(deeds, Contains("ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0"));
    EXPECT_THAT(deeds,
                Contains("COMMMAP_PROFILE_DIR=" + fs::current_path().string() + "/profiles"));
    EXPECT_THAT(deeds, Not(Contains(StartsWith("COMMMAP_RECORD_ADDED"))));
    EXPECT_THAT(deeds, Contains("LD_PRELOAD=/x/libasan.so.8:DIR/libcommmap_hooks_ompi.so:"
                                "DIR/libcommmap_hooks_mpich.so:/y/tool.so"));
}

/// A step in whose tasks collectives run by other algorithms, and whose CPUs Slurm binds.
struct WithInside : Step {
    explicit WithInside(const std::string& words = "", Variables variables = {})
        : Step("auto,inside=collectives",
               with(std::move(variables), "1" + words + ":bcast 2 1 chain 256")) {
        call_up_to(Hook::user_init);
    }

private:
    static Variables with(Variables variables, const std::string& value) {
        variables["SLURM_COMMMAP_INSIDE"] = value;
        return variables;
    }
};

const std::string inside_is_gone = "unset SLURM_COMMMAP_INSIDE";

TEST(StepPreload, TasksWithOtherCollectivesGetTheirLibraryAndRules) {
    for (const char* program : {"./open-mpi", "./app", "./script"}) {
        WithInside step;
        step.slurm().command = {program};
        EXPECT_THAT(step.task(0), ElementsAre(inside_is_gone, option_is_gone,
                                              "ASAN_OPTIONS=verify_asan_link_order=0",
                                              "COMMMAP_INSIDE_RULES=bcast 2 1 chain 256",
                                              "LD_PRELOAD=DIR/libcommmap_inside_ompi.so"))
            << program;
    }
    WithInside step(",verbose", {{"LD_PRELOAD", "/y/tool.so"}});
    EXPECT_THAT(step.task(1),
                AllOf(Contains("COMMMAP_INSIDE_VERBOSE=1"),
                      Contains("LD_PRELOAD=DIR/libcommmap_inside_ompi.so:/y/tool.so")));
}

TEST(StepPreload, AlgorithmsOfTheMpiLibraryCanBeAskedFor) {
    Step step("auto", {{"SLURM_COMMMAP_INSIDE", "1:bcast 2 1 tuned binomial"}});
    step.call_up_to(Hook::user_init);

    const Deeds outer = step.task(0);
    EXPECT_THAT(outer, AllOf(Contains("OMPI_MCA_coll_tuned_use_dynamic_rules=1"),
                             Contains("COMMMAP_INSIDE_RULES=bcast 2 1 tuned binomial")));
    // In a step of such a task that setting is not the user's.
    Variables inner = {{"SLURM_COMMMAP_INSIDE", "1:bcast 2 1 tuned pipeline"}};
    for (const std::string& deed : outer) {
        const std::size_t end = deed.find('=');
        if (deed.find(' ') > end) inner[deed.substr(0, end)] = deed.substr(end + 1);
    }
    ASSERT_EQ(inner["OMPI_MCA_coll_tuned_use_dynamic_rules"], "1");
    Step within("auto", inner);
    within.call_up_to(Hook::user_init);
    EXPECT_THAT(within.task(0), Contains("COMMMAP_INSIDE_RULES=bcast 2 1 tuned pipeline"));
}

TEST(StepPreload, WhatAUserTellsOpenMpiAboutCollectivesStands) {
    for (const std::string& name : {std::string("OMPI_MCA_coll_tuned_barrier_algorithm"),
                                    std::string("OMPI_MCA_coll_tuned_use_dynamic_rules")}) {
        WithInside step(",verbose", {{name, "0"}});
        EXPECT_THAT(step.task(0), ElementsAre("say commmap: collectives stay native: " + name +
                                                  " is set, and stands",
                                              inside_is_gone, option_is_gone));
    }
}

TEST(StepPreload, CollectivesOfPlacedTasksRunOtherwiseToo) {
    Step step("placed1:", {{"SLURM_COMMMAP_INSIDE", "1:bcast 2 1 chain 256"}});
    step.call_up_to(Hook::user_init);

    EXPECT_THAT(step.task(0), Contains("COMMMAP_INSIDE_RULES=bcast 2 1 chain 256"));
}

TEST(StepPreload, RulesOfAnotherVersionAreLeftWithOneLine) {
    Step step("auto", {{"SLURM_COMMMAP_INSIDE", "2:bcast 2 1 chain 256"}});
    step.call_up_to(Hook::user_init);

    EXPECT_THAT(step.task(0), ElementsAre("say commmap: collectives stay native: this node has "
                                          "another version of commmap than srun",
                                          inside_is_gone, option_is_gone));
    EXPECT_THAT(step.task(1), ElementsAre(inside_is_gone, option_is_gone));
}

TEST(StepPreload, AProgramThatCannotTakeTheLibraryIsNative) {
    const std::string native = "say commmap: collectives stay native: ";
    for (const auto& [program, why] :
         {std::pair("./static",
                    "'./static': it is statically linked, and the library for them is "
                    "loaded by the dynamic linker; link it dynamically"),
          std::pair("./container",
                    "'./container': it runs programs in a container, which may have "
                    "another C library"),
          std::pair("./mpich",
                    "the library for them serves Open MPI alone, and the program has "
                    "MPICH's"),
          std::pair("./none", "there is no program")}) {
        WithInside silent;
        silent.slurm().command = {program};
        EXPECT_THAT(silent.task(0), ElementsAre(inside_is_gone, option_is_gone)) << program;
        WithInside step(",verbose");
        step.slurm().command = {program};
        EXPECT_THAT(step.task(0), ElementsAre(native + why, inside_is_gone, option_is_gone));
        EXPECT_THAT(step.task(1), ElementsAre(inside_is_gone, option_is_gone));
    }
    WithInside step(",verbose");
    step.add_to_plugstack("mpi=mpich");
    EXPECT_THAT(step.task(0), Contains(StartsWith(native)));
    WithInside without(",verbose");
    fs::remove(without.directory() + "/libcommmap_inside_ompi.so");
    EXPECT_THAT(
        without.task(0),
        ElementsAre(native + "'DIR/libcommmap_inside_ompi.so' cannot be loaded on this node",
                    inside_is_gone, option_is_gone));
    WithInside contained(",verbose", {{"SLURM_CONTAINER", "/bundle"}});
    EXPECT_THAT(contained.task(0),
                ElementsAre(native + "the step runs in a container (--container, pyxis), which may "
                                     "have another C library",
                            inside_is_gone, option_is_gone));
}

TEST(StepPreload, AStepInsideHasNothingOfTheOtherCollectives) {
    const Variables outer = {{"ASAN_OPTIONS", "verify_asan_link_order=0"},
                             {"COMMMAP_INSIDE", "collectives"},
                             {"COMMMAP_INSIDE_RULES", "bcast 2 1 chain 256"},
                             {"COMMMAP_INSIDE_VERBOSE", "1"},
                             {"LD_PRELOAD", "/x/libcommmap_inside_ompi.so:/y/tool.so"}};
    for (const std::uint32_t kind : {0U, std::uint32_t{SLURM_BATCH_SCRIPT}}) {
        Step step(std::nullopt, outer);
        step.slurm().step = kind;
        step.call_up_to(Hook::user_init);

        EXPECT_THAT(step.task(0),
                    ElementsAre("unset ASAN_OPTIONS", "unset COMMMAP_INSIDE_RULES",
                                "unset COMMMAP_INSIDE_VERBOSE", "LD_PRELOAD=/y/tool.so"));
    }
    // and of what is the user's nothing goes
    for (const bool was_added : {false, true}) {
        Variables variables = {{"COMMMAP_INSIDE_RULES", ""},
                               {"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"}};
        if (was_added) variables["COMMMAP_INSIDE_DYNAMIC_RULES"] = "1";
        Step step(std::nullopt, variables);
        step.call_up_to(Hook::user_init);
        const auto gone = Contains("unset OMPI_MCA_coll_tuned_use_dynamic_rules");
        EXPECT_EQ(testing::Matches(gone)(step.task(0)), was_added);
    }
}

TEST(StepPreload, TheFirstTaskOfATimedStepHasTheClock) {
    Step step("auto", {{"SLURM_COMMMAP_CLOCK", "/home/u/time"}});
    step.call_up_to(Hook::user_init);

    EXPECT_THAT(step.task(0),
                ElementsAre("unset SLURM_COMMMAP_CLOCK", option_is_gone,
                            "ASAN_OPTIONS=verify_asan_link_order=0", "COMMMAP_CLOCK=/home/u/time",
                            "LD_PRELOAD=DIR/libcommmap_clock.so"));
    EXPECT_THAT(step.task(1), ElementsAre("unset SLURM_COMMMAP_CLOCK", option_is_gone));
    fs::remove(step.directory() + "/libcommmap_clock.so");
    EXPECT_THAT(step.task(0), ElementsAre("unset SLURM_COMMMAP_CLOCK", option_is_gone));
}

}  // namespace
}  // namespace commmap::spank
