// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/moves/bin_placement.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace commmap {

BinPlacement::BinPlacement(const CsrGraph& graph, const MachineTree& machine,
                           std::vector<GroupId> bin_of_rank)
    : graph_(graph),
      machine_(machine),
      bin_of_(std::move(bin_of_rank)),
      path_of_(bin_of_.size()),
      first_member_(machine.num_bins()),
      num_members_(machine.num_bins(), 0),
      member_(machine.num_pus()) {
    const std::vector<std::uint32_t>& capacity = machine.bins().capacity;
    std::exclusive_scan(capacity.begin(), capacity.end(), first_member_.begin(), 0U);
    for (std::uint32_t rank = 0; rank < bin_of_.size(); ++rank) {
        const GroupId bin = bin_of_[rank];
        assert(num_members_[bin] < capacity[bin] && "more ranks than PUs in a bin");
        member_[first_member_[bin] + num_members_[bin]++] = rank;
        path_of_[rank] = machine.path(bin);
    }
}

void BinPlacement::settle(std::span<const Step> chain, bool closed) {
    const auto place_of = [&](const Step& step) {
        const std::span<const std::uint32_t> there = members(step.from);
        return static_cast<std::uint32_t>(
            first_member_[step.from] +
            (std::find(there.begin(), there.end(), step.rank) - there.begin()));
    };
    std::vector<std::uint32_t> places;
    places.reserve(chain.size());
    for (const Step& step : chain) places.push_back(place_of(step));
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) member_[places[i + 1]] = chain[i].rank;
    if (closed) {
        member_[places.front()] = chain.back().rank;
        return;
    }
    // The last member of the first rank's bin fills the gap. The last rank gets a new place.
    const GroupId left = chain.front().from;
    member_[places.front()] = member_[first_member_[left] + --num_members_[left]];
    const GroupId entered = bin_of_[chain.back().rank];
    member_[first_member_[entered] + num_members_[entered]++] = chain.back().rank;
}

}  // namespace commmap
