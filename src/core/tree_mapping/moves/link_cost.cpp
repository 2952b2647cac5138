// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/moves/link_cost.hpp"

#include <algorithm>

namespace commmap {

double cost_of_byte(const MachineTree& machine, std::size_t depth) {
    return (static_cast<double>(machine.level(depth - 1).distance) -
            static_cast<double>(machine.level(depth).distance)) /
           2;
}

LinkCost LinkCost::powers(const BinPlacement& placement, double unit, unsigned squarings) {
    LinkCost cost(placement);
    const MachineTree& machine = placement.machine();
    for (std::size_t depth = 0; depth < machine.num_levels(); ++depth)
        cost.potentials_.push_back(
            Potential::power(depth == 0 ? 0.0 : cost_of_byte(machine, depth), unit, squarings));
    return cost;
}

LinkCost LinkCost::capped(const BinPlacement& placement, double cap) {
    LinkCost cost(placement);
    const MachineTree& machine = placement.machine();
    for (std::size_t depth = 0; depth < machine.num_levels(); ++depth)
        cost.potentials_.push_back(
            Potential::linear(depth == 0 ? 0.0 : cost_of_byte(machine, depth), cap));
    return cost;
}

double LinkCost::largest() const {
    const MachineTree& machine = placement_.machine();
    double most = 0.0;
    for (std::size_t depth = 1; depth < machine.num_levels(); ++depth) {
        const double byte = cost_of_byte(machine, depth);
        for (const double load : loads_[depth]) most = std::max(most, load * byte);
    }
    return most;
}

/// Returns the changes of the loads. Only links below the lowest common group of both bins change:
/// any other link has the rank on the same side before and after.
LinkCost::Changes LinkCost::changes_of(std::uint32_t rank, GroupId bin) const {
    const CsrGraph& graph = placement_.graph();
    const MachineTree& machine = placement_.machine();
    const MachineTree::Path from = placement_.path_of(rank);
    const MachineTree::Path to = machine.path(bin);
    // Weights to peers in the old bin and in the new bin, by the depth of the lowest group that the
    // rank and the peer share.
    std::array<double, MachineTree::max_levels> shared_from{};
    std::array<double, MachineTree::max_levels> shared_to{};
    double total = 0.0;
    for (std::uint32_t i = graph.first[rank]; i < graph.first[rank + 1]; ++i) {
        const MachineTree::Path peer = placement_.path_of(graph.neighbours[i]);
        const auto weight = static_cast<double>(graph.weights[i]);
        total += weight;
        shared_from[machine.common_depth(from, peer)] += weight;
        shared_to[machine.common_depth(to, peer)] += weight;
    }
    Changes changes;
    const unsigned common = machine.common_depth(from, to);
    GroupId left = placement_.bin_of(rank);
    GroupId entered = bin;
    double inside_left = 0.0;
    double inside_entered = 0.0;
    for (std::size_t depth = machine.num_levels() - 1; depth > common; --depth) {
        inside_left += shared_from[depth];
        inside_entered += shared_to[depth];
        changes.of[changes.count++] = {depth, left, 2 * inside_left - total};
        changes.of[changes.count++] = {depth, entered, total - 2 * inside_entered};
        left = machine.level(depth).parent[left];
        entered = machine.level(depth).parent[entered];
    }
    return changes;
}

MoveGain LinkCost::gain_at(std::uint32_t rank, GroupId bin) const {
    const Changes changes = changes_of(rank, bin);
    MoveGain gain;
    for (std::size_t i = 0; i < changes.count; ++i) {
        const Change& change = changes.of[i];
        const Potential& potential = potentials_[change.depth];
        const double load = loads_[change.depth][change.group];
        const double before = potential.of(load);
        const double after = potential.of(load + change.bytes);
        gain.value += before - after;
        gain.scale = std::max({gain.scale, before, after});
    }
    return gain;
}

void LinkCost::before_move(std::uint32_t rank, GroupId bin) {
    const Changes changes = changes_of(rank, bin);
    for (std::size_t i = 0; i < changes.count; ++i) {
        const Change& change = changes.of[i];
        loads_[change.depth][change.group] += change.bytes;
    }
}

}  // namespace commmap
