// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/srun_launch.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <functional>
#include <memory>

#include "spank_commmap/srun/fake_srun.hpp"
#include "spank_commmap/srun/relaunch/shepherd_process.hpp"

namespace commmap::spank {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

const std::string as_without = "; launching as without commmap";

// The table of plugin.cpp: all hooks of srun in all situations.

struct Situation {
    std::string name;
    std::function<std::unique_ptr<Srun>()> start;
    std::vector<Deeds> of_hook;  ///< expected, in the order of Hook
};

void PrintTo(const Situation& situation, std::ostream* out) { *out << situation.name; }

const Situation situations[] = {
    {"off", [] { return std::make_unique<Srun>(srun("off"), allocation); }, {{}, {}, {}, {}, {}}},
    {"profile",
     [] {
         auto it = std::make_unique<Srun>(srun("profile"), allocation);
         it->keep_parts_of_step();
         return it;
     },
     {{},
      {},
      {},
      {"watch for the end"},
      {"run profile collect --profile-dir DIR --profile-readers user 7.0"}}},
    {"auto_in_allocation",
     [] {
         auto it = std::make_unique<Srun>(srun("auto"), allocation);
         it->actions().planned_run = planned;
         return it;
     },
     {{}, {}, {"plan and relaunch 4 tasks on m[0-1]"}, {"watch for the end"}, {}}},
    {"auto_standalone",
     [] { return standalone("auto"); },
     {{"SLURM_OVERLAP=1"},
      {},
      {"unset SLURM_OVERLAP"},
      {"ask for the layout of 7.0", "plan and relaunch 4 tasks on m[0-1], in job 7"},
      {}}},
    {"second_srun",
     [] { return second_srun("m0\nm0\nm1\nm1\n"); },
     {{},
      {},
      {"unset COMMMAP_ASIDE_RECORD", "unset COMMMAP_ASIDE_SLURM_NTASKS_PER_NODE",
       "unset COMMMAP_RELAUNCH", "unset SLURM_HOSTFILE", "SLURM_NTASKS_PER_NODE=2"},
      {"ask for the layout of 7.0", "watch for the end", "unset SLURM_COMMMAP_OWN_JOB",
       "SLURM_DISTRIBUTION=block"},
      {}}},
    {"keep_order",
     [] { return std::make_unique<Srun>(srun("auto,keep=order"), allocation); },
     {{}, {}, {}, {"ask for the layout of 7.0", "plan and bind 4 tasks on m[0-1]"}, {}}},
    {"dry_run",
     [] { return std::make_unique<Srun>(srun("auto,dry-run"), allocation); },
     {{},
      {},
      {"plan and relaunch 4 tasks on m[0-1]", "say dry run: nothing is launched", "end with 0"},
      {},
      {}}},
    {"inside_a_step",
     [] {
         Variables variables = allocation;
         variables["SLURM_STEP_ID"] = "3";
         return std::make_unique<Srun>(srun("auto"), variables);
     },
     {{}, {}, {"say this srun runs inside a step, whose CPUs it shares" + as_without}, {}, {}}},
    {"switched_off",
     [] {
         auto it = std::make_unique<Srun>(srun("auto"), allocation);
         it->set_plugstack({"disabled=1"});
         return it;
     },
     {{}, {}, {"say switched off on this cluster by its admin" + as_without}, {}, {}}},
    {"wrong_value",
     [] {
         Variables variables = allocation;
         variables["COMMMAP"] = "on";
         return std::make_unique<Srun>(srun("atuo"), variables);
     },
     {{"say environment variable COMMMAP: 'on' is not a mode (off, profile or auto); it is "
       "ignored"},
      {"error --commmap: 'atuo' is not a mode; did you mean 'auto'? (off, profile, auto or help)"},
      {},
      {},
      {}}},
};

class EveryCell : public testing::TestWithParam<std::tuple<Situation, int>> {};

TEST_P(EveryCell, DoesThisAndNothingElse) {
    const auto& [situation, hook] = GetParam();
    // srun's clean-up process, before srun has any other pipe
    std::optional<Shepherd> shepherd;
    if (situation.name == "auto_standalone") shepherd.emplace();
    const std::unique_ptr<Srun> it = situation.start();

    const Deeds deeds = it->call_up_to(static_cast<Hook>(hook));

    EXPECT_EQ(deeds, situation.of_hook[static_cast<std::size_t>(hook)]);
}

std::string cell_name(const testing::TestParamInfo<std::tuple<Situation, int>>& cell) {
    const char* const hooks[] = {"init", "option", "init_post_opt", "local_user_init", "exit"};
    return std::get<0>(cell.param).name + "_" + hooks[std::get<1>(cell.param)];
}

INSTANTIATE_TEST_SUITE_P(SrunLaunch, EveryCell,
                         testing::Combine(testing::ValuesIn(situations), testing::Range(0, 5)),
                         cell_name);

// What a cell does not show.

TEST(SrunLaunch, HelpIsPrintedAndEndsSrun) {
    Srun it(srun("help"), allocation);
    it.call(Hook::init);

    EXPECT_THAT(it.call(Hook::option),
                ElementsAre("print srun --commmap=MODE[,WORD...]", "end with 0"));
}

TEST(SrunLaunch, TheLastValueOfTheOptionWins) {
    Srun it(srun("off"), allocation);
    it.call_up_to(Hook::option);
    it.give_option("auto");
    it.call(Hook::option);

    EXPECT_THAT(it.call(Hook::init_post_opt), ElementsAre("plan and relaunch 4 tasks on m[0-1]"));
}

TEST(SrunLaunch, AHeterogeneousStepIsPlannedOnce) {
    Srun it(srun("auto"), allocation);
    it.call_up_to(Hook::init_post_opt);

    EXPECT_THAT(it.call(Hook::init_post_opt), IsEmpty());
}

TEST(SrunLaunch, TheVariableCountsMoreThanWhatSallocHandsOn) {
    Variables variables = allocation;
    variables["COMMMAP"] = "auto";
    Srun it({"srun", "-n4", "./app"}, variables);
    it.give_option("off");

    EXPECT_THAT(it.call_up_to(Hook::init_post_opt),
                ElementsAre("plan and relaunch 4 tasks on m[0-1]", "SLURM_COMMMAP_MODE=auto"));
}

TEST(SrunLaunch, ASitesDefaultIsNotWorthALine) {
    Variables variables = allocation;
    variables["SLURM_OVERCOMMIT"] = "1";
    Srun site({"srun", "-n4", "./app"}, variables);
    site.set_plugstack({"mode=auto"});
    EXPECT_THAT(site.call_up_to(Hook::init_post_opt), IsEmpty());

    Srun user(srun("auto"), variables);
    EXPECT_THAT(user.call_up_to(Hook::init_post_opt),
                ElementsAre("say SLURM_OVERCOMMIT shares CPUs between tasks" + as_without));
}

TEST(SrunLaunch, WrongSettingsOfTheAdminAreToldOnce) {
    Srun first({"srun", "-n4", "./app"}, allocation);
    first.set_plugstack({"disabled=2"});
    EXPECT_THAT(
        first.call(Hook::init),
        ElementsAre("say plugstack argument: disabled: '2' is neither 0 nor 1; it is ignored"));

    const auto second = second_srun("m0\nm0\nm1\nm1\n");
    second->set_plugstack({"disabled=2"});
    EXPECT_THAT(second->call(Hook::init), IsEmpty());
}

TEST(SrunLaunch, NothingOfAStandaloneLaunchIsTouchedWithoutAProfile) {
    const auto it = standalone("auto");
    fs::remove(it->directory() + "/app.commmap");

    EXPECT_THAT(it->call(Hook::init), IsEmpty());
    it->call(Hook::option);
    EXPECT_THAT(
        it->call(Hook::init_post_opt),
        ElementsAre("say no profile in 'DIR' (--commmap=profile records one)" + as_without));
    EXPECT_THAT(it->call(Hook::local_user_init), IsEmpty());
}

TEST(SrunLaunch, AnOverlappingStepOfTheUsersStaysOne) {
    const auto it = standalone("auto");
    TestEnvironment::add({{"SLURM_OVERLAP", "yes"}});

    EXPECT_THAT(it->call(Hook::init), IsEmpty());
    it->call(Hook::option);
    EXPECT_THAT(it->call(Hook::init_post_opt), IsEmpty());
}

TEST(SrunLaunch, AStandaloneStepThatKeepsItsOrderIsTheOnlyOne) {
    const auto it = standalone("auto,keep=order");

    EXPECT_THAT(it->call(Hook::init), IsEmpty());
    it->call(Hook::option);
    EXPECT_THAT(it->call(Hook::init_post_opt), IsEmpty());
    EXPECT_THAT(it->call(Hook::local_user_init),
                ElementsAre("ask for the layout of 7.0", "plan and bind 4 tasks on m[0-1]"));
}

TEST(SrunLaunch, WithoutItsShepherdSrunIsNotStartedAgain) {
    const auto it = standalone("auto");

    EXPECT_THAT(it->call_up_to(Hook::local_user_init),
                ElementsAre("say srun's clean-up process is not found" + as_without));
}

TEST(SrunLaunch, ADryRunOutsideAnAllocationIsRefused) {
    const auto it = standalone("auto,dry-run");
    const Deeds deeds = it->call_up_to(Hook::init_post_opt);

    ASSERT_EQ(deeds.size(), 3U);
    EXPECT_THAT(deeds[0], testing::StartsWith("say a dry run needs nodes to plan for"));
    EXPECT_THAT(deeds[1], "end with 1");
    EXPECT_THAT(deeds[2], "unset SLURM_OVERLAP");
}

TEST(SrunLaunch, ADryRunSaysNothingOfALaunch) {
    Variables variables = allocation;
    variables["SLURM_OVERCOMMIT"] = "1";
    Srun it(srun("auto,dry-run"), variables);

    EXPECT_THAT(it.call_up_to(Hook::init_post_opt),
                ElementsAre("say SLURM_OVERCOMMIT shares CPUs between tasks",
                            "say dry run: nothing is launched", "end with 0"));
}

TEST(SrunLaunch, ADryRunOfASwitchedOffClusterLaunchesNothing) {
    Srun it(srun("auto,dry-run"), allocation);
    it.set_plugstack({"disabled=1"});

    EXPECT_THAT(it.call_up_to(Hook::init_post_opt),
                ElementsAre("say switched off on this cluster by its admin",
                            "say dry run: nothing is launched", "end with 0"));
}

TEST(SrunLaunch, AReportSaysWhyTheLaunchWasLeftAlone) {
    Variables variables = allocation;
    variables["SLURM_OVERCOMMIT"] = "1";
    Srun it(srun("auto,report=/w/%j.json"), variables);
    it.call_up_to(Hook::init_post_opt);

    EXPECT_THAT(
        it.call(Hook::local_user_init),
        ElementsAre("ask for the layout of 7.0",
                    "run launch-report decline /w/7.json --reason SLURM_OVERCOMMIT shares CPUs "
                    "between tasks --command ./app"));
}

TEST(SrunLaunch, AnOrderOfTheUsersLeavesTheCpusToCommmap) {
    const Words words = {"srun", "-n4", "--distribution=cyclic", "--commmap=auto", "./app"};
    for (const auto& [binding, line] :
         {std::pair(Binding::planned, ": the order stays, only CPUs are bound"),
          std::pair(Binding::kept, as_without.c_str()),
          std::pair(Binding::kept_around_inside,
                    ": order and CPUs stay, only collectives run otherwise")}) {
        Srun it(words, allocation);
        it.actions().binding = binding;

        EXPECT_THAT(it.call_up_to(Hook::local_user_init),
                    ElementsAre("ask for the layout of 7.0", "plan and bind 4 tasks on m[0-1]",
                                std::string("say --distribution chooses the placement") + line));
    }
}

TEST(SrunLaunch, NothingIsBoundWhenSlurmDoesNotTellTheLayout) {
    Srun it(srun("auto,keep=order"), allocation);
    it.slurm().layout.reset();

    EXPECT_THAT(it.call_up_to(Hook::local_user_init),
                ElementsAre("ask for the layout of 7.0",
                            "say Slurm does not say how it laid the step out" + as_without));
}

TEST(SrunLaunch, AnotherPlacementThanThePlannedOneIsToldTheUser) {
    const auto it = second_srun("m0\nm1\nm0\nm1\n");

    EXPECT_THAT(it->call_up_to(Hook::local_user_init),
                IsSupersetOf({"say warning: Slurm did not place the tasks as planned"}));
}

TEST(SrunLaunch, AHostFileThatCannotBeReadIsAnError) {
    const auto it = second_srun("");
    TestEnvironment::add({{"COMMMAP_RELAUNCH", std::to_string(::getpid()) + ":1000"}});

    EXPECT_THAT(it->call_up_to(Hook::init_post_opt),
                testing::Contains(testing::StartsWith("error ")));
}

}  // namespace
}  // namespace commmap::spank
