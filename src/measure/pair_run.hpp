// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "measure/nodes.hpp"

namespace commmap::measure {

/// Measures several pairs at once, and times each pair by itself (MeasuringPattern::each_pair).
///
/// All pairs begin together and send the same number of messages, so a slow pair ends later. A very
/// slow pair sends fewer messages (messages_of_pairs()). A node in several pairs serves them
/// independently: a slow pair holds up no other pair.
class PairRun {
public:
    /// @param comm   the ranks of the series and no others
    /// @param pairs  ranks of `comm`
    PairRun(MPI_Comm comm, std::vector<RankPair> pairs);

    /// Measures one message length. All ranks of the series call it and get the same values.
    /// @return  of each pair its bandwidth in bytes per second, a value for each block
    /// A block takes seconds_of_stream_block for the pair in the middle. The time of a pair is the
    /// longer of its sender's and its receiver's.
    [[nodiscard]] std::vector<std::vector<double>> measure(std::uint64_t length_bytes);

private:
    /// One direction of a pair, as this rank sees it.
    struct Stream {
        std::size_t pair;
        int partner;
        bool sends;
    };
    /// @param messages  how many each pair sends; the same for all ranks
    /// @return  the seconds of each pair, from the common beginning
    [[nodiscard]] std::vector<double> seconds_of(int length_bytes,
                                                 const std::vector<std::uint32_t>& messages);

    MPI_Comm comm_;
    std::size_t num_pairs_;
    std::vector<Stream> own_;
    std::vector<char> sent_;
    std::vector<char> received_;
};

}  // namespace commmap::measure
