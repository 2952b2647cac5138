#include "core/mapping/placement_figures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "core/mapping/graphs.hpp"
#include "core/mapping/link_cost.hpp"
#include "core/mapping/link_loads.hpp"
#include "core/mapping/mapper.hpp"
#include "core/mapping/random.hpp"
#include "core/mapping/threads.hpp"

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

/// The depth of the lowest group that two bins have in common, by going up.
std::size_t common_depth(const MachineTree& machine, GroupId a, GroupId b) {
    std::size_t depth = machine.num_levels() - 1;
    for (; a != b; --depth) {
        a = machine.level(depth).parent[a];
        b = machine.level(depth).parent[b];
    }
    return depth;
}

TEST(PlacementFigures, AreSumsOverEdges) {
    Random random(12);
    for (int round = 0; round < 100; ++round) {
        const MachineTree machine = tests::random_machine(random);
        const auto n = static_cast<std::uint32_t>(random.below(machine.num_pus() + 1));
        const WeightedGraph graph = tests::random_graph(random, n, 100);
        auto bins = ranks_in_order(machine, n);
        shuffle(std::span(bins), random);

        double hop_bytes = 0.0;
        double process_time = 0.0;
        double port_cost = 0.0;
        std::vector<std::map<GroupId, double>> loads(machine.num_levels());
        for (std::uint32_t v = 0; v < n; ++v) {
            double time = 0.0;
            double bytes = 0.0;
            for (std::size_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
                const auto weight = static_cast<double>(graph.weights[i]);
                const std::size_t common =
                    common_depth(machine, bins[v], bins[graph.neighbours[i]]);
                time += weight * static_cast<double>(machine.level(common).distance);
                bytes += weight;
                GroupId group = bins[v];
                for (std::size_t depth = machine.num_levels() - 1; depth > common; --depth) {
                    loads[depth][group] += weight;
                    group = machine.level(depth).parent[group];
                }
            }
            hop_bytes += time / 2;
            process_time = std::max(process_time, time);
            port_cost =
                std::max(port_cost, bytes * static_cast<double>(machine.bins().distance) / 2);
        }
        for (std::size_t depth = 1; depth < loads.size(); ++depth)
            for (const auto& [group, load] : loads[depth])
                port_cost = std::max(port_cost, load * cost_of_byte(machine, depth));

        for (const unsigned count : {1U, 2U}) {
            Threads threads(count);
            const PlacementFigures figures = figures_of(graph, machine, bins, threads);
            EXPECT_EQ(figures.hop_bytes, hop_bytes);
            EXPECT_EQ(figures.process_time, process_time);
            EXPECT_EQ(figures.port_cost, port_cost);
        }
        const LinkLoads found = link_loads(graph, machine, bins);
        for (std::size_t depth = 1; depth < found.size(); ++depth)
            for (GroupId group = 0; group < found[depth].size(); ++group)
                EXPECT_EQ(found[depth][group],
                          loads[depth].contains(group) ? loads[depth][group] : 0.0);
    }
}

}  // namespace
}  // namespace commmap
