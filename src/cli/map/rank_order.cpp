// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/map/rank_order.hpp"

#include <numeric>

namespace commmap::cli {

RankOrder::RankOrder(const MachineTree& machine, std::span<const GroupId> bin_of_rank)
    : machine_(machine), first_of_bin_(machine.num_bins() + 1, 0) {
    for (const GroupId bin : bin_of_rank) ++first_of_bin_[bin + 1];
    std::partial_sum(first_of_bin_.begin(), first_of_bin_.end(), first_of_bin_.begin());
    std::vector<std::uint32_t> next(first_of_bin_.begin(), first_of_bin_.end() - 1);
    position_of_rank_.reserve(bin_of_rank.size());
    // Ranks of a bin take its PUs in ascending order.
    for (const GroupId bin : bin_of_rank) position_of_rank_.push_back(next[bin]++);
}

std::vector<std::uint32_t> RankOrder::boundaries(std::size_t depth, std::size_t most) const {
    std::vector<std::uint32_t> found;
    for (GroupId group = 0; group < machine_.num_groups(depth) && found.size() <= most; ++group) {
        GroupId bin = group;
        for (std::size_t d = depth; d + 1 < machine_.num_levels(); ++d)
            bin = machine_.level(d).first_child[bin];
        const std::uint32_t first = first_of_bin_[bin];
        if (first > (found.empty() ? 0 : found.back()) && first < num_ranks())
            found.push_back(first);
    }
    return found;
}

}  // namespace commmap::cli
