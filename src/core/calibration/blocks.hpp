// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "core/calibration/measuring_text.hpp"

namespace commmap {

/// Numbers that say how one message length is measured. Planner and measuring program share them,
/// so the announced time is near the time that is taken.

/// Each length is measured this often; the spread is that of these values.
inline constexpr std::uint32_t blocks_of_length = 5;
/// A block of round trips takes so many seconds, or as long as one exchange does.
inline constexpr double seconds_of_block = 0.04;
/// A block of streams takes so many: what a network's buffers take in at once, faster than a port
/// drains, must be little beside what passes.
inline constexpr double seconds_of_stream_block = 0.2;
/// A block of streams of several pairs at once (MeasuringPattern::together) takes so many. The
/// pairs share a switch unevenly for some tenths of a second. Of 20 measurements on the emulated
/// cluster, 13 had blocks of 0.2 s that differ by at most 15 %, and all had such blocks of 0.5 s.
inline constexpr double seconds_of_together_block = 0.5;
/// Length of messages that two nodes may send to each other at the same time, below the 64 KiB from
/// which Open MPI asks the receiver before it sends over TCP. The receiver's answer waits behind
/// messages that go the same way: two nodes that sent to each other got half of their bandwidth.
inline constexpr std::uint64_t eager_message_bytes = 61440;

/// Returns the seconds of a block: both directions are compared with streams of
/// eager_message_bytes.
[[nodiscard]] constexpr double seconds_of_block_of(MeasuringPattern pattern,
                                                   std::uint64_t length_bytes) {
    const bool as_streams =
        pattern == MeasuringPattern::streams ||
        (pattern == MeasuringPattern::both_ways && length_bytes == eager_message_bytes);
    return as_streams ? seconds_of_stream_block : seconds_of_block;
}

/// A length whose blocks would take more seconds than these is left out, and ends its series: the
/// bandwidth no longer changes there. The first length of a series is always measured.
inline constexpr double most_seconds_of_length = 2.0;
/// The same for streams of several pairs at once.
inline constexpr double most_seconds_of_together_length = 3.0;
/// A pair that is so slow that its block would take longer sends fewer messages than the pairs that
/// are measured beside it.
inline constexpr double most_seconds_of_pair_block = 1.0;
/// A sender of streams begins so many messages at a time, then waits for all of them.
inline constexpr std::uint32_t messages_at_once = 4;

/// A pair sends at least so many messages in a block whose rate counts while all pairs send
/// (MeasuringPattern::together): the first and the last ones are outside of that time.
inline constexpr std::uint32_t least_messages_together = 4 * messages_at_once;

/// A burst of short messages has so many. An MPI over TCP sends them without waiting for the other
/// side (eager).
inline constexpr std::uint32_t messages_of_burst = 64;
/// So many exchanges say how long one takes, before the blocks are measured.
inline constexpr std::uint32_t exchanges_for_a_look = 20;

}  // namespace commmap
