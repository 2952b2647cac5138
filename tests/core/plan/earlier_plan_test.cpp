// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/earlier_plan.hpp"

#include <gmock/gmock.h>

#include <array>
#include <stdexcept>

#include "core/plan/sample_job.hpp"

namespace commmap {
namespace {

TEST(EarlierPlan, FindsWhatWasTriedByItsName) {
    const EarlierPlan earlier{{{"linear", {0, 1}}, {"greedy", {1, 0}}}, {}, 0};
    ASSERT_NE(earlier.find("greedy"), nullptr);
    EXPECT_THAT(earlier.find("greedy")->pu_of_rank, testing::ElementsAre(1, 0));
    EXPECT_EQ(earlier.find("metis"), nullptr);
}

Result<Mapping> map_too_late(const MappingProblem& /*problem*/, const MapperOptions& /*options*/) {
    return Error{Errc::timed_out, "no time"};
}

/// What a plan would be kept with.
EarlierPlan earlier_of(const Plan& plan) {
    EarlierPlan earlier;
    earlier.notes = plan.notes;
    for (std::size_t i = 1; i < plan.candidates.size(); ++i)
        earlier.tried.push_back({plan.candidates[i].name, plan.candidates[i].pu_of_rank,
                                 plan.candidates[i].cut_short, plan.candidates[i].linear_instead});
    return earlier;
}

TEST(EarlierPlan, IsGoneOnFrom) {
    const Profile profile = paired_profile({2, 3, 0, 1}, heavy, 10.0, 9.0);
    const std::array mappers{
        MapperInfo{"hungry", "", "", SIZE_MAX, map_without_memory},
        *find_mapper("linear").value(),
        *find_mapper("linear_refined").value(),
        MapperInfo{"late", "", "", SIZE_MAX, map_too_late},
    };
    const EarlierPlan earlier{
        {{"hungry", {0, 1, 2, 3}, false}, {"linear_refined", {0, 2, 1, 3}, true}}, {"a note"}, 1};

    const auto plan = plan_for(profile, {.mappers = mappers, .earlier = &earlier});

    ASSERT_TRUE(plan) << plan.error().message;
    std::vector<std::string> names;
    for (const Candidate& candidate : plan.value().candidates) names.push_back(candidate.name);
    // "hungry" throws when it runs; the search that was cut short has ended now
    EXPECT_THAT(names, testing::ElementsAre("slurm", "hungry", "linear", "linear_refined"));
    EXPECT_FALSE(plan.value().candidates[3].cut_short);
    EXPECT_TRUE(plan.value().cut_short) << "the late one has no placement yet";
    EXPECT_THAT(plan.value().notes, testing::ElementsAre("a note"));
}

TEST(EarlierPlan, KnowsFromAnEarlierPlanWhereLinearStands) {
    const EarlierPlan earlier = earlier_of(plan_for(trap_for_greedy()).value());

    const auto plan = plan_for(trap_for_greedy(), {.earlier = &earlier});

    ASSERT_TRUE(plan) << plan.error().message;
    for (const Candidate& candidate : plan.value().candidates)
        EXPECT_EQ(candidate.linear_instead, candidate.name == "greedy") << candidate.name;
}

TEST(EarlierPlan, AMapperThatWasCutShortEarlierLeavesThePlanCutShort) {
    const Profile profile = paired_profile({2, 3, 0, 1}, heavy, 10.0, 9.0);
    const std::array mappers{*find_mapper("linear").value(), *find_mapper("multisection").value()};
    EarlierPlan earlier{{{"multisection", {0, 2, 1, 3}, true}}, {}, 0};

    const auto cut = plan_for(profile, {.mappers = mappers, .earlier = &earlier});
    earlier.tried.front().cut_short = false;
    const auto whole = plan_for(profile, {.mappers = mappers, .earlier = &earlier});

    ASSERT_TRUE(cut && whole);
    EXPECT_TRUE(cut.value().cut_short) << "with more time multisection may find a better one";
    EXPECT_FALSE(cut.value().ended_by_deadline) << "but there is nothing to go on with";
    EXPECT_FALSE(whole.value().cut_short);
}

TEST(EarlierPlan, WithoutTimeItHasWhatAnEarlierPlanTried) {
    const Profile profile = paired_profile({2, 3, 0, 1}, heavy, 10.0, 9.0);
    for (const LayoutConstraint keep : {LayoutConstraint::none, LayoutConstraint::blocks}) {
        const PlannerOptions options{.keep = keep};
        const auto whole = plan_for(profile, options);
        ASSERT_TRUE(whole) << whole.error().message;
        const EarlierPlan earlier = earlier_of(whole.value());
        PlannerOptions late = options;
        late.deadline = Deadline::after(-1.0);
        late.earlier = &earlier;

        const auto plan = plan_for(profile, late);

        ASSERT_TRUE(plan) << plan.error().message;
        EXPECT_EQ(plan.value().chosen().pu_of_rank, whole.value().chosen().pu_of_rank);
        EXPECT_EQ(plan.value().candidates.size(), whole.value().candidates.size());
    }
}

Result<Mapping> map_nothing_twice(const MappingProblem& problem, const MapperOptions& options) {
    static int times = 0;
    if (++times > 1) throw std::runtime_error("asked twice");
    return find_mapper("linear").value()->map(problem, options);
}

TEST(EarlierPlan, BlocksThatAnEarlierPlanMappedAreNotMappedAgain) {
    const Profile profile = paired_profile({2, 3, 0, 1}, heavy, 10.0, 9.0);
    const std::array mappers{MapperInfo{"once", "", "", SIZE_MAX, map_nothing_twice}};
    const auto first = plan_for(profile, {.keep = LayoutConstraint::blocks, .mappers = mappers});
    ASSERT_TRUE(first) << first.error().message;
    const EarlierPlan earlier = earlier_of(first.value());

    const auto second = plan_for(
        profile, {.keep = LayoutConstraint::blocks, .mappers = mappers, .earlier = &earlier});

    ASSERT_TRUE(second) << second.error().message;
    EXPECT_FALSE(second.value().left_out);
    std::vector<std::string> names;
    for (const Candidate& candidate : second.value().candidates) names.push_back(candidate.name);
    EXPECT_THAT(names, testing::ElementsAre("slurm", "once", "block_swaps", "bound"));
}

TEST(EarlierPlan, ADamagedEarlierPlanCostsOnlyItself) {
    const Profile profile = paired_profile({2, 3, 0, 1}, heavy, 10.0, 9.0);
    const EarlierPlan earlier{{{"linear", {0, 0, 0, 0}, false},
                               {"linear_refined", {7}, true},
                               {"nobody's", {0, 1, 2, 999}, false}},
                              {},
                              0};

    const auto plan = plan_for(profile, {.earlier = &earlier});

    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan.value().chosen().pu_of_rank, plan_for(profile).value().chosen().pu_of_rank);
}

}  // namespace
}  // namespace commmap
