// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/run_cost.hpp"

#include <gtest/gtest.h>

#include "core/estimate/graphs.hpp"

namespace commmap {
namespace {

double whole_cost(const CommGraph& graph, const Hct& hct, Placement placement) {
    return port_cost(graph, hct, placement).value().cost_s;
}

/// @param whole_s  cost of the whole run
double cost_of_steps(const std::vector<StepGraph>& steps, const Hct& hct, Placement placement,
                     double whole_s) {
    const auto whole = std::make_shared<const PortTable>(steps.front().graph, hct);
    return cost_of(RunCost(steps, whole, hct).parts_of(placement, whole_s));
}

/// Returns the messages of all graphs in one graph.
CommGraph together(const std::vector<StepGraph>& graphs) {
    std::vector<Message> messages;
    for (const StepGraph& step : graphs)
        for (RankId rank = 0; rank < step.graph.num_ranks(); ++rank)
            for (const Traffic& t : step.graph.sent_by(rank))
                messages.push_back({rank, t.peer, t.count, t.bytes});
    return CommGraph(graphs.front().graph.num_ranks(), messages);
}

TEST(RunCost, OneStepIsTheWholeRun) {
    std::mt19937 random(5);
    const Hct hct = uneven_tree();
    for (int i = 0; i < 100; ++i) {
        const std::vector<StepGraph> steps = {{random_graph(6, 0.6, random)}};
        const auto placement = random_placement(6, hct.num_pus(), random);
        const double whole = whole_cost(steps[0].graph, hct, placement);

        EXPECT_EQ(cost_of_steps(steps, hct, placement, 0.0), whole);
    }
}

TEST(RunCost, AddsUpWhatIsSentOneAfterTheOther) {
    // Two messages use one port twice, or two ports. Two ports are cheaper only if both messages
    // are sent at once.
    const Hct hct = two_nodes_of_two();
    const std::vector<StepGraph> steps = {{CommGraph(4, {{0, 2, 1, 1'000'000}})},
                                          {CommGraph(4, {{1, 3, 1, 1'000'000}})}};
    const CommGraph whole = together(steps);
    const std::vector<PuId> one_port = {0, 1, 2, 3};   // both from the first node to the second
    const std::vector<PuId> two_ports = {0, 2, 3, 1};  // one each way
    const double whole_of_one = whole_cost(whole, hct, one_port);
    const double whole_of_two = whole_cost(whole, hct, two_ports);

    EXPECT_LT(whole_of_two, 0.6 * whole_of_one);
    EXPECT_DOUBLE_EQ(cost_of_steps(steps, hct, one_port, whole_of_one),
                     cost_of_steps(steps, hct, two_ports, whole_of_two));
}

/// Checks that two joined steps cost no more than the two steps apart.
/// @param slack  share by which the cost may grow if messages of two steps are joined
void expect_joined_is_no_dearer(const Hct& hct, double slack) {
    std::mt19937 random(6);
    for (int i = 0; i < 100; ++i) {
        std::vector<StepGraph> steps;
        for (int s = 0; s < 4; ++s) steps.push_back({random_graph(4, 0.4, random)});
        const std::vector<StepGraph> joined = {
            {together({steps[0], steps[1]})}, steps[2], steps[3]};
        const auto placement = random_placement(4, hct.num_pus(), random);

        const double apart = cost_of_steps(steps, hct, placement, 0.0);

        EXPECT_LE(cost_of_steps(joined, hct, placement, 0.0), apart * (1 + slack));
    }
}

TEST(RunCost, JoiningStepsNeverCostsMore) { expect_joined_is_no_dearer(two_nodes_of_two(), 1e-9); }

/// Times do not add up exactly here: a bandwidth by length is looked up for the mean length of a
/// bucket. Fig. 4's overlap also depends on what a port has taken before.
TEST(RunCost, JoiningStepsHardlyCostsMoreWhereTimesDoNotAddUp) {
    expect_joined_is_no_dearer(uneven_tree(), 0.02);
}

TEST(RunCost, IsNeverBelowTheWholeRun) {
    const Hct hct = two_nodes_of_two();
    const std::vector<StepGraph> steps = {{CommGraph(4, {{0, 2, 1, 1000}})}};

    EXPECT_EQ(cost_of_steps(steps, hct, std::vector<PuId>{0, 1, 2, 3}, 7.0), 7.0);
}

TEST(RunCost, HasTheWholeRunBehindTheSteps) {
    const Hct hct = two_nodes_of_two();
    const std::vector<StepGraph> steps = {{CommGraph(4, {{0, 2, 1, 100'000'000}})},
                                          {CommGraph(4, {{0, 1, 1, 500'000'000}})}};
    const auto whole = std::make_shared<const PortTable>(together(steps), hct);
    const std::vector<PuId> placement = {0, 1, 2, 3};

    const std::vector<double> parts_s = RunCost(steps, whole, hct).parts_of(placement);

    ASSERT_EQ(parts_s.size(), 3U);
    EXPECT_DOUBLE_EQ(parts_s[0], 1.0);
    EXPECT_DOUBLE_EQ(parts_s[1], 0.5);
    EXPECT_DOUBLE_EQ(parts_s[2], port_cost(*whole, placement).cost_s);
}

TEST(RunCost, ARunWithoutStepsIsOnePart) {
    const Hct hct = two_nodes_of_two();
    const CommGraph graph(4, {{0, 2, 1, 100'000'000}});

    const RunCost run(std::make_shared<const PortTable>(graph, hct));

    EXPECT_EQ(run.num_parts(), 1U);
    EXPECT_EQ(run.parts_of(std::vector<PuId>{0, 1, 2, 3}), std::vector<double>{1.0});
}

/// Two nodes of one PU; a network port takes 100 MB/s.
Hct nodes_with_gap() {
    const Channel network{BandwidthCurve(1e8), 8000.0, 1e8, 1000.0};
    const Port link{network, network};
    SampleElement root{Level::switch_, {}, {}};
    for (const char* name : {"n0", "n1"})
        root.children.push_back(sample_node(name, 1, link, sample_port(1e12)));
    return sample_hct(root);
}

TEST(RunCost, ARoundOfSeveralMessagesWaitsForOneLatency) {
    // Four messages of a kilobyte over a network port with 8 us of latency and 1 us of gap, one at
    // once or one by one.
    const Hct hct = nodes_with_gap();
    const CommGraph graph(2, {{0, 1, 4, 4'000}});
    const auto whole = std::make_shared<const PortTable>(graph, hct);
    const std::vector<StepGraph> steps = {{graph, {0.25, 1.0}}, {graph, {}}};
    const std::vector<PuId> placement = {0, 1};

    const std::vector<double> parts_s = RunCost(steps, whole, hct).parts_of(placement);

    EXPECT_NEAR(parts_s[0], 8e-6 + 3 * 1e-6 + 40e-6, 1e-12);
    EXPECT_NEAR(parts_s[1], 4 * 8e-6 + 40e-6, 1e-12);
    EXPECT_DOUBLE_EQ(parts_s[1], parts_s[2]);
}

TEST(RunCost, WaitsOfTheWholeRunAreThoseOfItsSteps) {
    const std::vector<StepGraph> steps = {{CommGraph(3, {{0, 1, 6, 600}}), {0.5, 1.0, 1.0}},
                                          {CommGraph(3, {{0, 2, 2, 200}, {1, 0, 1, 100}}), {}}};

    EXPECT_EQ(waits_per_message_of(steps), (std::vector<double>{0.625, 1.0, 1.0}));
}

TEST(RunTime, IsTheLargerOfStepsAndWholeRunInItsShare) {
    // The steps take 4 s, and the whole run's cost can stand for half of that.
    const RunTime time{1.0, {2.0, 0.5}, 0.5, 1.0};

    EXPECT_DOUBLE_EQ(time.of(std::vector{1.0, 4.0, 1.5}.data()), 1.0 + 2.0 + 2.0);
    EXPECT_DOUBLE_EQ(time.of(std::vector{1.0, 4.0, 3.0}.data()), 1.0 + 2.0 + 3.0);
}

TEST(RunTime, IsThatOfTheWholeRunWhereStepsAreNotKnown) {
    EXPECT_DOUBLE_EQ((RunTime{1.0, {}, 1.0, 3.0}.of(std::vector{2.0}.data())), 7.0);
}

}  // namespace
}  // namespace commmap
