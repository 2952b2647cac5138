// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "commmap/placement_figures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>

#include "commmap/map_ranks.hpp"
#include "core/base/random.hpp"
#include "core/base/threads.hpp"
#include "core/tree_mapping/graphs.hpp"
#include "core/tree_mapping/moves/link_cost.hpp"
#include "core/tree_mapping/moves/link_loads.hpp"
#include "core/tree_mapping/threaded_figures.hpp"

namespace commmap {
namespace {

TEST(MostLoadedLinks, AreTheFirstOfAllWhenSorted) {
    Random random(11);
    for (int round = 0; round < 100; ++round) {
        const MachineTree machine = tests::random_machine(random);
        const auto n = static_cast<std::uint32_t>(random.below(machine.num_pus() + 1));
        // few weights, so that many links cost the same
        const WeightedGraph graph = tests::random_graph(random, n, 2);
        const auto bins = ranks_in_order(machine, n);

        const auto loads = link_loads(graph, machine, bins);

        std::vector<std::tuple<double, std::size_t, GroupId>> all;
        ASSERT_EQ(loads.size(), machine.num_levels());
        for (std::size_t depth = 1; depth < loads.size(); ++depth)
            for (GroupId group = 0; group < loads[depth].size(); ++group)
                all.emplace_back(-loads[depth][group] * cost_of_byte(machine, depth), depth, group);
        std::sort(all.begin(), all.end());
        for (const std::size_t count :
             {std::size_t{0}, std::size_t{1}, std::size_t{5}, all.size(), all.size() + 1}) {
            const auto links = most_loaded_links(graph, machine, bins, count);
            ASSERT_EQ(links.size(), std::min(count, all.size()));
            for (std::size_t i = 0; i < links.size(); ++i)
                EXPECT_EQ(std::tuple(-links[i].cost, links[i].depth, links[i].group), all[i]);
        }
    }
}

TEST(PlacementFigures, AreSumsOverEdges) {
    Random random(12);
    for (int round = 0; round < 200; ++round) {
        const MachineTree machine = tests::random_machine(random);
        // few ranks too, fewer than the machine has groups
        const std::uint64_t most = round % 2 == 0 ? machine.num_pus() : machine.num_pus() / 8;
        const auto n = static_cast<std::uint32_t>(random.below(most + 1));
        const WeightedGraph graph = tests::random_graph(random, n, 100);
        auto bins = ranks_in_order(machine, n);
        shuffle(std::span(bins), random);
        double most_bytes = 0.0;
        for (std::uint32_t v = 0; v < n; ++v)
            most_bytes = std::max(
                most_bytes,
                static_cast<double>(std::accumulate(
                    graph.weights.begin() + static_cast<std::ptrdiff_t>(graph.first[v]),
                    graph.weights.begin() + static_cast<std::ptrdiff_t>(graph.first[v + 1]),
                    std::uint64_t{0})));
        const auto slow = tests::slow_figures(graph, machine, bins);
        const double at_pu = most_bytes * static_cast<double>(machine.bins().distance) / 2;

        for (const unsigned count : {1U, 2U}) {
            Threads threads(count);
            const PlacementFigures figures = figures_of(graph, machine, bins, threads);
            EXPECT_EQ(figures.hop_bytes, slow.hop_bytes);
            EXPECT_EQ(figures.process_time, slow.process_time);
            EXPECT_EQ(figures.port_cost, std::max(slow.port_cost, at_pu));
        }
    }
}

}  // namespace
}  // namespace commmap
