// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/inside/collective_times.hpp"
#include "core/profile/collective_op.hpp"

namespace commmap::inside {

/// A collective call to be timed, natively and by another algorithm.
struct CallToTime {
    CollectiveOp op = CollectiveOp::barrier;
    std::uint64_t bytes = 0;  ///< as Choices counts them
    bool operator==(const CallToTime&) const = default;
};

/// Times of one round: both calls were made one after the other.
struct TimedRound {
    double native_s = 0.0;
    double algorithm_s = 0.0;
    bool operator==(const TimedRound&) const = default;
};

struct TimedCall {
    CallToTime call;
    std::vector<TimedRound> rounds;
    bool operator==(const TimedCall&) const = default;
};

/// An algorithm that was slower by far in each of the first rounds is not timed in more: nobody
/// chooses it.
inline constexpr std::uint32_t rounds_of_slow_ones = 5;
inline constexpr double gain_of_slow_ones = 0.8;
/// Other calls are timed in so many rounds at least, and in more until seconds_of_call are over.
inline constexpr std::uint32_t least_rounds = 9;
inline constexpr std::uint32_t most_rounds = 101;
inline constexpr double seconds_of_call = 1.0;
/// The longest message of a call.
inline constexpr std::uint64_t most_bytes_timed = std::uint64_t{1} << 26U;

/// Writes calls for the measuring program, a line each: "bcast 65536".
[[nodiscard]] std::string write_calls(std::span<const CallToTime> calls);
/// Reads what write_calls() writes.
/// Errors: invalid_input, with the number of the line.
[[nodiscard]] Result<std::vector<CallToTime>> read_calls(std::string_view text);

/// Writes what was timed, a line with its end: "timed bcast 65536 NATIVE OTHER NATIVE OTHER ...",
/// in seconds.
[[nodiscard]] std::string write_timed(const TimedCall& timed);
/// Reads a line of write_timed(), without its end. nullopt for any other line: an MPI may print
/// lines of its own.
[[nodiscard]] std::optional<TimedCall> read_timed(std::string_view line);

/// Returns the medians of a call, and the lower end of the 95 % interval of the rounds' median
/// gain: the highest order statistic that is below the median with that probability. Of fewer than
/// six rounds it is the lowest gain.
/// @pre at least rounds_of_slow_ones rounds
[[nodiscard]] MeasuredCall summary_of(const TimedCall& timed);

}  // namespace commmap::inside
