// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/prediction.hpp"

#include <gtest/gtest.h>

#include "core/plan/sample_job.hpp"

namespace commmap {
namespace {

/// A profile on the nodes n0 and n1, and what it is a profile of.
struct ProfiledJob {
    explicit ProfiledJob(Profile of) : profile(std::move(of)) {}

    Profile profile;
    Cluster cluster = sample_cluster();
    Scenario scenario = make_scenario(profile, cluster, whole_cluster(cluster), 4).value();

    [[nodiscard]] Prediction prediction() const { return {profile, scenario, cluster}; }
};

double run_time_s(const Prediction& prediction, const std::vector<double>& parts_s) {
    return prediction.run_time_s(parts_s);
}

/// Each rank sends 100 MB to its partner.
ProfiledJob paired_job(double wall_s, double mpi_s) {
    // Pairs 0-2 and 1-3 cross the network: each node port carries 2 x 100 MB one way at 100 MB/s =
    // 2 s.
    return ProfiledJob(paired_profile({2, 3, 0, 1}, 100'000'000, wall_s, mpi_s));
}

/// Two steps that cost 2 s and 1 s where they were profiled, and as much together.
ProfiledJob job_of_two_steps(double wall_s, double mpi_s) {
    ProfiledJob job = paired_job(wall_s, mpi_s);
    const std::vector<StepGraph> steps = {
        {CommGraph(4, {{0, 2, 1, 100'000'000}, {1, 3, 1, 100'000'000}})},
        {CommGraph(4, {{2, 0, 1, 100'000'000}})}};
    job.scenario.steps = steps;
    job.scenario.run =
        std::make_shared<const RunCost>(steps, job.scenario.run->shared_whole(), job.scenario.hct);
    return job;
}

TEST(Prediction, ScalesOnlyTheTimeInsideMpi) {
    const Prediction prediction = paired_job(10.0, 2.0).prediction();

    EXPECT_TRUE(prediction.profiled_placement_known());
    EXPECT_NEAR(prediction.profiled_cost_s(), 2.0, 1e-3);
    EXPECT_DOUBLE_EQ(prediction.share_in_mpi(), 0.2);
    EXPECT_TRUE(prediction.share_known());
    EXPECT_NEAR(run_time_s(prediction, {2.0}), 10.0, 1e-3);
    EXPECT_NEAR(run_time_s(prediction, {1.0}), 9.0, 1e-3);
    EXPECT_NEAR(run_time_s(prediction, {0.0}), 8.0, 1e-3);
}

TEST(Prediction, DoesNotScaleWhatTheCostDoesNotExplain) {
    // Of the 6 s on top of 2 s of cost 2 s count, and 0.8 s of these grow.
    const Prediction prediction = paired_job(10.0, 8.0).prediction();

    EXPECT_NEAR(prediction.explained_share(), 2.8 / 8.0, 1e-3);
    EXPECT_NEAR(run_time_s(prediction, {2.0}), 10.0, 1e-3);
    EXPECT_NEAR(run_time_s(prediction, {1.0}), 8.6, 1e-3);
    EXPECT_NEAR(run_time_s(prediction, {0.0}), 7.2, 1e-3);
}

TEST(Prediction, OfALittleOnTopOfTheCostTheSameShareGrows) {
    const Prediction prediction = paired_job(10.0, 3.0).prediction();

    EXPECT_NEAR(prediction.explained_share(), 2.4 / 3.0, 1e-3);
    EXPECT_NEAR(run_time_s(prediction, {1.0}), 8.8, 1e-3);
}

TEST(Prediction, DividesTheExplainedTimeByTheCostsOfTheSteps) {
    const Prediction prediction = job_of_two_steps(10.0, 3.0).prediction();

    EXPECT_NEAR(run_time_s(prediction, {2.0, 1.0, 2.0}), 10.0, 1e-3);
    EXPECT_NEAR(run_time_s(prediction, {2.0, 0.0, 1.0}), 9.0, 1e-3);
    EXPECT_NEAR(run_time_s(prediction, {1.0, 1.0, 1.0}), 9.0, 1e-3);
}

TEST(Prediction, BelievesTheLesserGainOfStepsAndWholeRun) {
    const Prediction prediction = job_of_two_steps(10.0, 3.0).prediction();

    EXPECT_NEAR(run_time_s(prediction, {2.0, 1.0, 2.0}), 10.0, 1e-3);
    EXPECT_NEAR(run_time_s(prediction, {1.0, 0.5, 1.8}), 9.46, 1e-3);  // the whole run's
    EXPECT_NEAR(run_time_s(prediction, {1.6, 0.8, 0.5}), 9.4, 1e-3);   // the steps'
}

TEST(Prediction, TheWholeRunCountsAsFarAsItExplainsTheTime) {
    // A step of 1 s follows one of 2 s over the same port, but the whole run costs 2 s only: its
    // cost stands for 2.8 of the 3.4 s that the steps explain.
    const Prediction prediction = job_of_two_steps(10.0, 4.0).prediction();

    EXPECT_NEAR(run_time_s(prediction, {2.0, 1.0, 2.0}), 10.0, 1e-3);
    EXPECT_NEAR(run_time_s(prediction, {1.0, 0.5, 1.0}), 8.3, 1e-3);
    EXPECT_NEAR(run_time_s(prediction, {1.0, 0.5, 2.0}), 9.7, 1e-3);
}

TEST(Prediction, AStepThatCostNothingCostsSomethingElsewhere) {
    ProfiledJob job = job_of_two_steps(10.0, 2.0);
    job.scenario.steps[1] = {CommGraph(4, {})};
    job.scenario.run = std::make_shared<const RunCost>(
        job.scenario.steps, job.scenario.run->shared_whole(), job.scenario.hct);

    EXPECT_NEAR(run_time_s(job.prediction(), {2.0, 1.0, 2.0}), 11.0, 1e-3);
}

TEST(Prediction, TakesARunWithoutTimesAsAllCommunication) {
    const Prediction prediction = paired_job(10.0, 0.0).prediction();

    EXPECT_FALSE(prediction.share_known());
    EXPECT_NEAR(run_time_s(prediction, {1.0}), 5.0, 1e-3);
}

TEST(Prediction, TakesARunWithoutWallTimeAsLongAsItsPortCost) {
    const Prediction prediction = paired_job(0.0, 0.0).prediction();

    EXPECT_FALSE(prediction.share_known());
    EXPECT_NEAR(run_time_s(prediction, {prediction.profiled_cost_s()}), 2.0, 1e-3);
    EXPECT_NEAR(run_time_s(prediction, {1.0}), 1.0, 1e-3);
}

TEST(Prediction, FallsBackWhenTheProfiledNodesAreNotHere) {
    ProfiledJob job(paired_profile({2, 3, 0, 1}, 100'000'000, 10.0, 2.0));
    job.profile.nodes = {"elsewhere0", "elsewhere1"};
    job.scenario.default_placement = {0, 2, 1, 3};  // both pairs inside a node

    const Prediction prediction = job.prediction();

    EXPECT_FALSE(prediction.profiled_placement_known());
    EXPECT_NEAR(prediction.profiled_cost_s(), 0.01, 1e-3);
}

TEST(Prediction, SaysTheProfiledTimeWhenNothingWasSent) {
    const ProfiledJob job(paired_profile({0, 1, 2, 3}, 0, 7.0, 1.0));

    EXPECT_DOUBLE_EQ(run_time_s(job.prediction(), {0.0}), 7.0);
}

}  // namespace
}  // namespace commmap
