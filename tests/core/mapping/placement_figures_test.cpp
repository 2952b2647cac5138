#include "core/mapping/placement_figures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "core/mapping/graphs.hpp"
#include "core/mapping/link_cost.hpp"
#include "core/mapping/link_loads.hpp"
#include "core/mapping/mapper.hpp"

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

}  // namespace
}  // namespace commmap
