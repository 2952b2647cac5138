// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/improvement/local_search.hpp"

#include <gtest/gtest.h>

#include "core/mapping/improvement/anneal.hpp"
#include "core/mapping/problems.hpp"

namespace commmap {
namespace {

TEST(LocalSearch, FindsTheOptimumOfNearlyAllSmallProblems) {
    std::mt19937 random(41);
    constexpr int cases = 200;
    int optimal = 0;
    for (int i = 0; i < cases; ++i) {
        const OwnedProblem problem = random_small_problem(random);
        const std::vector<PuId> start(
            problem.candidate_pus.begin(),
            problem.candidate_pus.begin() + static_cast<std::ptrdiff_t>(problem.graph.num_ranks()));

        const auto placement = refine(problem.view(), {1, 2000}, start);

        if (cost_of(problem, placement) <= exhaustive_cost(problem) * (1 + 1e-9)) ++optimal;
    }
    RecordProperty("optimal", optimal);
    EXPECT_GE(optimal, cases * 95 / 100);
}

TEST(LocalSearch, FindsTheOptimumOfEightRanks) {
    std::mt19937 random(42);
    int optimal = 0;
    for (int i = 0; i < 10; ++i) {
        const OwnedProblem problem = problem_on("", random_graph(8, 0.5, random),
                                                uniform_tree({2, 2, 2}, {1e8, 2e8, 2e9}, 2));

        const auto placement = refine(problem.view(), {1, 4000}, problem.candidate_pus);

        if (cost_of(problem, placement) <= exhaustive_cost(problem) * (1 + 1e-9)) ++optimal;
    }
    EXPECT_GE(optimal, 10 * 95 / 100);
}

/// Graphs of both steps' messages, and of each step's.
struct TwoSteps {
    CommGraph whole;
    std::vector<StepGraph> steps;
};

TwoSteps random_steps_of(std::size_t num_ranks, std::mt19937& random) {
    std::vector<StepGraph> steps;
    std::vector<Message> messages;
    for (int i = 0; i < 2; ++i) {
        steps.push_back({random_graph(num_ranks, 0.4, random)});
        for (RankId rank = 0; rank < num_ranks; ++rank)
            for (const Traffic& t : steps.back().graph.sent_by(rank))
                messages.push_back({rank, t.peer, t.count, t.bytes});
    }
    return {CommGraph(num_ranks, messages), std::move(steps)};
}

TEST(LocalSearch, FindsTheLeastTimeOfRunsOfTwoSteps) {
    std::mt19937 random(46);
    const RunTime time{0.0, {1.0, 2.0}, 1.0, 1.0};
    int optimal = 0;
    int differs = 0;  // problems whose best placement by the whole run is not the best by the steps
    for (int i = 0; i < 20; ++i) {
        const auto [whole, steps] = random_steps_of(6, random);
        const OwnedProblem owned = problem_on("", whole, uniform_tree({2, 3}, {1e8, 2e9}, 2));
        MappingProblem problem = owned.view();
        problem.run = std::make_shared<const RunCost>(steps, ports_of(problem), owned.hct);
        problem.time = time;
        const auto time_of = [&](const std::vector<PuId>& placement) {
            return time.of(problem.run->parts_of(placement).data());
        };
        std::vector<PuId> placement = owned.candidate_pus;
        double least = time_of(placement);
        do {
            least = std::min(least, time_of(placement));
        } while (std::next_permutation(placement.begin(), placement.end()));

        const double found = time_of(refine(problem, {1, 2000}, owned.candidate_pus));
        const double by_whole_run = time_of(refine(owned.view(), {1, 2000}, owned.candidate_pus));

        optimal += found <= least * (1 + 1e-9) ? 1 : 0;
        differs += by_whole_run > least * (1 + 1e-9) ? 1 : 0;
    }
    EXPECT_GE(optimal, 19);
    EXPECT_GE(differs, 5) << "these runs show nothing";
}

TEST(LocalSearch, FindsWhatAnnealingFindsOnSweeneysMachine) {
    std::vector<OwnedProblem> problems;
    problems.push_back(problem_on("Halo2d", scrambled_halo(4, 4, 1, 64'000, 1), sweeney_8x2()));
    problems.push_back(problem_on("Halo3d", scrambled_halo(2, 2, 4, 64'000, 2), sweeney_8x2()));
    problems.push_back(problem_on("Cg", scrambled_cg(56'000, 3), sweeney_8x2()));
    for (const OwnedProblem& problem : problems) {
        const auto annealed = map_anneal(problem.view(), {1, 60'000});
        const auto placement = refine(problem.view(), {1, 20'000}, problem.candidate_pus);

        EXPECT_LE(cost_of(problem, placement),
                  cost_of(problem, annealed.value().pu_of_rank) * (1 + 1e-9))
            << problem.name;
    }
}

TEST(LocalSearch, IsNeverWorseThanItsStartEvenWithoutABudget) {
    std::mt19937 random(43);
    for (int i = 0; i < 50; ++i) {
        const OwnedProblem problem = problem_on("", random_graph(10, 0.5, random), uneven_tree());
        const std::vector<PuId> start = random_placement(10, 10, random);
        for (const std::uint64_t budget : {1U, 10U, 100U}) {
            const auto placement = refine(problem.view(), {1, budget}, start);

            EXPECT_LE(cost_of(problem, placement), cost_of(problem, start));
            EXPECT_EQ(contract_violation(problem, {placement, {}}), "");
        }
    }
}

TEST(LocalSearch, KeepsRank0OnItsNode) {
    OwnedProblem problem = problem_on("", scrambled_halo(4, 4, 1, 64'000, 1), sweeney_8x2());
    problem.rank0_node = 5;
    std::vector<PuId> start = problem.candidate_pus;
    std::swap(start[0], start[10]);

    const auto placement = refine(problem.view(), {1, 20'000}, start);

    EXPECT_EQ(contract_violation(problem, {placement, {}}), "");
    EXPECT_LT(cost_of(problem, placement), cost_of(problem, start));
}

TEST(LocalSearch, MovesToFreePus) {
    // Two ranks on two nodes, and a free PU beside each.
    OwnedProblem problem =
        problem_on("", CommGraph(2, {{0, 1, 1, 100'000'000}}), two_nodes_of_two());
    const std::vector<PuId> start{0, 2};

    const auto placement = refine(problem.view(), {1, 100}, start);

    EXPECT_DOUBLE_EQ(cost_of(problem, placement), 0.1);
}

TEST(LocalSearch, EndsWhenNoExchangeIsAllowed) {
    OwnedProblem problem =
        problem_on("", CommGraph(2, {{0, 1, 1, 100'000'000}}), two_nodes_of_two());
    problem.candidate_pus = {0, 2};
    problem.rank0_node = 0;

    EXPECT_EQ(refine(problem.view(), {}, problem.candidate_pus), problem.candidate_pus);
    EXPECT_EQ(map_anneal(problem.view(), {}).value().pu_of_rank, problem.candidate_pus);
}

TEST(LocalSearch, ADeadlineThatPassedLeavesAPlacementNoWorseThanTheStart) {
    const OwnedProblem problem = problem_on("", scrambled_halo(8, 8, 4, 64'000, 5),
                                            uniform_tree({4, 4, 16}, {12.5e9, 6.25e9, 8e9}, 2));
    const MapperOptions late{.seed = 1, .deadline = Deadline::after(-1.0)};

    const auto placement = refine(problem.view(), late, problem.candidate_pus);

    EXPECT_EQ(contract_violation(problem, {placement, {}}), "");
    EXPECT_LE(cost_of(problem, placement), cost_of(problem, problem.candidate_pus));
    EXPECT_NE(placement, refine(problem.view(), {}, problem.candidate_pus)) << "it did not stop";
    const auto metis = find_mapper("metis").value()->map(problem.view(), late);
    ASSERT_FALSE(metis);
    EXPECT_EQ(metis.error().code, Errc::timed_out);
}

TEST(LocalSearch, SearchesLargeProblemsWithTheSurrogate) {
    // 1,024 ranks: above the limit of the exact state, judged by the exact cost.
    const OwnedProblem problem = problem_on("", scrambled_halo(16, 8, 8, 64'000, 5),
                                            uniform_tree({4, 8, 32}, {12.5e9, 6.25e9, 8e9}, 2));

    const auto placement = refine(problem.view(), {1, 20'000}, problem.candidate_pus);

    EXPECT_EQ(contract_violation(problem, {placement, {}}), "");
    EXPECT_LT(cost_of(problem, placement), 0.8 * cost_of(problem, problem.candidate_pus));
}

}  // namespace
}  // namespace commmap
