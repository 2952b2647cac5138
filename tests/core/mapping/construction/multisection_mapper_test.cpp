// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/construction/multisection_mapper.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/estimate/hop_bytes.hpp"
#include "core/estimate/process_time.hpp"
#include "core/mapping/construction/linear.hpp"
#include "core/mapping/problems.hpp"

namespace commmap {
namespace {

constexpr std::array objectives{Objective::hop_bytes, Objective::port_cost,
                                Objective::process_time};

double figure(const OwnedProblem& problem, Objective objective, std::span<const PuId> placement) {
    if (objective == Objective::hop_bytes)
        return hop_bytes(problem.graph, problem.hct, placement).value();
    if (objective == Objective::process_time)
        return process_time(problem.graph, problem.hct, placement).value();
    return cost_of(problem, placement);
}

TEST(MultisectionForAnObjective, IsNeverWorseThanRanksInOrder) {
    std::mt19937 random(71);
    for (int round = 0; round < 30; ++round) {
        OwnedProblem problem = problem_on("", random_graph(9, 0.5, random, 2),
                                          round % 2 == 0 ? uneven_tree() : sweeney_8x2());
        if (round % 3 == 0) problem.rank0_node = 1;
        for (const Objective objective : objectives) {
            const auto mapping = map_multisection_for(problem.view(), {}, objective);

            ASSERT_TRUE(mapping) << mapping.error().message;
            EXPECT_EQ(contract_violation(problem, mapping.value()), "");
            EXPECT_LE(figure(problem, objective, mapping.value().pu_of_rank),
                      (1 + 1e-9) * figure(problem, objective, linear_placement(problem.view())));
        }
    }
}

TEST(MultisectionForAnObjective, IsLowerThanWhatTheOthersLowerInTheMean) {
    std::mt19937 random(72);
    std::array<std::array<double, 3>, 3> sums{};  // [objective asked for][objective of the figure]
    for (int round = 0; round < 30; ++round) {
        const OwnedProblem problem = problem_on("", random_graph(16, 0.3, random), sweeney_8x2());
        for (std::size_t asked = 0; asked < 3; ++asked) {
            const auto placement =
                map_multisection_for(problem.view(), {}, objectives[asked]).value().pu_of_rank;
            for (std::size_t f = 0; f < 3; ++f)
                sums[asked][f] += figure(problem, objectives[f], placement);
        }
    }
    for (std::size_t f = 0; f < 3; ++f)
        for (std::size_t asked = 0; asked < 3; ++asked)
            EXPECT_LE(sums[f][f], sums[asked][f]) << "figure " << f << ", asked for " << asked;
}

TEST(MultisectionForAnObjective, RefusesWhatCannotBePlaced) {
    const OwnedProblem problem = problem_on("", CommGraph(5, {}), two_nodes_of_two());

    EXPECT_EQ(map_multisection_for(problem.view(), {}, Objective::hop_bytes).error().code,
              Errc::invalid_input);
}

}  // namespace
}  // namespace commmap
