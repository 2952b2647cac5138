// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/construction/machine_of_hct.hpp"

#include <gtest/gtest.h>

#include "core/mapping/problems.hpp"

namespace commmap {
namespace {

EngineProblem engine_problem_of(const OwnedProblem& problem) {
    const PortTable ports(problem.graph, problem.hct);
    auto made = engine_problem(ports, problem.hct, problem.candidate_pus);
    EXPECT_TRUE(made);
    return std::move(made).value();
}

TEST(EngineProblem, LevelsFollowTheTreeAndItsBandwidths) {
    // Two switches have two nodes of four PUs. The links above switches are ten times slower than
    // those above nodes.
    const OwnedProblem problem =
        problem_on("", CommGraph(16, {{0, 1, 4, 4000}, {1, 0, 2, 2000}, {0, 9, 1, 1000}}),
                   uniform_tree({2, 2, 4}, {1e8, 1e9, 1e10}, 2));
    const EngineProblem made = engine_problem_of(problem);

    const MachineTree& machine = made.machine;
    EXPECT_EQ(machine.num_levels(), 3U);
    EXPECT_EQ(machine.num_groups(1), 2U);
    EXPECT_EQ(machine.num_bins(), 4U);
    for (GroupId bin = 0; bin < 4; ++bin) EXPECT_EQ(machine.pus_of(bin).size(), 4U);
    EXPECT_EQ(machine.pus_of(2).front(), 8U);
    const auto byte_cost = [&](std::size_t depth) {
        return static_cast<double>(machine.level(depth - 1).distance -
                                   machine.level(depth).distance);
    };
    EXPECT_NEAR(byte_cost(1) / byte_cost(2), 10.0, 0.01);
    // An edge weighs the time of its messages both ways: 6,000 bytes against 1,000, in messages of
    // equal length.
    ASSERT_EQ(made.graph.num_vertices(), 16U);
    ASSERT_EQ(made.graph.first[1], 2U);
    EXPECT_EQ(made.graph.neighbours[0], 1U);
    EXPECT_NEAR(
        static_cast<double>(made.graph.weights[0]) / static_cast<double>(made.graph.weights[1]),
        6.0, 0.01);
}

TEST(EngineProblem, AHalfDuplexLinkIsTwiceAsDear) {
    const auto distance_over_link = [](bool half_duplex) {
        const MachineTree machine =
            engine_problem_of(
                problem_on("", CommGraph(4, {{0, 2, 1, 1000}}), two_nodes_of_two(half_duplex)))
                .machine;
        const auto inside = static_cast<double>(machine.level(1).distance);
        return (static_cast<double>(machine.level(0).distance) - inside) / inside;
    };
    EXPECT_NEAR(distance_over_link(false), 10.0, 0.1);  // 100 MB/s over 1 GB/s
    EXPECT_NEAR(distance_over_link(true), 20.0, 0.1);
}

TEST(EngineProblem, OfHopBytesLinksAreAlikeAndEdgesWeighBytes) {
    // Three links lead up to the root, and one up to a node. The edges have 6,000 and 1,000 bytes.
    const OwnedProblem problem =
        problem_on("", CommGraph(16, {{0, 1, 4, 4000}, {1, 0, 2, 2000}, {0, 9, 1, 1000}}),
                   uniform_tree({2, 2, 4}, {1e8, 1e9, 1e10}, 2));
    const auto made = engine_problem(PortTable(problem.graph, problem.hct), problem.hct,
                                     problem.candidate_pus, Objective::hop_bytes);

    ASSERT_TRUE(made);
    const MachineTree& machine = made.value().machine;
    const std::uint64_t unit = machine.level(2).distance;
    EXPECT_EQ(machine.level(1).distance, 2 * unit);
    EXPECT_EQ(machine.level(0).distance, 3 * unit);
    const auto& weights = made.value().graph.weights;
    EXPECT_NEAR(static_cast<double>(weights[0]) / static_cast<double>(weights[1]), 6.0, 1e-6);
}

TEST(EngineProblem, OfProcessTimeTheDearestLevelOnTheWayCounts) {
    const OwnedProblem problem = problem_on("", CommGraph(16, {{0, 9, 1, 1000}}),
                                            uniform_tree({2, 2, 4}, {1e9, 1e8, 1e10}, 2));
    const auto made = engine_problem(PortTable(problem.graph, problem.hct), problem.hct,
                                     problem.candidate_pus, Objective::process_time);

    ASSERT_TRUE(made);
    const MachineTree& machine = made.value().machine;
    EXPECT_EQ(machine.level(0).distance, machine.level(1).distance) << "a node's link is slower";
    EXPECT_NEAR(static_cast<double>(machine.level(1).distance) /
                    static_cast<double>(machine.level(2).distance),
                100.0, 2.0);
}

TEST(EngineProblem, LevelsWithoutAChoiceAreLeftOut) {
    // All candidate PUs are on one node, so the levels above it are left out.
    OwnedProblem problem =
        problem_on("", CommGraph(4, {{0, 1, 1, 10}}), uniform_tree({2, 2, 4}, {1e8, 1e9, 1e10}, 2));
    problem.candidate_pus = {4, 5, 6, 7};
    const EngineProblem made = engine_problem_of(problem);
    EXPECT_EQ(made.machine.num_levels(), 1U);
    EXPECT_EQ(made.machine.num_pus(), 4U);
}

TEST(EngineProblem, BranchesWithFewerLevelsArePadded) {
    SampleElement root{Level::switch_, {}, {}, "s0"};
    root.children = {sample_node("a", 2, sample_port(1e8), sample_port(1e9)),
                     {Level::switch_,
                      sample_port(1e8),
                      {sample_node("b", 3, sample_port(1e8), sample_port(1e9)),
                       sample_node("c", 2, sample_port(1e8), sample_port(1e9))},
                      "s1"}};
    const EngineProblem made =
        engine_problem_of(problem_on("", CommGraph(7, {{0, 6, 1, 10}}), sample_hct(root)));
    const MachineTree& machine = made.machine;
    ASSERT_EQ(machine.num_levels(), 3U);
    EXPECT_EQ(machine.num_groups(1), 2U);
    ASSERT_EQ(machine.num_bins(), 3U);
    EXPECT_EQ(machine.level(2).parent, (std::vector<GroupId>{0, 1, 1}));
    EXPECT_EQ(machine.bins().capacity, (std::vector<std::uint32_t>{2, 3, 2}));
    EXPECT_EQ(machine.common_depth(machine.path(0), machine.path(1)), 0U);
    EXPECT_EQ(machine.common_depth(machine.path(1), machine.path(2)), 1U);
}

TEST(EngineProblem, ATreeTooDeepIsAnError) {
    const auto node = [](std::size_t i) {
        return sample_node("n" + std::to_string(i), 1, sample_port(1e8), sample_port(1e9));
    };
    SampleElement element{Level::switch_, {}, {node(0), node(1)}, "s0"};
    for (std::size_t i = 1; i <= 17; ++i) {
        element.port = sample_port(1e8);
        element = {Level::switch_, {}, {node(i + 1), element}, "s" + std::to_string(i)};
    }
    const OwnedProblem problem = problem_on("", CommGraph(2, {{0, 1, 1, 10}}), sample_hct(element));
    const auto made =
        engine_problem(PortTable(problem.graph, problem.hct), problem.hct, problem.candidate_pus);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, Errc::out_of_range);
}

}  // namespace
}  // namespace commmap
