// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

namespace commmap {

/// Stands for a gap that was not found, because bursts took no longer than single messages: other
/// load on the machine does that.
inline constexpr double no_gap_s = 1e-9;

/// Computes the seconds that a burst takes longer for each message after its first one
/// (MeasuringPattern::gaps).
///
/// Other load only adds time. So each burst is compared with the fastest single message of all
/// blocks: a slow single message would make the gap look short.
/// @param bursts   seconds of a burst and its answer, for each block
/// @param singles  seconds of a single message and its answer, for each block; not empty
/// @param messages of a burst, at least 2
/// @return  a gap for each block, at least no_gap_s
[[nodiscard]] std::vector<double> gaps_of_blocks(const std::vector<double>& bursts,
                                                 const std::vector<double>& singles,
                                                 std::uint32_t messages);

}  // namespace commmap
