// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/moves/rank_time_cost.hpp"

#include <algorithm>

namespace commmap {

MoveGain RankTimeCost::gain_at(std::uint32_t rank, GroupId bin) const {
    const CsrGraph& graph = placement_.graph();
    const MachineTree& machine = placement_.machine();
    const MachineTree::Path from = placement_.path_of(rank);
    const MachineTree::Path to = machine.path(bin);
    MoveGain gain;
    const auto change = [&](double before, double after) {
        gain.value += before - after;
        gain.scale = std::max({gain.scale, before, after});
    };
    double time = 0.0;
    for (std::uint32_t i = graph.first[rank]; i < graph.first[rank + 1]; ++i) {
        const std::uint32_t u = graph.neighbours[i];
        const auto weight = static_cast<double>(graph.weights[i]);
        const double there = machine.distance(to, placement_.path_of(u));
        time += weight * there;
        const double here = machine.distance(from, placement_.path_of(u));
        if (there != here)
            change(potential_.of(times_.of(u)),
                   potential_.of(times_.of(u) + weight * (there - here)));
    }
    change(potential_.of(times_.of(rank)), potential_.of(time));
    return gain;
}

}  // namespace commmap
