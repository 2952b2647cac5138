// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/mapper_table.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/mapping/problems.hpp"

namespace commmap {
namespace {

std::vector<OwnedProblem> suite() {
    std::mt19937 random(31);
    std::vector<OwnedProblem> all;
    all.push_back(problem_on("NoRanks", CommGraph(0, {}), two_nodes_of_two()));
    all.push_back(problem_on("OneRank", CommGraph(1, {}), two_nodes_of_two()));
    all.push_back(problem_on("Pair", CommGraph(2, {{0, 1, 1, 100}}), two_nodes_of_two()));
    all.push_back(problem_on("Silent", CommGraph(16, {}), sweeney_8x2()));
    all.push_back(problem_on("Halo2d", scrambled_halo(4, 4, 1, 64'000, 1), sweeney_8x2()));
    all.push_back(problem_on("Halo3d", scrambled_halo(2, 2, 4, 64'000, 2), sweeney_8x2()));
    all.push_back(problem_on("Cg", scrambled_cg(56'000, 3), sweeney_8x2()));
    std::vector<Message> everyone;
    for (RankId a = 0; a < 16; ++a) {
        for (RankId b = 0; b < 16; ++b) everyone.push_back({a, b, 1, 1000});
    }
    all.push_back(problem_on("AllToAll", CommGraph(16, everyone), sweeney_8x2()));
    all.push_back(problem_on(
        "DisconnectedAndIsolated",
        CommGraph(16, {{0, 15, 1, 1000}, {15, 0, 1, 1000}, {3, 9, 5, 50'000}, {9, 12, 1, 7}}),
        sweeney_8x2()));
    all.push_back(
        problem_on("ZeroBytes", CommGraph(16, {{0, 8, 10, 0}, {1, 9, 10, 0}}), sweeney_8x2()));
    all.push_back(problem_on("HugeBytes",
                             CommGraph(4, {{0, 2, 1, UINT64_MAX / 4}, {1, 3, 1, UINT64_MAX / 4}}),
                             two_nodes_of_two()));
    all.push_back(problem_on("Uneven", random_graph(10, 0.4, random), uneven_tree()));
    all.push_back(problem_on("FewerRanksThanPus", random_graph(5, 0.6, random), uneven_tree()));
    OwnedProblem partial =
        problem_on("PartialCandidatePus", random_graph(5, 0.6, random), uneven_tree());
    partial.candidate_pus = {0, 2, 3, 6, 7, 9};
    all.push_back(partial);
    // Nodes below the root and below a switch: leaves at different depths.
    SampleElement lopsided{Level::switch_, {}, {}, "s0"};
    lopsided.children = {sample_node("a", 2, sample_port(1e8), sample_port(1e9)),
                         {Level::switch_,
                          sample_port(1e8),
                          {sample_node("b", 3, sample_port(1e8), sample_port(1e9)),
                           sample_node("c", 2, sample_port(1e8), sample_port(1e9))},
                          "s1"}};
    all.push_back(
        problem_on("LeavesAtDifferentDepths", random_graph(7, 0.5, random), sample_hct(lopsided)));
    all.push_back(problem_on("Deep", scrambled_halo(4, 4, 2, 64'000, 4, true),
                             uniform_tree({2, 2, 2, 2, 2}, {1e8, 2e8, 1e9, 4e9, 8e9}, 2)));
    // every problem once more with rank 0 on each of two nodes
    const std::size_t num_free = all.size();
    for (std::size_t i = 0; i < num_free; ++i) {
        for (const NodeId node : {NodeId{0}, static_cast<NodeId>(all[i].hct.num_nodes() - 1)}) {
            OwnedProblem fixed = all[i];
            fixed.rank0_node = node;
            fixed.name += "Rank0OnNode" + std::to_string(node);
            all.push_back(fixed);
        }
    }
    return all;
}

class EveryMapper : public testing::TestWithParam<MapperInfo> {
protected:
    static MapperOptions quick(std::uint64_t seed = 1) { return {seed, 600}; }
};

INSTANTIATE_TEST_SUITE_P(Table, EveryMapper,
                         testing::ValuesIn(mapper_table().begin(), mapper_table().end()),
                         [](const auto& mapper) { return std::string(mapper.param.name); });

TEST_P(EveryMapper, PlacesEachRankOnceOnACandidatePu) {
    for (const OwnedProblem& problem : suite()) {
        const auto mapping = GetParam().map(problem.view(), quick());

        ASSERT_TRUE(mapping) << problem.name << ": " << mapping.error().message;
        EXPECT_EQ(contract_violation(problem, mapping.value()), "") << problem.name;
    }
}

TEST_P(EveryMapper, GivesTheSameAnswerForTheSameSeed) {
    for (const OwnedProblem& problem : suite()) {
        const auto first = GetParam().map(problem.view(), quick(7));
        const auto second = GetParam().map(problem.view(), quick(7));

        ASSERT_TRUE(first && second) << problem.name;
        EXPECT_EQ(first.value().pu_of_rank, second.value().pu_of_rank) << problem.name;
        EXPECT_EQ(first.value().notes, second.value().notes) << problem.name;
    }
}

/// Returns whether a mapper searches by the port cost. Other mappers never compute it.
bool searches(const MapperInfo& mapper) {
    return mapper.name.find("refined") != std::string_view::npos || mapper.name == "anneal";
}

TEST_P(EveryMapper, NeverCostsMoreThanLinearWhenItSearches) {
    if (!searches(GetParam())) return;
    const MapperInfo& linear = *find_mapper("linear").value();
    for (const OwnedProblem& problem : suite()) {
        const auto baseline = linear.map(problem.view(), {});
        const auto mapping = GetParam().map(problem.view(), quick());

        ASSERT_TRUE(baseline && mapping) << problem.name;
        EXPECT_LE(cost_of(problem, mapping.value().pu_of_rank),
                  cost_of(problem, baseline.value().pu_of_rank))
            << problem.name;
    }
}

TEST_P(EveryMapper, RefusesWhatCannotBePlaced) {
    OwnedProblem problem = problem_on("", CommGraph(5, {}), two_nodes_of_two());
    EXPECT_EQ(GetParam().map(problem.view(), quick()).error().code, Errc::invalid_input);

    problem = problem_on("", CommGraph(2, {}), two_nodes_of_two());
    problem.candidate_pus = {1, 1, 2};
    EXPECT_EQ(GetParam().map(problem.view(), quick()).error().code, Errc::invalid_input);

    problem.candidate_pus = {1, 4};
    EXPECT_EQ(GetParam().map(problem.view(), quick()).error().code, Errc::invalid_input);

    problem.candidate_pus = {0, 1};
    problem.rank0_node = 1;
    EXPECT_EQ(GetParam().map(problem.view(), quick()).error().code, Errc::invalid_input);
}

TEST(Candidates, AtMostThreePercentAboveLongAnnealing) {
    std::mt19937 random(17);
    const std::vector<OwnedProblem> programs{
        problem_on("halo2d", scrambled_halo(4, 4, 1, 64'000, 1), sweeney_8x2()),
        problem_on("halo3d", scrambled_halo(2, 2, 4, 64'000, 2, true), sweeney_8x2()),
        problem_on("cg", scrambled_cg(56'000, 3), sweeney_8x2()),
        problem_on("irregular", random_graph(16, 0.3, random), sweeney_8x2())};
    const MapperInfo& anneal = *find_mapper("anneal").value();
    for (const OwnedProblem& program : programs) {
        const double annealed = cost_of(program, anneal.map(program.view(), {}).value().pu_of_rank);
        double best = std::numeric_limits<double>::infinity();
        for (const MapperInfo& mapper : mapper_table()) {
            if (mapper.candidate_up_to_ranks < program.graph.num_ranks()) continue;
            best =
                std::min(best, cost_of(program, mapper.map(program.view(), {}).value().pu_of_rank));
        }
        EXPECT_LE(best, 1.03 * annealed) << program.name;
    }
}

struct SolvedProblem {
    OwnedProblem problem;
    double best_cost;
};

/// Solved once for all mappers.
const std::vector<SolvedProblem>& solved_problems() {
    static const std::vector<SolvedProblem> solved = [] {
        std::mt19937 random(32);
        std::vector<SolvedProblem> all;
        for (int i = 0; i < 40; ++i) {
            OwnedProblem problem = random_small_problem(random);
            const double best = exhaustive_cost(problem);
            all.push_back({std::move(problem), best});
        }
        return all;
    }();
    return solved;
}

/// How far from the optimum each mapper may be: a sanity bound, with room over what was measured.
TEST_P(EveryMapper, IsNearExhaustiveSearchOnSmallProblems) {
    double sum = 0.0;
    for (const auto& [problem, best] : solved_problems()) {
        const auto mapping = GetParam().map(problem.view(), {1, 2000});
        ASSERT_TRUE(mapping) << mapping.error().message;
        const double cost = cost_of(problem, mapping.value().pu_of_rank);

        EXPECT_GE(cost, best * (1 - 1e-9));
        sum += best > 0.0 ? cost / best : 1.0;
    }
    const double ratio = sum / static_cast<double>(solved_problems().size());
    RecordProperty("mean_ratio", std::to_string(ratio));
    const bool baseline = GetParam().name == "linear" || GetParam().name == "round_robin";
    EXPECT_LE(ratio, searches(GetParam()) ? 1.005 : baseline ? 20.0 : 4.0);
}

TEST(MapperTable, PublishedMappersAreForRequestsAndNeverLinear) {
    for (const std::string_view name : {"sweeney", "tmmgp"}) {
        const MapperInfo& mapper = *find_mapper(name).value();
        EXPECT_EQ(mapper.candidate_up_to_ranks, 0U) << name;
        EXPECT_FALSE(mapper.or_linear_in_plans) << name;
        EXPECT_FALSE(mapper.source.empty()) << name;
    }
}

TEST(MapperTable, HasDistinctNamesThatAreFound) {
    std::set<std::string_view> names;
    for (const MapperInfo& info : mapper_table()) {
        EXPECT_TRUE(names.insert(info.name).second) << info.name;
        const auto found = find_mapper(info.name);
        ASSERT_TRUE(found);
        EXPECT_EQ(found.value(), &info);
    }
}

TEST(FindMapper, NamesTheNearestOne) {
    const auto found = find_mapper("greedi");

    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Errc::not_found);
    EXPECT_NE(found.error().message.find("did you mean 'greedy'"), std::string::npos);
}

}  // namespace
}  // namespace commmap
