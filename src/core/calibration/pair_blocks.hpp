// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

namespace commmap {

/// Computes how many messages each pair sends in a block, when several pairs measure at once
/// (MeasuringPattern::each_pair).
///
/// A block takes seconds_of_stream_block for the pair in the middle, and all pairs send the same
/// number. A pair that would take longer than most_seconds_of_pair_block sends fewer: short blocks
/// of the other pairs would end in buffers.
/// @param seconds  that a message of each pair takes; not empty
/// @return  a number for each pair, at least messages_at_once. Same input, same result.
[[nodiscard]] std::vector<std::uint32_t> messages_of_pairs(const std::vector<double>& seconds);

}  // namespace commmap
