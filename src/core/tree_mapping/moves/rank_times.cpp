// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/moves/rank_times.hpp"

#include <algorithm>

namespace commmap {

RankTimes::RankTimes(const BinPlacement& placement)
    : placement_(placement), times_(placement.num_ranks()) {
    for (std::uint32_t rank = 0; rank < times_.size(); ++rank)
        times_[rank] = of(rank, placement.path_of(rank));
}

double RankTimes::of(std::uint32_t rank, MachineTree::Path path) const {
    const CsrGraph& graph = placement_.graph();
    const MachineTree& machine = placement_.machine();
    double time = 0.0;
    for (std::uint32_t i = graph.first[rank]; i < graph.first[rank + 1]; ++i) {
        time += static_cast<double>(graph.weights[i]) *
                machine.distance(path, placement_.path_of(graph.neighbours[i]));
    }
    return time;
}

double RankTimes::longest() const {
    return times_.empty() ? 0.0 : *std::max_element(times_.begin(), times_.end());
}

void RankTimes::before_move(std::uint32_t rank, GroupId bin) {
    double time = 0.0;
    for_each_edge_of_move(placement_, rank, bin,
                          [&](std::uint32_t peer, double weight, double before, double after) {
                              time += weight * after;
                              times_[peer] += weight * (after - before);
                          });
    times_[rank] = time;
}

}  // namespace commmap
