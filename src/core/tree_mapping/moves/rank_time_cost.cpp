// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/moves/rank_time_cost.hpp"

#include <algorithm>

namespace commmap {

MoveGain RankTimeCost::gain_at(std::uint32_t rank, GroupId bin) const {
    MoveGain gain;
    const auto change = [&](double before, double after) {
        gain.value += before - after;
        gain.scale = std::max({gain.scale, before, after});
    };
    double time = 0.0;
    for_each_edge_of_move(placement_, rank, bin,
                          [&](std::uint32_t peer, double weight, double before, double after) {
                              time += weight * after;
                              if (after == before) return;
                              change(potential_.of(times_.of(peer)),
                                     potential_.of(times_.of(peer) + weight * (after - before)));
                          });
    change(potential_.of(times_.of(rank)), potential_.of(time));
    return gain;
}

}  // namespace commmap
