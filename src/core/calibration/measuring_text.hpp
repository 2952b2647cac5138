// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"

namespace commmap {

/// Says what the nodes of a series do for each message length.
enum class MeasuringPattern : unsigned char {
    /// A message goes there and one comes back, again and again, as in NetPIPE. The value is half
    /// the time.
    round_trips,
    /// Messages go in one direction, several at once. The value is their bandwidth.
    streams,
    /// Such messages go in both directions at once. The value is the bandwidth of both together.
    both_ways,
    /// Streams of all pairs go at once. The value is the bandwidth of each pair by itself. A node
    /// may be in several pairs.
    each_pair,
    /// Each node computes alone, without messages. The value is in seconds. A "length" is a number
    /// of dependent integer operations, and each pair is one node twice.
    work,
    /// One pair sends bursts of messages in one direction, and an answer. The value is the seconds
    /// that a burst takes longer for each message after its first.
    gaps,
    /// One pair sends messages there and back. The value is the seconds in MPI_Send.
    send_overheads,
    /// One pair sends messages there and back. The value is the seconds in MPI_Recv of a message
    /// that has come before.
    receive_overheads,
    /// All pairs send streams at once; no node is in two pairs. The value is the bandwidth of each
    /// pair while all of them sent, so the sum is what all got together.
    together
};

/// Tells whether one pair sends messages that are so short that only their number counts.
[[nodiscard]] constexpr bool is_of_short_messages(MeasuringPattern pattern) {
    return pattern == MeasuringPattern::gaps || pattern == MeasuringPattern::send_overheads ||
           pattern == MeasuringPattern::receive_overheads;
}

/// Returns the name of a pattern: "round-trips", "streams", "both-ways", "each-pair", "work",
/// "gaps", "send-overheads", "receive-overheads" or "together".
[[nodiscard]] std::string_view name_of(MeasuringPattern pattern);

/// Tells whether the measuring program answers with a line for each pair. Else one line stands for
/// all pairs.
[[nodiscard]] constexpr bool answers_by_pair(MeasuringPattern pattern) {
    return pattern == MeasuringPattern::each_pair || pattern == MeasuringPattern::work ||
           pattern == MeasuringPattern::together;
}

/// A series of measurements as the measuring program gets it: messages between pairs of nodes, all
/// pairs at once, for one message length after another.
struct NamedSeries {
    MeasuringPattern pattern = MeasuringPattern::round_trips;
    std::vector<std::uint64_t> lengths_bytes;                ///< ascending
    std::vector<std::pair<std::string, std::string>> pairs;  ///< names of sender and receiver
    friend bool operator==(const NamedSeries&, const NamedSeries&) = default;
};

/// Answer of the measuring program for one length of one series.
struct Measured {
    std::uint32_t series = 0;  ///< which, from 0
    std::uint64_t length_bytes = 0;
    /// A value for each block (blocks.hpp), of one pair or of all pairs together: seconds of half a
    /// round trip or of work, or bytes per second.
    std::vector<double> blocks;
    std::uint32_t pair = no_id;  ///< which of the series, from 0; no_id: all together
    friend bool operator==(const Measured&, const Measured&) = default;
};

/// Writes series, a line each: "PATTERN LENGTH,LENGTH,... SENDER>RECEIVER SENDER>RECEIVER ...".
/// PATTERN is what name_of() says; lengths are in bytes.
[[nodiscard]] std::string write_series(const std::vector<NamedSeries>& series);

/// Reads what write_series() writes.
/// Errors: invalid_input, with the number of the line.
[[nodiscard]] Result<std::vector<NamedSeries>> read_series(std::string_view text);

/// Writes a line, with its end: "measured SERIES LENGTH VALUE VALUE ...", and of one pair
/// "measured-pair SERIES PAIR LENGTH VALUE VALUE ...".
[[nodiscard]] std::string write_measured(const Measured& measured);

/// Reads a line of write_measured(), without its end. nullopt for any other line: an MPI may print
/// lines of its own.
[[nodiscard]] std::optional<Measured> read_measured(std::string_view line);

/// Writes the line, with its end, that names the MPI library: "library TEXT".
[[nodiscard]] std::string write_library(std::string_view name);

/// Reads a line of write_library(), without its end. nullopt for any other line.
[[nodiscard]] std::optional<std::string> read_library(std::string_view line);

}  // namespace commmap
