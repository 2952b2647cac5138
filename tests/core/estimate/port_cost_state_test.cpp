// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/port_cost_state.hpp"

#include <gtest/gtest.h>

#include "core/estimate/graphs.hpp"

namespace commmap {
namespace {

using Detail = PortCostState::Detail;

struct Tried {
    SearchObjective objective;
    std::vector<PuId> placement;  ///< once it is applied
};

/// Tries a random swap, or a move to a PU that may be free or not.
Tried try_something(PortCostState& state, std::size_t num_pus, std::mt19937& random) {
    Tried tried{{}, {state.placement().begin(), state.placement().end()}};
    const std::size_t num_ranks = tried.placement.size();
    const auto a = static_cast<RankId>(random() % num_ranks);
    if (random() % 2 == 0) {
        const auto b = static_cast<RankId>((a + 1 + random() % (num_ranks - 1)) % num_ranks);
        tried.objective = state.try_swap(a, b);
        std::swap(tried.placement[a], tried.placement[b]);
    } else {
        const auto pu = static_cast<PuId>(random() % num_pus);
        tried.objective = state.try_move(a, pu);
        tried.placement[a] = pu;
    }
    return tried;
}

TEST(PortCostState, StartsAtThePortCost) {
    const CommGraph graph(4, {{0, 2, 1, 100'000'000}, {1, 3, 1, 100'000'000}});
    const Hct hct = two_nodes_of_two();

    const PortCostState state(graph, hct, std::vector<PuId>{0, 1, 2, 3}, Detail::exact);

    EXPECT_DOUBLE_EQ(state.objective().time_s, 2.0);
    // n0 out and n1 in 2 s; two PUs out and two in 0.1 s
    EXPECT_NEAR(state.objective().sum_squares, 2 * 4.0 + 4 * 0.01, 1e-12);
    EXPECT_EQ(state.busiest_port().element, 1U);
    EXPECT_EQ(state.busiest_port().direction, PortDirection::out);
    EXPECT_DOUBLE_EQ(state.busiest_port().bytes, 200e6);
}

TEST(PortCostState, ATryThatIsNotAppliedIsForgotten) {
    const CommGraph graph(4, {{0, 2, 1, 100'000'000}, {1, 3, 1, 100'000'000}});
    const Hct hct = two_nodes_of_two();
    PortCostState state(graph, hct, std::vector<PuId>{0, 1, 2, 3}, Detail::exact);

    EXPECT_DOUBLE_EQ(state.try_swap(1, 2).time_s, 0.1);
    EXPECT_DOUBLE_EQ(state.objective().time_s, 2.0);
    EXPECT_DOUBLE_EQ(state.try_swap(0, 1).time_s, 2.0);  // nothing is left of the first try
    EXPECT_DOUBLE_EQ(state.try_swap(1, 2).time_s, 0.1);
    state.apply();

    EXPECT_DOUBLE_EQ(state.objective().time_s, 0.1);
    EXPECT_EQ(state.pu_of(1), 2U);
    EXPECT_EQ(state.pu_of(2), 1U);
    EXPECT_TRUE(state.agrees_with_fresh());
}

TEST(PortCostState, FollowsPortCostThroughRandomChanges) {
    std::mt19937 random(21);
    const std::vector<Hct> trees{uneven_tree(), uneven_tree(true), sweeney_8x2()};
    for (int round = 0; round < 20; ++round) {
        const Hct& hct = trees[static_cast<std::size_t>(round) % trees.size()];
        const std::size_t num_ranks = 2 + random() % 8;
        const CommGraph graph = random_graph(num_ranks, 0.5, random, 3);
        PortCostState state(graph, hct, random_placement(num_ranks, hct.num_pus(), random),
                            Detail::exact);
        for (int step = 0; step < 200; ++step) {
            const auto [tried, expected] = try_something(state, hct.num_pus(), random);
            const double cost = port_cost(graph, hct, expected).value().cost_s;
            ASSERT_NEAR(tried.time_s, cost, 1e-9 * cost) << "round " << round << " step " << step;
            if (random() % 2 == 0) {
                state.apply();
                ASSERT_TRUE(
                    std::equal(expected.begin(), expected.end(), state.placement().begin()));
                ASSERT_TRUE(state.agrees_with_fresh()) << "round " << round << " step " << step;
            }
        }
    }
}

TEST(PortCostState, FollowsPortCostOfManyRanksAndSizes) {
    // More ranks than bits in a word, several message sizes from one rank to another, a bounded
    // switch, and more sets of ranks than are remembered.
    std::mt19937 random(25);
    const std::vector<Hct> trees{uneven_tree(), uneven_tree(true),
                                 uniform_tree({4, 4, 4}, {1e8, 4e8, 2e9}, 2)};
    std::vector<Message> messages;
    for (int i = 0; i < 600; ++i) {
        const auto from = static_cast<RankId>(random() % 100);
        messages.push_back({from, static_cast<RankId>((from + 1 + random() % 9) % 100),
                            1 + random() % 5, random() % 200'000});
    }
    const CommGraph graph(100, messages);
    for (const Hct& hct : trees) {
        std::vector<PuId> placement;  // several ranks on a PU
        for (int rank = 0; rank < 100; ++rank)
            placement.push_back(static_cast<PuId>(random() % hct.num_pus()));
        PortCostState state(graph, hct, placement, Detail::exact);
        for (int step = 0; step < 3000; ++step) {
            const auto [tried, expected] = try_something(state, hct.num_pus(), random);
            if (step % 2 == 0) state.apply();
            if (step % 100 != 0) continue;
            const double cost = port_cost(graph, hct, expected).value().cost_s;
            ASSERT_NEAR(tried.time_s, cost, 1e-9 * cost) << "step " << step;
            ASSERT_TRUE(state.agrees_with_fresh()) << "step " << step;
            ASSERT_EQ(state.busiest_port().element,
                      port_loads(graph, hct, expected).value()[0].element);
        }
    }
}

TEST(PortCostState, TheAdditiveStateIsConsistentToo) {
    std::mt19937 random(22);
    const std::vector<Hct> trees{uneven_tree(), uneven_tree(true)};
    const CommGraph graph = random_graph(8, 0.5, random, 3);
    for (const Hct& hct : trees) {
        PortCostState state(graph, hct, random_placement(8, hct.num_pus(), random),
                            Detail::additive);
        for (int step = 0; step < 500; ++step) {
            const auto a = static_cast<RankId>(random() % 8);
            state.try_swap(a, static_cast<RankId>((a + 1 + random() % 7) % 8));
            if (step % 3 == 0) continue;
            state.apply();
            ASSERT_TRUE(state.agrees_with_fresh()) << "step " << step;
        }
    }
}

TEST(PortCostState, AnAdditiveTryIsWhatAFreshStateSays) {
    // A try looks only at the ports between the two PUs and their common ancestor.
    std::mt19937 random(24);
    const std::vector<Hct> trees{uneven_tree(), uneven_tree(true), sweeney_8x2(),
                                 uniform_tree({2, 2, 4}, {1e8, 2e8, 1e9}, 2)};
    for (int round = 0; round < 60; ++round) {
        const Hct& hct = trees[static_cast<std::size_t>(round) % trees.size()];
        const std::size_t num_ranks = 2 + random() % 9;
        const CommGraph graph = random_graph(num_ranks, 0.5, random, 3);
        PortCostState state(graph, hct, random_placement(num_ranks, hct.num_pus(), random),
                            Detail::additive);
        double highest_squares = 0.0;
        for (int step = 0; step < 100; ++step) {
            highest_squares = std::max(highest_squares, state.objective().sum_squares);
            const auto [tried, expected] = try_something(state, hct.num_pus(), random);
            const SearchObjective fresh =
                PortCostState(graph, hct, expected, Detail::additive).objective();
            ASSERT_NEAR(tried.time_s, fresh.time_s, 1e-9 * fresh.time_s)
                << "round " << round << " step " << step;
            // The sum is an old sum plus differences, with the rounding errors of all of them.
            ASSERT_NEAR(tried.sum_squares, fresh.sum_squares,
                        1e-9 * fresh.sum_squares + 1e-12 * highest_squares)
                << "round " << round << " step " << step;
            if (random() % 2 != 0) continue;
            state.apply();
            ASSERT_TRUE(state.agrees_with_fresh()) << "round " << round << " step " << step;
        }
    }
}

TEST(PortCostState, TheAdditiveStateIsExactWherePortsAreSaturated) {
    // If the observed bandwidth is the maximum and there is no latency, Fig. 4 adds all tasks up.
    std::mt19937 random(23);
    const Hct hct = uniform_tree({2, 2, 4}, {1e8, 1e8, 1e9}, 2);
    const CommGraph graph = random_graph(16, 0.5, random, 3);
    const std::vector<PuId> placement = random_placement(16, 16, random);

    const PortCostState additive(graph, hct, placement, Detail::additive);

    const double exact = port_cost(graph, hct, placement).value().cost_s;
    EXPECT_NEAR(additive.objective().time_s, exact, 1e-9 * exact);
}

/// A run of steps, and how its time grows with them.
struct StepsOfRun {
    std::shared_ptr<const RunCost> run;
    RunTime time;
};

StepsOfRun random_steps(std::size_t num_ranks, std::size_t num_steps, const Hct& hct,
                        std::mt19937& random) {
    std::vector<StepGraph> steps;
    std::vector<Message> messages;
    RunTime time{0.25, {}, 0.75, 0.75};
    for (std::size_t i = 0; i < num_steps; ++i) {
        steps.push_back({random_graph(num_ranks, 0.3, random, 2)});
        time.per_step.push_back(0.5 + static_cast<double>(random() % 4));
        for (RankId rank = 0; rank < num_ranks; ++rank)
            for (const Traffic& t : steps.back().graph.sent_by(rank))
                messages.push_back({rank, t.peer, t.count, t.bytes});
    }
    const auto whole = std::make_shared<const PortTable>(CommGraph(num_ranks, messages), hct);
    return {std::make_shared<const RunCost>(steps, whole, hct), time};
}

/// Makes random changes in runs with steps, and checks the time of each try against `expected`.
template <class Expected>
void follow_steps(Detail detail, unsigned seed, Expected&& expected) {
    std::mt19937 random(seed);
    const std::vector<Hct> trees{uneven_tree(), uneven_tree(true), sweeney_8x2(),
                                 uniform_tree({2, 2, 4}, {1e8, 2e8, 1e9}, 2)};
    for (int round = 0; round < 30; ++round) {
        const Hct& hct = trees[static_cast<std::size_t>(round) % trees.size()];
        const std::size_t num_ranks = 2 + random() % 8;
        const StepsOfRun steps = random_steps(num_ranks, 1 + random() % 5, hct, random);
        PortCostState state(steps.run, steps.time, hct,
                            random_placement(num_ranks, hct.num_pus(), random), detail);
        for (int step = 0; step < 100; ++step) {
            const auto [tried, placement] = try_something(state, hct.num_pus(), random);
            const double time_s = expected(steps, hct, placement);
            ASSERT_NEAR(tried.time_s, time_s, 1e-9 * time_s)
                << "round " << round << " step " << step;
            if (random() % 2 != 0) continue;
            state.apply();
            ASSERT_TRUE(state.agrees_with_fresh()) << "round " << round << " step " << step;
        }
    }
}

TEST(PortCostState, FollowsTheTimeOfStepsThroughRandomChanges) {
    follow_steps(Detail::exact, 26, [](const StepsOfRun& steps, const Hct&, Placement placement) {
        return steps.time.of(steps.run->parts_of(placement).data());
    });
}

TEST(PortCostState, AnAdditiveTryOfStepsIsWhatAFreshStateSays) {
    follow_steps(Detail::additive, 27,
                 [](const StepsOfRun& steps, const Hct& hct, Placement placement) {
                     return PortCostState(steps.run, steps.time, hct, placement, Detail::additive)
                         .objective()
                         .time_s;
                 });
}

TEST(PortCostState, TellsTheBusiestPortOfAStep) {
    const Hct hct = two_nodes_of_two();
    const std::vector<StepGraph> steps = {{CommGraph(4, {{0, 2, 1, 100'000'000}})},
                                          {CommGraph(4, {{3, 1, 1, 100'000'000}})}};
    const auto whole = std::make_shared<const PortTable>(steps[0].graph, hct);
    const PortCostState state(std::make_shared<const RunCost>(steps, whole, hct),
                              {0.0, {3.0, 1.0}, 1.0, 1.0}, hct, std::vector<PuId>{0, 1, 2, 3},
                              Detail::exact);

    EXPECT_EQ(state.busiest_port(0).direction, PortDirection::out);
    EXPECT_EQ(state.busiest_port(1).direction, PortDirection::in);
    EXPECT_EQ(state.busiest_port(0).element, state.busiest_port(1).element);
    EXPECT_DOUBLE_EQ(state.time_of_part_s(0), 3.0);
}

TEST(PortCostState, SurvivesGraphsWithoutMessages) {
    const CommGraph graph(2, {});
    const Hct hct = two_nodes_of_two();
    PortCostState state(graph, hct, std::vector<PuId>{0, 1}, Detail::exact);

    EXPECT_EQ(state.try_swap(0, 1).time_s, 0.0);
    state.apply();

    EXPECT_EQ(state.busiest_port().cost_s, 0.0);
}

TEST(SearchObjective, ComparesTheBusiestPortFirst) {
    EXPECT_TRUE(better({1.0, 100.0}, {2.0, 1.0}));
    EXPECT_FALSE(better({2.0, 1.0}, {1.0, 100.0}));
    EXPECT_TRUE(better({1.0, 1.0}, {1.0, 2.0}));
    EXPECT_FALSE(better({1.0, 1.0}, {1.0, 1.0}));
    EXPECT_FALSE(better({1.0, 1.0}, {1.0 + 1e-12, 1.0}));  // rounding
}

}  // namespace
}  // namespace commmap
