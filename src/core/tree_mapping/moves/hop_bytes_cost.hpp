// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "core/tree_mapping/moves/bin_placement.hpp"
#include "core/tree_mapping/moves/chain_search.hpp"
#include "core/tree_mapping/moves/rank_times.hpp"

namespace commmap {

/// Hop-bytes, for a ChainSearch. They are exact, for weights and distances are whole numbers
/// (CsrGraph).
/// Memory: 8 bytes a rank. Cost: O(neighbours) a question.
class HopBytesCost {
public:
    explicit HopBytesCost(const BinPlacement& placement)
        : placement_(placement), times_(placement) {}

    [[nodiscard]] MoveGain gain_at(std::uint32_t rank, GroupId bin) const {
        return {times_.of(rank) - times_.of(rank, placement_.machine().path(bin)), 0.0};
    }
    void before_move(std::uint32_t rank, GroupId bin) { times_.before_move(rank, bin); }

private:
    const BinPlacement& placement_;
    RankTimes times_;
};

}  // namespace commmap
