#include "core/plan/layout.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <numeric>
#include <string>

namespace commmap {
namespace {

/// Marks `count` leaves below `id`, as evenly spread over its children as their sizes allow.
void spread(const Hct& hct, ElementId id, std::uint32_t count, std::vector<PuId>& slots) {
    const Element& element = hct.element(id);
    if (count == 0) return;
    if (count == element.num_pus) {
        for (std::uint32_t i = 0; i < count; ++i) slots.push_back(element.first_pu + i);
        return;
    }
    assert(count < element.num_pus && element.num_children > 0 && "more tasks than PUs");
    std::vector<std::uint32_t> share(element.num_children);
    std::uint32_t given = 0;
    for (std::uint32_t child = 0; child < element.num_children; ++child) {
        const std::uint64_t size = hct.element(element.first_child + child).num_pus;
        share[child] = static_cast<std::uint32_t>(count * size / std::max(1U, element.num_pus));
        given += share[child];
    }
    // What rounding left over goes where the smallest part is used, the first among equals.
    while (given < count) {
        std::uint32_t emptiest = 0;
        const auto used = [&](std::uint32_t child) {
            return static_cast<double>(share[child]) /
                   hct.element(element.first_child + child).num_pus;
        };
        for (std::uint32_t child = 1; child < element.num_children; ++child) {
            if (used(child) < used(emptiest)) emptiest = child;
        }
        ++share[emptiest];
        ++given;
    }
    for (std::uint32_t child = 0; child < element.num_children; ++child) {
        spread(hct, element.first_child + child, share[child], slots);
    }
}

/// Slots of each node, in node-list order, ascending.
std::vector<std::vector<PuId>> slots_by_node(const Hct& hct, std::span<const PuId> slots) {
    std::vector<std::vector<PuId>> by_node(hct.num_nodes());
    for (const PuId pu : slots) by_node[hct.pu(pu).node].push_back(pu);
    return by_node;
}

}  // namespace

Result<std::vector<std::uint32_t>> default_tasks_per_node(
    std::span<const std::uint32_t> cpus_per_node, std::uint32_t num_tasks) {
    const std::uint64_t cpus =
        std::accumulate(cpus_per_node.begin(), cpus_per_node.end(), std::uint64_t{0});
    if (num_tasks > cpus) {
        return Error{Errc::invalid_input, std::to_string(num_tasks) + " tasks on " +
                                              std::to_string(cpus) + " CPUs would share CPUs"};
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

std::vector<PuId> choose_slots(const Hct& hct, std::span<const std::uint32_t> tasks_per_node) {
    std::vector<PuId> slots;
    for (NodeId node = 0; node < tasks_per_node.size(); ++node) {
        spread(hct, hct.node(node).element, tasks_per_node[node], slots);
    }
    std::sort(slots.begin(), slots.end());
    return slots;
}

std::vector<PuId> block_placement(const Hct& hct, std::span<const PuId> slots) {
    std::vector<PuId> placement;
    placement.reserve(slots.size());
    for (const auto& of_node : slots_by_node(hct, slots)) {
        placement.insert(placement.end(), of_node.begin(), of_node.end());
    }
    return placement;
}

std::vector<PuId> cyclic_placement(const Hct& hct, std::span<const PuId> slots) {
    const auto by_node = slots_by_node(hct, slots);
    std::vector<PuId> placement;
    placement.reserve(slots.size());
    for (std::size_t turn = 0; placement.size() < slots.size(); ++turn) {
        for (const auto& of_node : by_node) {
            if (turn < of_node.size()) placement.push_back(of_node[turn]);
        }
    }
    return placement;
}

}  // namespace commmap
