#include "core/mapping/placement_figures.hpp"

#include <algorithm>

#include "core/mapping/link_cost.hpp"
#include "core/mapping/link_loads.hpp"

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

/// Without the links between groups.
PlacementFigures rank_figures(const WeightedGraph& graph, const MachineTree& machine,
                              std::span<const GroupId> bin_of_rank) {
    PlacementFigures figures;
    const double cost_at_pu = static_cast<double>(machine.bins().distance) / 2;
    for (std::size_t v = 0; v < graph.num_vertices(); ++v) {
        double bytes = 0.0;
        double time = 0.0;
        const MachineTree::Path path = machine.path(bin_of_rank[v]);
        for (std::size_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            const auto weight = static_cast<double>(graph.weights[i]);
            bytes += weight;
            time += weight * machine.distance(path, machine.path(bin_of_rank[graph.neighbours[i]]));
        }
        figures.hop_bytes += time / 2;
        figures.process_time = std::max(figures.process_time, time);
        figures.port_cost = std::max(figures.port_cost, bytes * cost_at_pu);
    }
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
    PlacementFigures figures;
    double most_at_link = 0.0;
    threads.both([&] { figures = rank_figures(graph, machine, bin_of_rank); },
                 [&] {
                     for_each_link(machine, link_loads(graph, machine, bin_of_rank),
                                   [&](const TreeLink& link) {
                                       most_at_link = std::max(most_at_link, link.cost);
                                   });
                 });
    figures.port_cost = std::max(figures.port_cost, most_at_link);
    return figures;
}

std::vector<TreeLink> most_loaded_links(const WeightedGraph& graph, const MachineTree& machine,
                                        std::span<const GroupId> bin_of_rank, std::size_t count) {
    const auto comes_first = [](const TreeLink& a, const TreeLink& b) {
        if (a.cost != b.cost) return a.cost > b.cost;
        return a.depth != b.depth ? a.depth < b.depth : a.group < b.group;
    };
    std::vector<TreeLink> links;  // a heap, the last one on top
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
