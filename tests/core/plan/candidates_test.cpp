// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "core/plan/sample_job.hpp"
#include "core/topology/cluster_yaml.hpp"

namespace commmap {
namespace {

/// Twelve nodes of two kinds below three switches; packages inside them.
Cluster three_switches() {
    return parse_cluster_yaml(R"(version: 1
links: {net: {bandwidth: 100 MB/s}, up: {bandwidth: 200 MB/s}}
node_classes:
  small: {hwloc: {synthetic: "package:2 core:2 pu:1"}, link: net,
          inside: {package: {bandwidth: 150 MB/s}, core: {bandwidth: 10 GB/s}}}
  large: {hwloc: {synthetic: "package:2 core:4 pu:1"}, link: net,
          inside: {package: {bandwidth: 150 MB/s}, core: {bandwidth: 10 GB/s}}}
switches:
  root: {switches: [a, b, c]}
  a: {nodes: "n[0-3]", class: small, link: up}
  b: {nodes: "n[4-7]", class: large, link: up}
  c: {nodes: "n[8-11]", class: small, link: up}
)",
                              "three.yaml")
        .value();
}

struct Case {
    Profile profile;
    Allocation allocation;
    SlurmLayout layout;
};

/// Some of the nodes in some order, some ranks on each, some of them talking to some others.
Case random_case(const Cluster& cluster, std::mt19937& random) {
    Case made;
    std::vector<std::uint32_t> nodes(cluster.nodes.size());
    std::iota(nodes.begin(), nodes.end(), 0U);
    std::shuffle(nodes.begin(), nodes.end(), random);
    nodes.resize(2 + random() % (nodes.size() - 2));
    const bool uneven = random() % 3 != 0;
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
        made.allocation.nodes.push_back({cluster.nodes[nodes[node]].name, 0});
        made.profile.nodes.push_back(cluster.nodes[nodes[node]].name);
    }
    std::vector<std::uint32_t> order(nodes.size());  // Slurm need not fill them in list order
    std::iota(order.begin(), order.end(), 0U);
    if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
    for (const std::uint32_t node : order)
        made.layout.node_of_rank.insert(made.layout.node_of_rank.end(),
                                        uneven ? 1 + random() % 4 : 3, node);
    const std::size_t num_ranks = made.layout.node_of_rank.size();
    made.profile.application_id = "build-id:00";
    made.profile.phases.resize(1);
    for (std::size_t rank = 0; rank < num_ranks; ++rank) {
        ProfileRank record;
        record.wall_s = 10.0;
        record.mpi_s = 9.0;
        record.node = made.layout.node_of_rank[rank];
        made.profile.ranks.push_back(std::move(record));
        std::map<RankId, TrafficCell> sent;
        for (int i = 0; i < 3; ++i) {
            const auto peer = static_cast<RankId>(random() % num_ranks);
            const std::uint64_t bytes = 1'000'000 * (1 + random() % 50);
            if (peer != rank) sent.try_emplace(peer, one_message(peer, bytes));
        }
        std::vector<TrafficCell> row;
        for (const auto& [peer, cell] : sent) row.push_back(cell);
        made.profile.phases[0].sent.add_row(row);
    }
    return made;
}

std::vector<NodeId> nodes_of(const Hct& hct, std::span<const PuId> placement) {
    std::vector<NodeId> nodes;
    for (const PuId pu : placement) nodes.push_back(hct.pu(pu).node);
    return nodes;
}

class KeepTest : public testing::TestWithParam<unsigned> {
protected:
    KeepTest() {
        std::mt19937 random(GetParam());
        made = random_case(cluster, random);
        options = {.threshold_percent = 0.0, .rank0_free = GetParam() % 3 == 0};
    }
    [[nodiscard]] Scenario scenario() const {
        return make_scenario(made.profile, cluster, made.allocation,
                             static_cast<std::uint32_t>(made.layout.node_of_rank.size()),
                             made.layout)
            .value();
    }
    [[nodiscard]] Plan plan_of(const Scenario& job, LayoutConstraint keep) const {
        PlannerOptions asked = options;
        asked.keep = keep;
        return make_plan(job, made.profile, cluster, asked).value();
    }
    Cluster cluster = three_switches();
    Case made;
    PlannerOptions options;
};

TEST_P(KeepTest, BlocksStayWhole) {
    const Scenario job = scenario();

    const Plan plan = plan_of(job, LayoutConstraint::blocks);

    const std::vector<std::uint32_t>& before = made.layout.node_of_rank;
    for (const Candidate& candidate : plan.candidates) {
        const auto after = nodes_of(job.hct, candidate.pu_of_rank);
        std::vector<std::uint32_t> tasks(job.tasks_per_node.size(), 0);
        for (std::size_t rank = 0; rank < after.size(); ++rank) {
            ++tasks[after[rank]];
            if (rank == 0) continue;
            EXPECT_EQ(after[rank] == after[rank - 1], before[rank] == before[rank - 1])
                << candidate.name << " splits or joins blocks at rank " << rank;
        }
        EXPECT_EQ(tasks, job.tasks_per_node) << candidate.name;
        EXPECT_TRUE(options.rank0_free || after[0] == before[0]) << candidate.name;
        std::vector<PuId> used = candidate.pu_of_rank;
        std::sort(used.begin(), used.end());
        EXPECT_EQ(used, job.candidate_pus) << candidate.name;
    }
    ASSERT_GE(plan.candidates.size(), 3U);
    EXPECT_EQ(plan.candidates.back().name, "bound");
    EXPECT_EQ(nodes_of(job.hct, plan.candidates.back().pu_of_rank),
              nodes_of(job.hct, std::prev(plan.candidates.end(), 2)->pu_of_rank));
    EXPECT_LE(plan.chosen().port_cost.cost_s, plan.candidates[0].port_cost.cost_s * (1 + 1e-9));
    EXPECT_EQ(plan.chosen().pu_of_rank, plan_of(job, LayoutConstraint::blocks).chosen().pu_of_rank);
}

TEST_P(KeepTest, OrderMovesNoRank) {
    const Scenario job = scenario();

    const Plan plan = plan_of(job, LayoutConstraint::order);

    for (const Candidate& candidate : plan.candidates)
        EXPECT_EQ(nodes_of(job.hct, candidate.pu_of_rank), made.layout.node_of_rank);
    EXPECT_LE(plan.chosen().port_cost.cost_s, plan.candidates[0].port_cost.cost_s * (1 + 1e-9));
    EXPECT_EQ(plan.chosen().pu_of_rank, plan_of(job, LayoutConstraint::order).chosen().pu_of_rank);
}

INSTANTIATE_TEST_SUITE_P(RandomLayouts, KeepTest, testing::Range(0U, 8U));

/// Four nodes of four, two on each of two switches; rank r talks to r + 8.
TEST(LayoutConstraint, EachConstraintTakesWhatItMay) {
    const Cluster cluster = three_switches();
    Allocation allocation{{{"n0", 4}, {"n1", 4}, {"n8", 4}, {"n9", 4}}};
    Profile profile;
    profile.application_id = "build-id:00";
    profile.phases.resize(1);
    for (RankId rank = 0; rank < 16; ++rank) {
        ProfileRank record;
        record.wall_s = 10.0;
        record.mpi_s = 9.0;
        profile.ranks.push_back(record);
        profile.phases[0].sent.add_row(std::vector{one_message((rank + 8) % 16, 100'000'000)});
    }
    const Scenario job = make_scenario(profile, cluster, allocation, 16).value();
    const auto plan = [&](LayoutConstraint keep) {
        return make_plan(job, profile, cluster, {.threshold_percent = 0.0, .keep = keep}).value();
    };

    const Plan free = plan(LayoutConstraint::none);
    const Plan blocks = plan(LayoutConstraint::blocks);
    const Plan order = plan(LayoutConstraint::order);

    // Slurm: 8 ranks' messages leave each switch at 200 MB/s = 4 s, and 4 each node at 100 MB/s.
    // Whole blocks 0 and 2 below one switch: only the nodes' links are left.
    EXPECT_LT(free.chosen().port_cost.cost_s, blocks.chosen().port_cost.cost_s);
    EXPECT_LE(blocks.chosen().port_cost.cost_s, order.chosen().port_cost.cost_s * (1 + 1e-9));
    const auto nodes =
        nodes_of(job.hct, plan(LayoutConstraint::blocks).candidates.back().pu_of_rank);
    EXPECT_EQ(nodes[0], 0U);
    EXPECT_EQ(nodes[8], 1U) << "the partners' block comes to rank 0's switch";
}

TEST(LayoutConstraint, DeclinesBlocksOfALayoutThatHasNone) {
    const Cluster cluster = sample_cluster();
    const Profile profile = paired_profile({1, 0, 3, 2}, 100'000'000, 10.0, 9.0);
    const Scenario job =
        make_scenario(profile, cluster, whole_cluster(cluster), 4, {.node_of_rank = {0, 1, 0, 1}})
            .value();

    const auto plan = make_plan(job, profile, cluster, {.keep = LayoutConstraint::blocks});

    ASSERT_FALSE(plan);
    EXPECT_NE(plan.error().message.find("not consecutive"), std::string::npos)
        << plan.error().message;
}

}  // namespace
}  // namespace commmap
