#include "core/estimate/step_cost.hpp"

#include <gtest/gtest.h>

#include "core/estimate/graphs.hpp"

namespace commmap {
namespace {

double whole_cost(const CommGraph& graph, const Hct& hct, Placement placement) {
    return port_cost(graph, hct, placement).value().cost_s;
}

/// Both graphs' messages.
CommGraph together(const std::vector<CommGraph>& graphs) {
    std::vector<Message> messages;
    for (const CommGraph& graph : graphs)
        for (RankId rank = 0; rank < graph.num_ranks(); ++rank)
            for (const Traffic& t : graph.sent_by(rank))
                messages.push_back({rank, t.peer, t.count, t.bytes});
    return CommGraph(graphs.front().num_ranks(), messages);
}

TEST(StepCost, OneStepIsTheWholeRun) {
    std::mt19937 random(5);
    const Hct hct = uneven_tree();
    for (int i = 0; i < 100; ++i) {
        const std::vector<CommGraph> steps = {random_graph(6, 0.6, random)};
        const auto placement = random_placement(6, hct.num_pus(), random);
        const double whole = whole_cost(steps[0], hct, placement);

        EXPECT_EQ(StepCost(steps, hct).of(placement, 0.0), whole);
    }
}

TEST(StepCost, AddsUpWhatIsSentOneAfterTheOther) {
    // Over the same port twice, or over two ports: the second is cheaper only when both are sent at
    // once.
    const Hct hct = two_nodes_of_two();
    const std::vector<CommGraph> steps = {CommGraph(4, {{0, 2, 1, 1'000'000}}),
                                          CommGraph(4, {{1, 3, 1, 1'000'000}})};
    const CommGraph whole = together(steps);
    const std::vector<PuId> one_port = {0, 1, 2, 3};   // both from the first node to the second
    const std::vector<PuId> two_ports = {0, 2, 3, 1};  // one each way
    const StepCost cost(steps, hct);
    const double whole_of_one = whole_cost(whole, hct, one_port);
    const double whole_of_two = whole_cost(whole, hct, two_ports);

    EXPECT_LT(whole_of_two, 0.6 * whole_of_one);
    EXPECT_DOUBLE_EQ(cost.of(one_port, whole_of_one), cost.of(two_ports, whole_of_two));
}

/// @param slack  by how much a port's time may grow where messages of two steps are taken as one
void expect_joined_is_no_dearer(const Hct& hct, double slack) {
    std::mt19937 random(6);
    for (int i = 0; i < 100; ++i) {
        std::vector<CommGraph> steps;
        for (int s = 0; s < 4; ++s) steps.push_back(random_graph(4, 0.4, random));
        const std::vector<CommGraph> joined = {together({steps[0], steps[1]}), steps[2], steps[3]};
        const auto placement = random_placement(4, hct.num_pus(), random);

        const double apart = StepCost(steps, hct).of(placement, 0.0);

        EXPECT_LE(StepCost(joined, hct).of(placement, 0.0), apart * (1 + slack));
    }
}

TEST(StepCost, JoiningStepsNeverCostsMore) { expect_joined_is_no_dearer(two_nodes_of_two(), 1e-9); }

/// A bandwidth by length is asked for the mean of a bucket, and Fig. 4's overlap depends on what a
/// port has taken before: neither adds up exactly.
TEST(StepCost, JoiningStepsHardlyCostsMoreWhereTimesDoNotAddUp) {
    expect_joined_is_no_dearer(uneven_tree(), 0.02);
}

TEST(StepCost, IsNeverBelowTheWholeRun) {
    const Hct hct = two_nodes_of_two();
    const std::vector<CommGraph> steps = {CommGraph(4, {{0, 2, 1, 1000}})};

    EXPECT_EQ(StepCost(steps, hct).of(std::vector<PuId>{0, 1, 2, 3}, 7.0), 7.0);
}

}  // namespace
}  // namespace commmap
