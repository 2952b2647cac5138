// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "core/tree_mapping/moves/bin_placement.hpp"

namespace commmap {

/// Calls visit(peer, weight, before, after) for each edge of a rank that is to move: `before` and
/// `after` are the distances to the peer from the rank's place and from its new bin.
template <class Visit>
void for_each_edge_of_move(const BinPlacement& placement, std::uint32_t rank, GroupId bin,
                           const Visit& visit) {
    const CsrGraph& graph = placement.graph();
    const MachineTree& machine = placement.machine();
    const MachineTree::Path from = placement.path_of(rank);
    const MachineTree::Path to = machine.path(bin);
    for (std::uint32_t i = graph.first[rank]; i < graph.first[rank + 1]; ++i) {
        const std::uint32_t peer = graph.neighbours[i];
        const MachineTree::Path there = placement.path_of(peer);
        visit(peer, static_cast<double>(graph.weights[i]), machine.distance(from, there),
              machine.distance(to, there));
    }
}

/// The cost of each rank's messages in a placement that changes: the sum of weight times distance
/// over its edges.
/// The sums are exact, for both factors are whole numbers (CsrGraph).
/// Memory: 8 bytes a rank.
/// Cost: O(edges) to make, O(neighbours) a question or a move.
class RankTimes {
public:
    explicit RankTimes(const BinPlacement& placement);

    [[nodiscard]] double of(std::uint32_t rank) const { return times_[rank]; }
    /// Returns the cost if the rank were at `path`.
    [[nodiscard]] double of(std::uint32_t rank, MachineTree::Path path) const;
    /// Returns the cost of the rank that communicates the longest; 0 without ranks.
    [[nodiscard]] double longest() const;

    /// Updates the costs for a move. Must be called while the rank is still at its old place.
    void before_move(std::uint32_t rank, GroupId bin);

private:
    const BinPlacement& placement_;
    std::vector<double> times_;
};

}  // namespace commmap
