// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "core/tree_mapping/moves/bin_placement.hpp"
#include "core/tree_mapping/moves/chain_search.hpp"
#include "core/tree_mapping/moves/potential.hpp"
#include "core/tree_mapping/moves/rank_times.hpp"

namespace commmap {

/// The sum over all ranks of a potential of the cost of their messages, for a ChainSearch.
/// With a high power it is Khoroshevsky and Kurnosov's T(X), the time of the rank that communicates
/// the longest.
/// Memory: 8 bytes a rank. Cost: O(neighbours) a question.
class RankTimeCost {
public:
    RankTimeCost(const BinPlacement& placement, const Potential& potential)
        : placement_(placement), potential_(potential), times_(placement) {}

    [[nodiscard]] MoveGain gain_at(std::uint32_t rank, GroupId bin) const;
    void before_move(std::uint32_t rank, GroupId bin) { times_.before_move(rank, bin); }

    /// Returns T(X).
    [[nodiscard]] double longest() const { return times_.longest(); }

private:
    const BinPlacement& placement_;
    Potential potential_;
    RankTimes times_;
};

}  // namespace commmap
