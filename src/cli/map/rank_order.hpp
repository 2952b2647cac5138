// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commmap/machine_tree.hpp"

namespace commmap::cli {

/// The ranks of a placement, sorted by their PUs. PUs without a rank take no place.
class RankOrder {
public:
    /// Cost: O(ranks + bins).
    RankOrder(const MachineTree& machine, std::span<const GroupId> bin_of_rank);

    [[nodiscard]] std::size_t num_ranks() const { return position_of_rank_.size(); }
    [[nodiscard]] std::uint32_t position(std::size_t rank) const { return position_of_rank_[rank]; }
    /// Returns the positions at which a group of this depth begins behind a group that has ranks,
    /// ascending.
    /// Returns at most `most` + 1 of them: so many mean that there are too many.
    /// Cost: O(groups * levels).
    [[nodiscard]] std::vector<std::uint32_t> boundaries(std::size_t depth, std::size_t most) const;

private:
    const MachineTree& machine_;
    std::vector<std::uint32_t> first_of_bin_;  ///< length bins + 1
    std::vector<std::uint32_t> position_of_rank_;
};

}  // namespace commmap::cli
