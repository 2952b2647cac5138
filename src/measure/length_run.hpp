// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "core/calibration/measuring_text.hpp"
#include "measure/nodes.hpp"

namespace commmap::measure {

/// Measures the message lengths of one series. Holds the ranks that take part, and what each of
/// them sends.
class LengthRun {
public:
    /// @param comm   the ranks of the series and no others
    /// @param pairs  ranks of `comm`
    LengthRun(MeasuringPattern pattern, MPI_Comm comm, std::vector<RankPair> pairs);

    /// Measures one message length; lengths ascend. All ranks of the series call it and get the
    /// same values (Measured::blocks); none when the blocks would take longer than
    /// most_seconds_of_length, unless this length is the first.
    /// Blocks are measured one after another, with a barrier before each. The time of a block is
    /// that of the rank that took longest.
    [[nodiscard]] std::vector<double> measure(std::uint64_t length_bytes);

private:
    void round_trips(int length, std::uint32_t times);
    void streams(int length, std::uint32_t times);
    [[nodiscard]] double seconds_of(std::uint64_t length_bytes, std::uint32_t times);

    MeasuringPattern pattern_;
    MPI_Comm comm_;
    std::vector<RankPair> pairs_;
    std::vector<int> to_;    ///< to which ranks this rank sends
    std::vector<int> from_;  ///< from which it receives
    /// seconds that an exchange of the last length took for each of its bytes; 0: there is none
    double seconds_per_byte_ = 0.0;
    std::vector<char> sent_;
    std::vector<char> received_;
};

}  // namespace commmap::measure
