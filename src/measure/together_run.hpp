// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "measure/nodes.hpp"

namespace commmap::measure {

/// Measures what several pairs get while all of them send (MeasuringPattern::together).
///
/// The rate counts between two moments: when each pair has got its first messages, which buffers
/// take in faster than a network drains them, and when the first pair has got its last one. From
/// then on the other pairs would have the network to themselves.
class TogetherRun {
public:
    /// @param comm   the ranks of the series and no others
    /// @param pairs  ranks of `comm`; no rank is in two pairs
    TogetherRun(MPI_Comm comm, std::vector<RankPair> pairs);

    /// Measures one message length; lengths ascend. All ranks of the series call it and get the
    /// same values.
    /// @return  of each pair its bandwidth in bytes per second, a value for each block; nothing
    ///          when the blocks would take longer than most_seconds_of_together_length, unless this
    ///          length is the first
    [[nodiscard]] std::vector<std::vector<double>> measure(std::uint64_t length_bytes);

private:
    /// @return  at a receiver, the seconds after which each message had come; else nothing
    [[nodiscard]] std::vector<double> times_of(int length_bytes, std::uint32_t messages);
    /// @return  the bandwidth of each pair
    [[nodiscard]] std::vector<double> block_of(std::uint64_t length_bytes, std::uint32_t messages);

    MPI_Comm comm_;
    std::vector<RankPair> pairs_;
    int own_ = 0;
    bool first_length_ = true;
    std::vector<char> sent_;
    std::vector<char> received_;
};

}  // namespace commmap::measure
