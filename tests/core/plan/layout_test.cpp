// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/layout.hpp"

#include <gmock/gmock.h>

#include "core/topology/sample_hct.hpp"

namespace commmap {
namespace {

using testing::ElementsAre;

TEST(DefaultTasksPerNode, DealsOneTaskPerNodeInTurn) {
    // Tried on Slurm 22.05: srun -N3 -n5 on 4, 2 and 1 CPUs.
    const std::vector<std::uint32_t> cpus{4, 2, 1};
    EXPECT_THAT(default_tasks_per_node(cpus, 3).value(), ElementsAre(1, 1, 1));
    EXPECT_THAT(default_tasks_per_node(cpus, 5).value(), ElementsAre(2, 2, 1));
    EXPECT_THAT(default_tasks_per_node(cpus, 6).value(), ElementsAre(3, 2, 1));
    EXPECT_THAT(default_tasks_per_node(cpus, 7).value(), ElementsAre(4, 2, 1));
    EXPECT_THAT(default_tasks_per_node(cpus, 2).value(), ElementsAre(1, 1, 0));
}

TEST(DefaultTasksPerNode, RefusesToShareCpus) {
    const std::vector<std::uint32_t> cpus{2, 2};
    const auto tasks = default_tasks_per_node(cpus, 5);
    ASSERT_FALSE(tasks);
    EXPECT_EQ(tasks.error().code, Errc::invalid_input);
}

/// One node: 2 packages x 2 cores x 2 PUs, leaves 0-7.
Hct smt_node() {
    const Port port = sample_port(1e9);
    const SampleElement core{Level::core, port, {{Level::pu, port, {}}, {Level::pu, port, {}}}};
    const SampleElement package{Level::package, port, {core, core}};
    return sample_hct({Level::node, port, {package, package}, "n0"});
}

TEST(ChooseCandidatePus, SpreadsOverPackagesThenCoresThenThreads) {
    const Hct hct = smt_node();
    const auto candidate_pus = [&](std::uint32_t tasks) {
        return choose_candidate_pus(hct, std::vector<std::uint32_t>{tasks});
    };
    EXPECT_THAT(candidate_pus(1), ElementsAre(0));
    EXPECT_THAT(candidate_pus(2), ElementsAre(0, 4));
    EXPECT_THAT(candidate_pus(4), ElementsAre(0, 2, 4, 6));
    EXPECT_THAT(candidate_pus(8), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    EXPECT_THAT(candidate_pus(0), ElementsAre());
}

TEST(ChooseCandidatePus, TakesEveryCoreBeforeASecondThread) {
    // Two cores of two PUs (0-1, 2-3) and two of one (4, 5): four tasks fit one to a core.
    const Port port = sample_port(1e9);
    const SampleElement fat{Level::core, port, {{Level::pu, port, {}}, {Level::pu, port, {}}}};
    const SampleElement slim{Level::core, port, {{Level::pu, port, {}}}};
    const Hct hct = sample_hct({Level::node, port, {fat, fat, slim, slim}, "n0"});

    EXPECT_THAT(choose_candidate_pus(hct, std::vector<std::uint32_t>{4}), ElementsAre(0, 2, 4, 5));
}

TEST(ChooseCandidatePus, OneForEachTaskOfSeveralCpus) {
    const Hct hct = smt_node();

    EXPECT_THAT(choose_candidate_pus(hct, std::vector<std::uint32_t>{3}, 2), ElementsAre(0, 2, 4));
    EXPECT_THAT(choose_candidate_pus(hct, std::vector<std::uint32_t>{2}, 3), ElementsAre(0, 4));
    EXPECT_THAT(choose_candidate_pus(hct, std::vector<std::uint32_t>{1}, 8), ElementsAre(0));
}

TEST(Placements, FollowTheNodeListNotTheTree) {
    // The job lists n1 before n0, the tree has n0 first: PUs 0 1 are n0's.
    const Port port = sample_port(1e8);
    const Hct hct =
        sample_hct({Level::switch_,
                    {},
                    {sample_node("n0", 2, port, port), sample_node("n1", 2, port, port)},
                    "s"},
                   {"n1", "n0"});
    const auto candidate_pus = choose_candidate_pus(hct, std::vector<std::uint32_t>{2, 2});
    EXPECT_THAT(block_placement(hct, candidate_pus), ElementsAre(2, 3, 0, 1));
    EXPECT_THAT(cyclic_placement(hct, candidate_pus), ElementsAre(2, 0, 3, 1));
}

TEST(Placements, CyclicSkipsFullNodes) {
    const Port port = sample_port(1e8);
    const Hct hct =
        sample_hct({Level::switch_,
                    {},
                    {sample_node("n0", 3, port, port), sample_node("n1", 1, port, port)},
                    "s"});
    const auto candidate_pus = choose_candidate_pus(hct, std::vector<std::uint32_t>{3, 1});
    EXPECT_THAT(cyclic_placement(hct, candidate_pus), ElementsAre(0, 3, 1, 2));
}

}  // namespace
}  // namespace commmap
