// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/layout.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <numeric>
#include <string>

#include "core/cpus/cpu_places.hpp"

namespace commmap {
namespace {

/// Returns the tree of CPUs below a node.
CpuTree tree_of_node(const Hct& hct, const NodeInfo& node) {
    CpuTree tree;
    std::vector<ElementId> elements = {node.element};
    for (std::size_t next = 0; next < elements.size(); ++next) {
        const Element& element = hct.element(elements[next]);
        tree.groups.push_back({element.first_pu - node.first_pu, element.num_pus,
                               static_cast<std::uint32_t>(elements.size()), element.num_children});
        for (std::uint32_t child = 0; child < element.num_children; ++child)
            elements.push_back(element.first_child + child);
    }
    return tree;
}

/// Returns the candidate PUs of each node, ascending. The nodes are in node-list order.
std::vector<std::vector<PuId>> candidates_by_node(const Hct& hct,
                                                  std::span<const PuId> candidate_pus) {
    std::vector<std::vector<PuId>> by_node(hct.num_nodes());
    for (const PuId pu : candidate_pus) by_node[hct.pu(pu).node].push_back(pu);
    return by_node;
}

}  // namespace

Result<std::vector<std::uint32_t>> default_tasks_per_node(
    std::span<const std::uint32_t> cpus_per_node, std::uint32_t num_tasks) {
    const std::uint64_t cpus =
        std::accumulate(cpus_per_node.begin(), cpus_per_node.end(), std::uint64_t{0});
    if (num_tasks > cpus) {
        return Error{Errc::invalid_input, fmt::format("{} tasks on {} CPUs would share CPUs, which "
                                                      "commmap does not place: ask for more nodes",
                                                      num_tasks, cpus)};
    }
    std::vector<std::uint32_t> tasks(cpus_per_node.size(), 0);
    std::vector<std::size_t> with_room(cpus_per_node.size());
    std::iota(with_room.begin(), with_room.end(), std::size_t{0});
    for (std::uint32_t left = num_tasks; left > 0;) {
        std::erase_if(with_room,
                      [&](std::size_t node) { return tasks[node] == cpus_per_node[node]; });
        for (const std::size_t node : with_room) {
            if (left == 0) break;
            ++tasks[node];
            --left;
        }
    }
    return tasks;
}

Result<std::vector<std::uint32_t>> tasks_per_node_of(std::span<const std::uint32_t> layout,
                                                     std::span<const std::uint32_t> room,
                                                     std::uint32_t num_ranks) {
    if (layout.size() != num_ranks) {
        return Error{Errc::invalid_input, fmt::format("the layout has {} ranks, the job has {}",
                                                      layout.size(), num_ranks)};
    }
    std::vector<std::uint32_t> tasks(room.size(), 0);
    for (const std::uint32_t node : layout) {
        if (node >= tasks.size()) {
            return Error{Errc::invalid_input,
                         fmt::format("the layout names node {}; the job's nodes are 0 to {}", node,
                                     tasks.size() - 1)};
        }
        if (++tasks[node] > room[node]) {
            return Error{Errc::invalid_input,
                         fmt::format("the layout puts more tasks than CPUs on node {} (the job's "
                                     "first node is 0): tasks would share CPUs",
                                     node)};
        }
    }
    return tasks;
}

std::vector<NodeId> node_order_of(const Hct& hct, bool topology_order) {
    std::vector<NodeId> order(hct.num_nodes());
    std::iota(order.begin(), order.end(), NodeId{0});
    if (topology_order) {
        std::sort(order.begin(), order.end(),
                  [&](NodeId a, NodeId b) { return hct.node(a).first_pu < hct.node(b).first_pu; });
    }
    return order;
}

Result<std::vector<std::uint32_t>> dealt_in_order(std::span<const NodeId> order,
                                                  std::span<const std::uint32_t> room,
                                                  std::uint32_t num_ranks) {
    std::vector<std::uint32_t> ordered_room;
    ordered_room.reserve(order.size());
    for (const NodeId node : order) ordered_room.push_back(room[node]);
    const auto dealt = default_tasks_per_node(ordered_room, num_ranks);
    if (!dealt) return dealt.error();
    std::vector<std::uint32_t> tasks(order.size());
    for (std::size_t place = 0; place < order.size(); ++place)
        tasks[order[place]] = dealt.value()[place];
    return tasks;
}

std::vector<std::uint32_t> block_layout(std::span<const NodeId> order,
                                        std::span<const std::uint32_t> tasks_per_node) {
    std::vector<std::uint32_t> layout;
    for (const NodeId node : order) layout.insert(layout.end(), tasks_per_node[node], node);
    return layout;
}

std::vector<PuId> choose_candidate_pus(const Hct& hct,
                                       std::span<const std::uint32_t> tasks_per_node,
                                       std::uint32_t cpus_per_task) {
    std::vector<PuId> candidate_pus;
    for (NodeId id = 0; id < tasks_per_node.size(); ++id) {
        const NodeInfo& node = hct.node(id);
        const auto places = divide_cpus(tree_of_node(hct, node), tasks_per_node[id], cpus_per_task);
        assert(places && "more tasks than PUs");
        for (const CpuPlace& place : places.value())
            candidate_pus.push_back(node.first_pu + place.front());
    }
    std::sort(candidate_pus.begin(), candidate_pus.end());
    return candidate_pus;
}

std::vector<PuId> block_placement(const Hct& hct, std::span<const PuId> candidate_pus) {
    std::vector<PuId> placement;
    placement.reserve(candidate_pus.size());
    for (const auto& of_node : candidates_by_node(hct, candidate_pus)) {
        placement.insert(placement.end(), of_node.begin(), of_node.end());
    }
    return placement;
}

std::vector<PuId> placement_on_nodes(const Hct& hct, std::span<const PuId> candidate_pus,
                                     std::span<const std::uint32_t> node_of_rank) {
    const auto by_node = candidates_by_node(hct, candidate_pus);
    std::vector<std::size_t> taken(by_node.size(), 0);
    std::vector<PuId> placement;
    placement.reserve(node_of_rank.size());
    for (const std::uint32_t node : node_of_rank) placement.push_back(by_node[node][taken[node]++]);
    return placement;
}

std::vector<PuId> cyclic_placement(const Hct& hct, std::span<const PuId> candidate_pus) {
    const auto by_node = candidates_by_node(hct, candidate_pus);
    std::vector<PuId> placement;
    placement.reserve(candidate_pus.size());
    for (std::size_t turn = 0; placement.size() < candidate_pus.size(); ++turn) {
        for (const auto& of_node : by_node) {
            if (turn < of_node.size()) placement.push_back(of_node[turn]);
        }
    }
    return placement;
}

}  // namespace commmap
