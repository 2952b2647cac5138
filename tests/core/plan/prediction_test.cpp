#include "core/plan/prediction.hpp"

#include <gtest/gtest.h>

#include "core/plan/sample_job.hpp"

namespace commmap {
namespace {

/// Of a run that is one step.
Candidate costing(double cost_s) {
    Candidate candidate;
    candidate.port_cost.cost_s = cost_s;
    candidate.whole_cost_s = cost_s;
    return candidate;
}

TEST(Prediction, ScalesOnlyTheTimeInsideMpi) {
    // Pairs 0-2 and 1-3 cross the network: each node port carries 2 x 100 MB one way at 100 MB/s =
    // 2 s.
    const Profile profile = paired_profile({2, 3, 0, 1}, 100'000'000, 10.0, 4.0);
    const Cluster cluster = sample_cluster();
    const Scenario scenario = make_scenario(profile, cluster, whole_cluster(cluster), 4).value();

    const Prediction prediction(profile, scenario, cluster, costing(1.0));

    EXPECT_TRUE(prediction.profiled_placement_known());
    EXPECT_NEAR(prediction.profiled_cost_s(), 2.0, 1e-3);
    EXPECT_DOUBLE_EQ(prediction.share_in_mpi(), 0.4);
    EXPECT_TRUE(prediction.share_known());
    EXPECT_NEAR(prediction.run_time_s(2.0, 2.0), 10.0, 1e-3);
    EXPECT_NEAR(prediction.run_time_s(1.0, 1.0), 8.0, 1e-3);
    EXPECT_NEAR(prediction.run_time_s(0.0, 0.0), 6.0, 1e-3);
}

TEST(Prediction, BelievesTheLesserGainOfStepsAndWholeRun) {
    Profile profile = paired_profile({2, 3, 0, 1}, 100'000'000, 10.0, 10.0);
    const Cluster cluster = sample_cluster();
    const Scenario scenario = make_scenario(profile, cluster, whole_cluster(cluster), 4).value();
    profile.nodes = {"elsewhere0", "elsewhere1"};
    Candidate slurm = costing(4.0);
    slurm.whole_cost_s = 2.0;

    const Prediction prediction(profile, scenario, cluster, slurm);

    EXPECT_DOUBLE_EQ(prediction.run_time_s(4.0, 2.0), 10.0);
    EXPECT_DOUBLE_EQ(prediction.run_time_s(2.0, 1.8), 9.0);
    EXPECT_DOUBLE_EQ(prediction.run_time_s(3.6, 1.0), 9.0);
}

TEST(Prediction, TakesARunWithoutTimesAsAllCommunication) {
    const Profile profile = paired_profile({2, 3, 0, 1}, 100'000'000, 10.0, 0.0);
    const Cluster cluster = sample_cluster();
    const Scenario scenario = make_scenario(profile, cluster, whole_cluster(cluster), 4).value();

    const Prediction prediction(profile, scenario, cluster, costing(1.0));

    EXPECT_FALSE(prediction.share_known());
    EXPECT_NEAR(prediction.run_time_s(1.0, 1.0), 5.0, 1e-3);
}

TEST(Prediction, TakesARunWithoutWallTimeAsLongAsItsPortCost) {
    const Profile profile = paired_profile({2, 3, 0, 1}, 100'000'000, 0.0, 0.0);
    const Cluster cluster = sample_cluster();
    const Scenario scenario = make_scenario(profile, cluster, whole_cluster(cluster), 4).value();

    const Prediction prediction(profile, scenario, cluster, costing(1.0));

    EXPECT_FALSE(prediction.share_known());
    EXPECT_NEAR(prediction.run_time_s(prediction.profiled_cost_s(), prediction.profiled_cost_s()),
                2.0, 1e-3);
    EXPECT_NEAR(prediction.run_time_s(1.0, 1.0), 1.0, 1e-3);
}

TEST(Prediction, FallsBackWhenTheProfiledNodesAreNotHere) {
    Profile profile = paired_profile({2, 3, 0, 1}, 1000, 10.0, 5.0);
    const Cluster cluster = sample_cluster();
    const Scenario scenario = make_scenario(profile, cluster, whole_cluster(cluster), 4).value();
    profile.nodes = {"elsewhere0", "elsewhere1"};

    const Prediction prediction(profile, scenario, cluster, costing(3.0));

    EXPECT_FALSE(prediction.profiled_placement_known());
    EXPECT_DOUBLE_EQ(prediction.profiled_cost_s(), 3.0);
}

TEST(Prediction, SaysTheProfiledTimeWhenNothingWasSent) {
    Profile profile = paired_profile({0, 1, 2, 3}, 0, 7.0, 1.0);
    const Cluster cluster = sample_cluster();
    const Scenario scenario = make_scenario(profile, cluster, whole_cluster(cluster), 4).value();

    const Prediction prediction(profile, scenario, cluster, costing(0.0));

    EXPECT_DOUBLE_EQ(prediction.run_time_s(0.0, 0.0), 7.0);
}

}  // namespace
}  // namespace commmap
