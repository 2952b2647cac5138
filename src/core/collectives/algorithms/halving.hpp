// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "core/collectives/algorithms/members.hpp"
#include "core/collectives/schedule.hpp"

namespace commmap {

/// A range of a payload: the bytes [begin, end).
struct Window {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    [[nodiscard]] Window half(bool upper) const {
        const std::uint64_t middle = begin + (end - begin) / 2;
        return upper ? Window{middle, end} : Window{begin, middle};
    }
    [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
};

/// Appends the messages of a reduce-scatter by recursive halving. Participants at distance 1, 2, 4,
/// ... exchange halves: each sends the half of its remaining range with which the other one goes
/// on. Of a pair that was joined to get a power of two, the even member takes part.
/// @return  the range that participant i has left, as [step][i]: first the whole payload, last its
///          own result
[[nodiscard]] std::vector<std::vector<Window>> exchange_halves(
    const PowerOfTwoGroup& group, std::uint64_t payload_bytes,
    std::vector<ScheduledMessage>& messages);

}  // namespace commmap
