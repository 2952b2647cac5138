// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "core/calibration/measuring_text.hpp"
#include "measure/nodes.hpp"

namespace commmap::measure {

/// Measures how long short messages keep a pair busy: the patterns gaps, send_overheads and
/// receive_overheads.
/// Source: overheads o and gap g of Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995.
class ShortRun {
public:
    /// @param comm   the two ranks of the pair and no others
    /// @param pairs  one pair, of ranks of `comm`
    ShortRun(MeasuringPattern pattern, MPI_Comm comm, const std::vector<RankPair>& pairs);

    /// Measures one message length. Both ranks call it and get the same values (Measured::blocks).
    /// A block takes seconds_of_block.
    [[nodiscard]] std::vector<double> measure(std::uint64_t length_bytes);

private:
    /// One message or several there, and an answer back.
    void exchange(std::uint32_t messages);
    /// @return  seconds of an exchange, as the sender sees it
    [[nodiscard]] double seconds_of(std::uint32_t messages, std::uint32_t times);
    /// @return  the middle one of the times in MPI_Send, at the sender
    [[nodiscard]] double send_s(std::uint32_t times);
    /// @return  the middle one of the times in MPI_Recv of a message that is there, at the receiver
    [[nodiscard]] double receive_s(std::uint32_t times, double until_there_s);

    MeasuringPattern pattern_;
    MPI_Comm comm_;
    RankPair pair_;
    int own_ = 0;
    int length_ = 0;
    std::vector<char> sent_;
    std::vector<char> received_;
    std::vector<MPI_Request> requests_;
};

}  // namespace commmap::measure
