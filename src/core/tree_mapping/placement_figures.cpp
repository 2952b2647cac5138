// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "commmap/placement_figures.hpp"

#include <algorithm>

#include "core/tree_mapping/moves/link_cost.hpp"
#include "core/tree_mapping/moves/link_loads.hpp"
#include "core/tree_mapping/threaded_figures.hpp"

namespace commmap {
namespace {

/// Calls use(link) for each link above a group.
template <class Use>
void for_each_link(const MachineTree& machine, const LinkLoads& loads, Use&& use) {
    for (std::size_t depth = 1; depth < loads.size(); ++depth) {
        const double cost = cost_of_byte(machine, depth);
        for (GroupId group = 0; group < loads[depth].size(); ++group) {
            const double load = loads[depth][group];
            use(TreeLink{depth, group, load, load * cost});
        }
    }
}

/// The part of the figures that comes from some of the ranks.
struct Share {
    PlacementFigures figures;  ///< port_cost has only the PUs' links
    LinkLoads loads;
};

Share share_of(const WeightedGraph& graph, const MachineTree& machine,
               std::span<const GroupId> bin_of_rank, std::size_t begin, std::size_t end) {
    Share share{{}, no_loads(machine)};
    const double cost_at_pu = static_cast<double>(machine.bins().distance) / 2;
    for (std::size_t v = begin; v < end; ++v) {
        const SharedBytes shared = shared_bytes(graph, machine, bin_of_rank, v);
        double bytes = 0.0;
        double time = 0.0;
        for (std::size_t depth = 0; depth < machine.num_levels(); ++depth) {
            bytes += shared[depth];
            time += shared[depth] * static_cast<double>(machine.level(depth).distance);
        }
        PlacementFigures& figures = share.figures;
        figures.hop_bytes += time / 2;
        figures.process_time = std::max(figures.process_time, time);
        figures.port_cost = std::max(figures.port_cost, bytes * cost_at_pu);
        add_loads(machine, bin_of_rank[v], shared, share.loads);
    }
    return share;
}

/// Returns the figures with the links above groups.
PlacementFigures total(const MachineTree& machine, const Share& all) {
    PlacementFigures figures = all.figures;
    for_each_link(machine, all.loads, [&](const TreeLink& link) {
        figures.port_cost = std::max(figures.port_cost, link.cost);
    });
    return figures;
}

}  // namespace

PlacementFigures figures_of(const WeightedGraph& graph, const MachineTree& machine,
                            std::span<const GroupId> bin_of_rank) {
    Threads none;
    return figures_of(graph, machine, bin_of_rank, none);
}

PlacementFigures figures_of(const WeightedGraph& graph, const MachineTree& machine,
                            std::span<const GroupId> bin_of_rank, Threads& threads) {
    // Ranks are halved with any number of threads, because sums must not depend on that number. One
    // part is faster if the loads of all groups are more work than the ranks.
    const std::size_t num_ranks = bin_of_rank.size();
    if (machine.num_groups() > num_ranks + graph.neighbours.size())
        return total(machine, share_of(graph, machine, bin_of_rank, 0, num_ranks));
    const std::size_t middle = num_ranks / 2;
    Share first;
    Share second;
    threads.parallel_invoke(
        [&] { first = share_of(graph, machine, bin_of_rank, 0, middle); },
        [&] { second = share_of(graph, machine, bin_of_rank, middle, num_ranks); });
    for (std::size_t depth = 0; depth < first.loads.size(); ++depth)
        for (GroupId group = 0; group < first.loads[depth].size(); ++group)
            first.loads[depth][group] += second.loads[depth][group];
    first.figures.hop_bytes += second.figures.hop_bytes;
    first.figures.port_cost = std::max(first.figures.port_cost, second.figures.port_cost);
    first.figures.process_time = std::max(first.figures.process_time, second.figures.process_time);
    return total(machine, first);
}

std::vector<TreeLink> most_loaded_links(const WeightedGraph& graph, const MachineTree& machine,
                                        std::span<const GroupId> bin_of_rank, std::size_t count) {
    const auto comes_first = [](const TreeLink& a, const TreeLink& b) {
        if (a.cost != b.cost) return a.cost > b.cost;
        return a.depth != b.depth ? a.depth < b.depth : a.group < b.group;
    };
    std::vector<TreeLink> links;  // a heap whose top is the least loaded link
    if (count == 0) return links;
    for_each_link(machine, link_loads(graph, machine, bin_of_rank), [&](const TreeLink& link) {
        if (links.size() == count) {
            if (!comes_first(link, links.front())) return;
            std::pop_heap(links.begin(), links.end(), comes_first);
            links.pop_back();
        }
        links.push_back(link);
        std::push_heap(links.begin(), links.end(), comes_first);
    });
    std::sort_heap(links.begin(), links.end(), comes_first);
    return links;
}

}  // namespace commmap
