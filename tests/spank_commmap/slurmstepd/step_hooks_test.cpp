// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/step_hooks.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "spank_commmap/handover/relaunch_variables.hpp"
#include "spank_commmap/slurm/slurm_calls.hpp"
#include "spank_commmap/slurm/spank_api.hpp"
#include "spank_commmap/slurmstepd/fake_step.hpp"

namespace commmap::spank {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The table of plugin.cpp: the hooks of slurmstepd in all situations.

/// The variables of a task whose step is recorded, and timed by libcommmap_clock.so.
const Variables inside_recorded = {
    {"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"},
    {"COMMMAP_APP_ID", "build-id:0b"},
    {"COMMMAP_APP_PATH", "/home/u/outer"},
    {"COMMMAP_CLOCK", "/home/u/time"},
    {"COMMMAP_PROFILE_DIR", "/home/u/own"},
    {"COMMMAP_PROFILE_READERS", "user"},
    {"COMMMAP_RECORD", "1"},
    {"COMMMAP_RECORD_ADDED", "COMMMAP_PROFILE_READERS "},
    {"COMMMAP_RECORD_APART", "1"},
    {"COMMMAP_RECORD_MEMORY", "5:1:2"},
    {"LD_PRELOAD",
     "/x/libcommmap_clock.so:/x/libcommmap_hooks_ompi.so:/x/libcommmap_hooks_mpich.so:/y/tool.so"}};

struct Situation {
    std::string name;
    std::function<std::unique_ptr<Step>()> start;
    std::optional<Hook> root_from;  ///< the cells from here on are about a slurmd of root's
    std::vector<Deeds> of_hook;     ///< expected, in the order of the table's columns
};

void PrintTo(const Situation& situation, std::ostream* out) { *out << situation.name; }

const Situation situations[] = {
    {"off", [] { return std::make_unique<Step>("off"); }, {}, {{}, {}, {option_is_gone}, {}, {}}},
    {"profile",
     [] { return std::make_unique<Step>("profile"); },
     Hook::user_init,
     {{},
      {"make memory for 2 tasks"},
      {option_is_gone, "ASAN_OPTIONS=verify_asan_link_order=0", "COMMMAP_APP_ID=build-id:0a",
       "COMMMAP_APP_PATH=/home/u/app", "COMMMAP_PROFILE_DIR=/home/u/.cache/commmap",
       "COMMMAP_PROFILE_READERS=user", "COMMMAP_RECORD=1",
       "COMMMAP_RECORD_ADDED=COMMMAP_PROFILE_DIR COMMMAP_PROFILE_READERS ",
       "COMMMAP_RECORD_MEMORY is open",
       "LD_PRELOAD=DIR/libcommmap_hooks_ompi.so:DIR/libcommmap_hooks_mpich.so"},
      {"run commmap-collect 7.3 node 0 memories 2 as 0:0 groups 0"},
      {}}},
    {"auto_in_allocation",
     [] { return std::make_unique<Step>("auto"); },
     {},
     {{}, {}, {option_is_gone}, {}, {}}},
    {"auto_standalone",
     [] {
         return std::make_unique<Step>(
             std::nullopt, Variables{{"COMMMAP", "auto"}, {"SLURM_COMMMAP_MODE", "auto"}});
     },
     {},
     {{}, {}, {"unset SLURM_COMMMAP_MODE"}, {}, {}}},
    {"second_srun",
     [] {
         return std::make_unique<Step>("placed1:1,0@0x1",
                                       Variables{{"COMMMAP_RELAUNCH", "9:9"},
                                                 {"SLURM_COMMMAP_OWN_JOB", "1"},
                                                 {"SLURM_DISTRIBUTION", "arbitrary"}});
     },
     Hook::exit,
     {{"unset SLURM_COMMMAP_OWN_JOB", "unset SLURM_DISTRIBUTION"},
      {"share memory for an answer"},
      {"run commmap-node", "unset COMMMAP_RELAUNCH", option_is_gone, "I_MPI_PIN=off",
       "MV2_ENABLE_AFFINITY=0", "MVP_ENABLE_AFFINITY=0", "bind to CPU 1"},
      {},
      {"run commmap-node", "keep what commmap-node says"}}},
    {"keep_order",
     [] {
         return std::make_unique<Step>("auto,keep=order",
                                       Variables{{"SLURM_COMMMAP_PLACED", "placed1:1,0@0x1"}});
     },
     Hook::exit,
     {{},
      {"share memory for an answer"},
      {"run commmap-node", "unset SLURM_COMMMAP_PLACED", option_is_gone, "I_MPI_PIN=off",
       "MV2_ENABLE_AFFINITY=0", "MVP_ENABLE_AFFINITY=0", "bind to CPU 1"},
      {},
      {"run commmap-node", "keep what commmap-node says"}}},
    // srun of this release ends before there is a step; another srun's step would run as it is
    {"dry_run",
     [] { return std::make_unique<Step>("auto,dry-run"); },
     {},
     {{}, {}, {option_is_gone}, {}, {}}},
    {"inside_a_step",
     [] { return std::make_unique<Step>("auto", inside_recorded); },
     {},
     {{},
      {},
      {"unset COMMMAP_APP_ID", "unset COMMMAP_APP_PATH", "unset COMMMAP_CLOCK",
       "unset COMMMAP_PROFILE_READERS", "unset COMMMAP_RECORD", "unset COMMMAP_RECORD_ADDED",
       "unset COMMMAP_RECORD_APART", "unset COMMMAP_RECORD_MEMORY", option_is_gone,
       "ASAN_OPTIONS=detect_leaks=0", "LD_PRELOAD=/y/tool.so"},
      {},
      {}}},
    {"switched_off",
     [] {
         auto it = std::make_unique<Step>("profile");
         it->add_to_plugstack("disabled=1");
         return it;
     },
     {},
     {{}, {}, {option_is_gone}, {}, {}}},
    {"wrong_value",
     [] {
         return std::make_unique<Step>("profil", Variables{{"COMMMAP", "on"}});
     },
     {},
     {{}, {}, {option_is_gone}, {}, {}}},
};

constexpr Hook columns[] = {Hook::init, Hook::user_init, Hook::task_init, Hook::task_exit,
                            Hook::exit};

class EveryCell : public testing::TestWithParam<std::tuple<Situation, std::size_t>> {};

TEST_P(EveryCell, DoesThisAndNothingElse) {
    const auto& [situation, column] = GetParam();
    const Hook last = columns[column];
    const Deeds& expected = situation.of_hook[column];
    if (situation.root_from && last >= *situation.root_from && ::geteuid() != 0)
        GTEST_SKIP() << "is about a slurmd of root's";
    if (!expected.empty() && expected.back().starts_with("bind") && !has_two_cpus())
        GTEST_SKIP() << "needs two CPUs";

    EXPECT_EQ(situation.start()->call_up_to(last), expected);
}

std::string cell_name(const testing::TestParamInfo<std::tuple<Situation, std::size_t>>& cell) {
    const char* const hooks[] = {"init", "user_init", "task_init", "task_exit", "exit"};
    return std::get<0>(cell.param).name + "_" + hooks[std::get<1>(cell.param)];
}

INSTANTIATE_TEST_SUITE_P(StepHooks, EveryCell,
                         testing::Combine(testing::ValuesIn(situations),
                                          testing::Range(std::size_t{0}, std::size(columns))),
                         cell_name);

// What a cell does not show.

/// All that the hooks do, in the node's first task and in slurmstepd.
Deeds all_deeds(Step& step) {
    Deeds all;
    for (const Hook hook : {Hook::init, Hook::option, Hook::user_init, Hook::task_init,
                            Hook::task_exit, Hook::exit}) {
        const Deeds deeds = step.call(hook);
        all.insert(all.end(), deeds.begin(), deeds.end());
    }
    return all;
}

TEST(StepHooks, AStepWithoutTheOptionIsLeftAlone) {
    Step step(std::nullopt, {{"LD_PRELOAD", "/y/tool.so"}});

    EXPECT_THAT(all_deeds(step), IsEmpty());
}

TEST(StepHooks, OnlyStepsWithTasksOfTheirOwnAreTouched) {
    for (const std::uint32_t kind :
         {SLURM_BATCH_SCRIPT, SLURM_INTERACTIVE_STEP, SLURM_EXTERN_CONT}) {
        for (const char* value : {"profile", "placed1:1,0@0x1"}) {
            Step step(value, {{"COMMMAP", "profile"}, {"COMMMAP_RELAUNCH", "9:9"}});
            step.slurm().step = kind;

            EXPECT_THAT(all_deeds(step), IsEmpty()) << kind << " " << value;
        }
    }
}

TEST(StepHooks, ABatchScriptHasNoClockOfTheStepThatSubmittedIt) {
    Step step(std::nullopt, inside_recorded);
    step.slurm().step = SLURM_BATCH_SCRIPT;

    EXPECT_THAT(all_deeds(step),
                ElementsAre("unset COMMMAP_CLOCK",
                            "LD_PRELOAD=/x/libcommmap_hooks_ompi.so:/x/libcommmap_hooks_mpich.so:"
                            "/y/tool.so"));
}

TEST(StepHooks, AStepOfUnknownKindIsLeftAlone) {
    Step step("profile");
    step.slurm().withheld = {S_JOB_STEPID};

    EXPECT_THAT(all_deeds(step), IsEmpty());
}

TEST(StepHooks, ATaskOfAJobOfItsOwnLooksAsWithoutCommmap) {
    const Variables of_job = {{"SLURM_DISTRIBUTION", "arbitrary"},
                              {"SLURM_JOB_CPUS_PER_NODE_PACK_GROUP_0", "2"},
                              {"SLURM_JOB_CPUS_PER_NODE_HET_GROUP_0", "2"}};
    Variables marked = of_job;
    marked[own_job_variable] = "1";

    EXPECT_THAT(Step("off", of_job).call(Hook::init), IsEmpty());
    EXPECT_THAT(Step("off", marked).call(Hook::init),
                ElementsAre("unset SLURM_COMMMAP_OWN_JOB", "unset SLURM_DISTRIBUTION",
                            "unset SLURM_JOB_CPUS_PER_NODE_HET_GROUP_0",
                            "unset SLURM_JOB_CPUS_PER_NODE_PACK_GROUP_0"));
}

TEST(StepHooks, TheMapOfNodesGoesToTheMpiPluginThatNeedsIt) {
    const Deeds deeds =
        Step("off", {{"SLURM_COMMMAP_PMI2_MAP", "(vector,(0,1,2))"}}).call(Hook::init);

    if (own_rules().pmi2_loses_nodes)
        EXPECT_THAT(deeds, ElementsAre("unset SLURM_COMMMAP_PMI2_MAP",
                                       "SLURM_PMI2_PROC_MAPPING=(vector,(0,1,2))"));
    else
        EXPECT_THAT(deeds, ElementsAre("unset SLURM_COMMMAP_PMI2_MAP"));
}

TEST(StepHooks, AMapOfNodesThatIsTooLongIsDropped) {
    Step step("off", {{"SLURM_COMMMAP_PMI2_MAP", std::string(1024, '(')}});

    EXPECT_THAT(step.call(Hook::init), ElementsAre("unset SLURM_COMMMAP_PMI2_MAP"));
}

TEST(StepHooks, WhatSallocHandsOnIsTakenFromTheTask) {
    Step step("auto", {{handed_on_variable, "auto"}});

    EXPECT_THAT(step.call_up_to(Hook::task_init),
                ElementsAre(std::string("unset ") + handed_on_variable, option_is_gone));
}

TEST(StepHooks, APlacementOfAnotherReleaseIsLeftToSlurmWithOneLine) {
    Step step("placed2:1,0@0x1");
    const std::string why =
        "say commmap: CPU binding is left to Slurm: this node has another version of commmap than "
        "srun";

    EXPECT_THAT(step.call_up_to(Hook::user_init), IsEmpty());
    EXPECT_THAT(step.task(0), ElementsAre(why, option_is_gone));
    EXPECT_THAT(step.task(1), ElementsAre(option_is_gone));
}

TEST(StepHooks, AForeignTextInAVariableOfOursPlacesNothing) {
    for (const std::string& text : {std::string("1,0@0x1"), std::string("placed1;1,0@0x1"),
                                    "placed1:" + std::string(std::size_t{1} << 20, '0')}) {
        Step step(std::nullopt, {{"SLURM_COMMMAP_PLACED", text}});

        EXPECT_THAT(step.call_up_to(Hook::user_init), IsEmpty());
        EXPECT_THAT(step.task(0), ElementsAre("unset SLURM_COMMMAP_PLACED"));
    }
}

TEST(StepHooks, AValueOfMoreThanAMebibyteIsNoValue) {
    Step step("profile," + std::string(std::size_t{1} << 20, 'x'));

    EXPECT_THAT(step.call_up_to(Hook::user_init), IsEmpty());
    EXPECT_THAT(step.task(0), ElementsAre(option_is_gone));
}

TEST(StepHooks, AnOptionWithoutValueIsNone) {
    Step step(std::nullopt);
    step.hooks().option("profile");
    step.hooks().option(nullptr);

    EXPECT_THAT(all_deeds(step), IsEmpty());
}

TEST(StepHooks, TheModeThatSrunSaysCountsMoreThanTheOption) {
    Step step("profile", {{"SLURM_COMMMAP_MODE", "off"}, {"COMMMAP", "off"}});

    EXPECT_THAT(step.call_up_to(Hook::task_init),
                ElementsAre("unset SLURM_COMMMAP_MODE", option_is_gone));
}

}  // namespace
}  // namespace commmap::spank
