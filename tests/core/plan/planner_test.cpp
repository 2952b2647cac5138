// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/planner.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <random>
#include <stdexcept>

#include "core/estimate/hop_bytes.hpp"
#include "core/mapping/construction/greedy.hpp"
#include "core/mapping/construction/linear.hpp"
#include "core/mapping/construction/metis_mapper.hpp"
#include "core/mapping/construction/multisection_mapper.hpp"
#include "core/mapping/mapper_table.hpp"
#include "core/plan/sample_job.hpp"

namespace commmap {
namespace {

TEST(Planner, PutsPartnersOnOneNode) {
    const auto plan = plan_for(paired_profile({2, 3, 0, 1}, heavy, 2.4, 2.2));

    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_FALSE(plan.value().keep_default);
    const auto& placement = plan.value().chosen().pu_of_rank;
    EXPECT_EQ(placement[0] / 2, placement[2] / 2);
    EXPECT_EQ(placement[1] / 2, placement[3] / 2);
    EXPECT_EQ(placement[0] / 2, 0U) << "rank 0 stays on the job's first node";
    EXPECT_GT(plan.value().gain_percent, 80.0);
}

TEST(Planner, KeepsTheDefaultWhenItIsBest) {
    const auto plan = plan_for(paired_profile({1, 0, 3, 2}, heavy, 10.0, 9.0));

    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan.value().keep_default);
    EXPECT_EQ(plan.value().chosen().name, "slurm");
}

TEST(Planner, KeepsTheDefaultBelowTheThreshold) {
    // 8 % of the time in MPI: even free communication gains less than 20 %.
    const Profile profile = paired_profile({2, 3, 0, 1}, heavy, 10.0, 0.8);

    const auto plan = plan_for(profile, {.threshold_percent = 20.0});
    const auto eager = plan_for(profile);

    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan.value().keep_default);
    EXPECT_NE(plan.value().best, 0U);
    ASSERT_TRUE(eager);
    EXPECT_FALSE(eager.value().keep_default);
}

TEST(Planner, KeepsTheDefaultWithinTheError) {
    // Free communication would gain 3 %, which may be none, or 8 %.
    const PlannerOptions any_gain{.threshold_percent = 0.0};
    const auto unsure = plan_for(paired_profile({2, 3, 0, 1}, heavy, 10.0, 0.3), any_gain);
    const auto sure = plan_for(paired_profile({2, 3, 0, 1}, heavy, 10.0, 0.8), any_gain);

    ASSERT_TRUE(sure && unsure);
    EXPECT_TRUE(unsure.value().keep_default);
    EXPECT_GT(unsure.value().gain.factor, 1.02);
    EXPECT_LT(unsure.value().gain.low, 1.0);
    EXPECT_FALSE(sure.value().keep_default);
    EXPECT_GT(sure.value().gain.low, 1.0);
}

TEST(Planner, EarlierRunsTellWhatRunsMeasureAndDecideNothing) {
    const Profile profile = paired_profile({2, 3, 0, 1}, heavy, 10.0, 0.8);
    const PlannerOptions noisy{.past_gains = PastGains{.spread = 2.0, .share_measured = {}}};
    const auto unknown = plan_for(profile, {});
    const auto known = plan_for(profile, noisy);

    ASSERT_TRUE(unknown && known);
    EXPECT_FALSE(unknown.value().gain_in_runs);
    EXPECT_DOUBLE_EQ(known.value().gain.low, unknown.value().gain.low);
    ASSERT_TRUE(known.value().gain_in_runs);
    EXPECT_LT(known.value().gain_in_runs->low, 1.0);
    EXPECT_FALSE(known.value().keep_default);
}

/// scripts/bench estimate asks that gains from 10 % on are taken (docs/developer/prediction.md).
TEST(Planner, AGainOfTenPercentIsBeyondTheError) {
    const auto is_taken = [](double percent) {
        const double log_gain = -std::log(1.0 - percent / 100.0);
        return log_gain > gain_error(log_gain);
    };
    EXPECT_TRUE(is_taken(10.0));
    EXPECT_TRUE(is_taken(6.6));
    EXPECT_FALSE(is_taken(6.4));  // docs/developer/steps.md, Error bars
}

Result<Plan> plan_between_switches(const Profile& profile) {
    const Cluster cluster = two_switches();
    const auto scenario = make_scenario(profile, cluster, whole_cluster(cluster), 4);
    if (!scenario) return scenario.error();
    return make_plan(scenario.value(), profile, cluster, {});
}

TEST(Planner, PredictsByStepsWhereTheyAreKnown) {
    // At once: the uplink has both messages, and each is alone where partners share a switch. One
    // after the other: each is alone on any way, and no order is faster.
    const auto at_once = plan_between_switches(crossing(true));
    const auto in_turn = plan_between_switches(crossing(false));

    ASSERT_TRUE(at_once) << at_once.error().message;
    EXPECT_FALSE(at_once.value().keep_default);
    EXPECT_NEAR(at_once.value().candidates[0].port_cost.cost_s, 2.0, 1e-3);
    EXPECT_NEAR(at_once.value().chosen().port_cost.cost_s, 1.0, 1e-3);
    EXPECT_NEAR(at_once.value().chosen().by_costs_s, 0.55 * 2.2, 1e-3);
    ASSERT_TRUE(in_turn) << in_turn.error().message;
    EXPECT_TRUE(in_turn.value().keep_default);
    EXPECT_NEAR(in_turn.value().candidates[0].port_cost.cost_s, 2.0, 1e-3);
    EXPECT_NEAR(in_turn.value().gain_percent, 0.0, 0.1);
}

TEST(Planner, SimulatesTheRunInTheCheapestPlacements) {
    const auto plan = plan_between_switches(crossing(true));

    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_TRUE(plan.value().candidates[0].simulated);
    EXPECT_TRUE(plan.value().chosen().simulated);
    // Each rank computes for 0.22 s. Two messages on the uplink take 2.12 s, and one alone half of
    // that: of 2.34 s 1.28 are left, and as much of the profiled run's 2.2.
    EXPECT_NEAR(plan.value().candidates[0].predicted_s, 2.2, 1e-3);
    EXPECT_NEAR(plan.value().chosen().predicted_s, 2.2 * 1.28 / 2.34, 5e-3);
    EXPECT_NEAR(plan.value().gain.factor, 2.34 / 1.28, 1e-2);
    EXPECT_LT(plan.value().gain.low, plan.value().gain.factor);
}

TEST(Planner, WithoutRoundsNothingIsSimulated) {
    const auto plan = plan_for(paired_profile({2, 3, 0, 1}, heavy, 10.0, 9.0));

    ASSERT_TRUE(plan) << plan.error().message;
    for (const Candidate& candidate : plan.value().candidates) {
        EXPECT_FALSE(candidate.simulated);
        EXPECT_EQ(candidate.predicted_s, candidate.by_costs_s);
    }
}

TEST(Planner, CountsCollectives) {
    // Nothing but a broadcast tree within {0, 2} and {1, 3}: found only when collectives are
    // expanded.
    Profile profile = paired_profile({0, 1, 2, 3}, 0, 10.0, 9.0);
    profile.communicators = {{0, 2}, {1, 3}};
    profile.phases[0].collectives = {{CollectiveOp::bcast, 0, 0, 100, 1, 1'000'000, false},
                                     {CollectiveOp::bcast, 1, 1, 100, 1, 1'000'000, false}};

    const auto plan = plan_for(profile);

    ASSERT_TRUE(plan);
    ASSERT_FALSE(plan.value().keep_default);
    EXPECT_EQ(plan.value().chosen().pu_of_rank[0] / 2, plan.value().chosen().pu_of_rank[2] / 2);
}

TEST(Planner, KeepsTheDefaultWhenCollectivesCannotBeCounted) {
    // More calls times bytes than 64 bits hold: the point-to-point messages alone would say "move".
    Profile profile = paired_profile({2, 3, 0, 1}, heavy, 10.0, 9.0);
    profile.communicators = {{0, 1, 2, 3}};
    profile.phases[0].collectives = {
        {CollectiveOp::alltoall, 0, no_id, UINT64_MAX / 2, 1, 1'000'000, false}};

    const auto plan = plan_for(profile);

    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_TRUE(plan.value().keep_default);
    ASSERT_FALSE(plan.value().notes.empty());
    EXPECT_NE(plan.value().notes[0].find("collectives"), std::string::npos);
}

TEST(Planner, ChoosesTheCheapestCandidateByAFreshEstimate) {
    const Cluster cluster = sample_cluster();
    const Profile profile = paired_profile({3, 2, 1, 0}, heavy, 10.0, 9.0);
    const Scenario scenario = make_scenario(profile, cluster, whole_cluster(cluster), 4).value();

    const auto plan = make_plan(scenario, profile, cluster, {});

    ASSERT_TRUE(plan);
    const double chosen =
        port_cost(scenario.graph, scenario.hct, plan.value().chosen().pu_of_rank).value().cost_s;
    for (const Candidate& candidate : plan.value().candidates) {
        const auto again = port_cost(scenario.graph, scenario.hct, candidate.pu_of_rank);
        EXPECT_DOUBLE_EQ(again.value().cost_s, candidate.port_cost.cost_s) << candidate.name;
        EXPECT_LE(chosen, again.value().cost_s * (1 + 1e-9)) << candidate.name;
    }
}

TEST(Planner, ARefinedCandidateIsWhatItsMapperMakes) {
    // The planner refines the placement that it has; the mapper makes it first.
    const Cluster cluster = sample_cluster();
    const Profile profile = paired_profile({3, 2, 1, 0}, heavy, 10.0, 9.0);
    const Scenario scenario = make_scenario(profile, cluster, whole_cluster(cluster), 4).value();
    const MappingProblem problem{scenario.graph, scenario.hct, scenario.candidate_pus, 0};

    const auto plan = make_plan(scenario, profile, cluster, {});

    ASSERT_TRUE(plan);
    int refined = 0;
    for (const Candidate& candidate : plan.value().candidates) {
        if (candidate.name == "slurm") continue;
        const MapperInfo& mapper = *find_mapper(candidate.name).value();
        EXPECT_EQ(candidate.pu_of_rank, mapper.map(problem, {}).value().pu_of_rank)
            << candidate.name;
        const Candidate alone = evaluate("", candidate.pu_of_rank, scenario).value();
        EXPECT_DOUBLE_EQ(candidate.hop_bytes, alone.hop_bytes) << candidate.name;
        EXPECT_DOUBLE_EQ(candidate.hop_bytes,
                         hop_bytes(scenario.graph, scenario.hct, candidate.pu_of_rank).value());
        refined += mapper.refines.empty() ? 0 : 1;
    }
    EXPECT_EQ(refined, 2);  // the cheapest two
}

/// The same as linear, but for the two PUs of each node.
Result<Mapping> map_mirrored(const MappingProblem& problem, const MapperOptions& options) {
    Result<Mapping> mapping = find_mapper("linear").value()->map(problem, options);
    for (PuId& pu : mapping.value().pu_of_rank) pu ^= 1U;
    return mapping;
}

TEST(Planner, EqualPlacementsAreSearchedOnce) {
    const std::vector<MapperInfo> mappers{
        *find_mapper("linear").value(),
        {"mirrored", "", "", SIZE_MAX, map_mirrored},
        *find_mapper("round_robin").value(),
        {"mirrored_refined", "", "", SIZE_MAX, map_without_memory, "mirrored"},
        *find_mapper("linear_refined").value(),
        {"round_robin_refined", "", "", SIZE_MAX, map_without_memory, "round_robin"}};

    const auto plan =
        plan_for(paired_profile({1, 0, 3, 2}, heavy, 10.0, 9.0), {.mappers = mappers});

    ASSERT_TRUE(plan) << plan.error().message;
    std::vector<std::string> names;
    for (const Candidate& candidate : plan.value().candidates) names.push_back(candidate.name);
    EXPECT_THAT(names, testing::ElementsAre("slurm", "linear", "mirrored", "round_robin",
                                            "mirrored_refined", "round_robin_refined"));
}

TEST(Planner, TakesLinearForAMapperWhosePlacementIsDearer) {
    const Cluster cluster = sample_cluster();
    const Profile profile = trap_for_greedy();
    const Scenario scenario = make_scenario(profile, cluster, whole_cluster(cluster), 4).value();
    const MapperInfo& greedy = *find_mapper("greedy").value();
    const MappingProblem problem{scenario.graph, scenario.hct, scenario.candidate_pus, 0};

    const auto plan = make_plan(scenario, profile, cluster, {});

    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(greedy.map(problem, {}).value().pu_of_rank, (std::vector<PuId>{0, 2, 1, 3}));
    for (const Candidate& candidate : plan.value().candidates) {
        if (candidate.name == "greedy") {
            EXPECT_EQ(candidate.pu_of_rank, (std::vector<PuId>{0, 1, 2, 3}));
        }
        EXPECT_EQ(candidate.linear_instead, candidate.name == "greedy") << candidate.name;
        EXPECT_NE(candidate.name, "sweeney");
        EXPECT_NE(candidate.name, "tmmgp");
    }
    EXPECT_TRUE(plan.value().notes.empty()) << "no launch need know of it";
}

/// A mapper that falls back to linear itself.
template <Result<Mapping> (*Map)(const MappingProblem&, const MapperOptions&)>
Result<Mapping> or_linear(const MappingProblem& problem, const MapperOptions& options) {
    auto mapping = Map(problem, options);
    if (mapping) fall_back_to_linear(problem, mapping.value());
    return mapping;
}

TEST(Planner, PlansAreThoseOfMappersThatFallBackThemselves) {
    std::vector<MapperInfo> mappers(mapper_table().begin(), mapper_table().end());
    for (MapperInfo& mapper : mappers) {
        mapper.or_linear_in_plans = false;
        if (mapper.name == "greedy") mapper.map = or_linear<map_greedy>;
        if (mapper.name == "metis") mapper.map = or_linear<map_metis>;
        if (mapper.name == "multisection") mapper.map = or_linear<map_multisection>;
    }
    const Cluster cluster = two_switches(2);
    std::mt19937 random(81);
    int fell_back = 0;
    for (int round = 0; round < 40; ++round) {
        Profile profile = paired_profile({1, 0, 3, 2, 5, 4, 7, 6}, 0, 10.0, 9.0);
        profile.nodes = {"n0", "n1", "n2", "n3"};
        profile.phases[0].sent = {};
        for (RankId rank = 0; rank < 8; ++rank) {
            std::vector<TrafficCell> row;
            for (RankId peer = 0; peer < 8; ++peer)
                if (peer != rank && random() % 3 == 0)
                    row.push_back(one_message(peer, 1 + random() % heavy));
            profile.phases[0].sent.add_row(row);
        }
        const Scenario scenario =
            make_scenario(profile, cluster, whole_cluster(cluster), 8).value();
        const LayoutConstraint keep =
            round % 2 == 0 ? LayoutConstraint::none : LayoutConstraint::blocks;

        const auto plan = make_plan(scenario, profile, cluster, {.keep = keep});
        const auto before =
            make_plan(scenario, profile, cluster, {.keep = keep, .mappers = mappers});

        ASSERT_TRUE(plan && before);
        EXPECT_EQ(plan.value().chosen().name, before.value().chosen().name);
        ASSERT_EQ(plan.value().candidates.size(), before.value().candidates.size());
        for (std::size_t i = 0; i < plan.value().candidates.size(); ++i) {
            const Candidate& candidate = plan.value().candidates[i];
            EXPECT_EQ(candidate.name, before.value().candidates[i].name);
            EXPECT_EQ(candidate.pu_of_rank, before.value().candidates[i].pu_of_rank);
            fell_back += candidate.linear_instead ? 1 : 0;
        }
    }
    EXPECT_GT(fell_back, 3);
}

TEST(Planner, WithoutTimeItHasSlurmsOwnPlacement) {
    const Cluster cluster = sample_cluster();
    const Profile profile = paired_profile({3, 2, 1, 0}, heavy, 10.0, 9.0);
    const Scenario scenario = make_scenario(profile, cluster, whole_cluster(cluster), 4).value();

    const auto late = make_plan(scenario, profile, cluster, {.deadline = Deadline::after(-1.0)});
    const auto in_time = make_plan(scenario, profile, cluster, {});

    ASSERT_TRUE(late);
    EXPECT_TRUE(late.value().cut_short);
    EXPECT_TRUE(late.value().keep_default);
    EXPECT_EQ(late.value().candidates.size(), 1U);
    EXPECT_FALSE(in_time.value().cut_short);
}

Result<Mapping> map_at_odds(const MappingProblem& /*problem*/, const MapperOptions& /*options*/) {
    throw std::runtime_error("at odds with itself");
}

/// A third mapper, between two that throw.
std::vector<MapperInfo> between_throwing_ones(std::string_view name) {
    return {{"hungry", "", "", SIZE_MAX, map_without_memory},
            *find_mapper(name).value(),
            {"hungry_refined", "", "", SIZE_MAX, map_without_memory, "hungry"},
            {"odd", "", "", SIZE_MAX, map_at_odds}};
}

TEST(Planner, AMapperThatThrowsIsLeftOut) {
    const std::vector<MapperInfo> mappers = between_throwing_ones("round_robin");

    const auto plan =
        plan_for(paired_profile({2, 3, 0, 1}, heavy, 10.0, 9.0), {.mappers = mappers});

    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan.value().chosen().name, "round_robin");
    EXPECT_EQ(plan.value().candidates.size(), 2U);
    EXPECT_THAT(
        plan.value().notes,
        testing::ElementsAre(
            "the mapper hungry failed (out of memory); its placement is not among the candidates",
            "the mapper odd failed (at odds with itself); its placement is not among the "
            "candidates"));
    EXPECT_TRUE(plan.value().left_out);
    EXPECT_FALSE(plan.value().cut_short);
}

TEST(Planner, AMapperOfBlocksThatThrowsIsLeftOut) {
    const std::vector<MapperInfo> mappers = between_throwing_ones("linear");

    const auto plan = plan_for(paired_profile({2, 3, 0, 1}, heavy, 10.0, 9.0),
                               {.keep = LayoutConstraint::blocks, .mappers = mappers});

    ASSERT_TRUE(plan) << plan.error().message;
    std::vector<std::string> names;
    for (const Candidate& candidate : plan.value().candidates) names.push_back(candidate.name);
    EXPECT_THAT(names, testing::ElementsAre("slurm", "linear", "block_swaps", "bound"));
    EXPECT_THAT(
        plan.value().notes,
        testing::Contains(
            "the mapper hungry failed (out of memory); its placement is not among the candidates"));
    EXPECT_TRUE(plan.value().left_out);
}

std::string told;       // by on_better
std::string told_then;  // while the mapper below was at work

Result<Mapping> map_out_of_time(const MappingProblem& /*problem*/,
                                const MapperOptions& /*options*/) {
    told_then = told;
    return Error{Errc::timed_out, "no time"};
}

TEST(Planner, WhatIsFinishedIsKnownWhileTheNextMapperIsAtWork) {
    const std::array mappers{*find_mapper("linear").value(), *find_mapper("round_robin").value(),
                             MapperInfo{"late", "", "", SIZE_MAX, map_out_of_time}};
    std::vector<std::string> best;
    std::vector<double> gains;
    const auto on_better = [&](const Plan& so_far) {
        told = so_far.chosen().name;
        best.push_back(so_far.candidates[so_far.best].name);
        gains.push_back(so_far.gain_percent);
    };

    const auto plan = plan_for(paired_profile({2, 3, 0, 1}, heavy, 10.0, 9.0),
                               {.mappers = mappers, .on_better = on_better});

    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_THAT(best, testing::ElementsAre("slurm", "slurm", "round_robin"))
        << "told of the first mapper too, though it finds nothing better";
    EXPECT_THAT(gains, testing::ElementsAre(0.0, 0.0, plan.value().gain_percent));
    EXPECT_EQ(told_then, "round_robin");
    EXPECT_EQ(plan.value().chosen().name, "round_robin");
    EXPECT_TRUE(plan.value().cut_short);
    EXPECT_FALSE(plan.value().left_out);
}

TEST(Planner, IsDeterministic) {
    const Profile profile = paired_profile({3, 2, 1, 0}, heavy, 10.0, 9.0);
    EXPECT_EQ(plan_for(profile).value().chosen().pu_of_rank,
              plan_for(profile).value().chosen().pu_of_rank);
}

TEST(Planner, NeverPredictsWorseThanTheDefault) {
    for (const auto& partner :
         {std::vector<RankId>{1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}, {1, 2, 3, 0}}) {
        const auto plan =
            plan_for(paired_profile(partner, heavy, 10.0, 9.0), {.threshold_percent = 0.0});
        ASSERT_TRUE(plan);
        EXPECT_LE(plan.value().chosen().predicted_s, plan.value().candidates[0].predicted_s);
    }
}

}  // namespace
}  // namespace commmap
