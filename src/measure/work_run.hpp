// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "measure/nodes.hpp"

namespace commmap::measure {

/// Lets all nodes of a series compute at once (MeasuringPattern::work).
class WorkRun {
public:
    /// @param comm   the ranks of the series and no others
    /// @param nodes  ranks of `comm`, each as its own partner
    WorkRun(MPI_Comm comm, std::vector<RankPair> nodes);

    /// Runs a chain of dependent operations in each block, without a barrier between blocks. Where
    /// nodes are emulated, a rank that waits would take a CPU from one that computes.
    /// @return  of each node the seconds of each of its blocks; all ranks get the same
    [[nodiscard]] std::vector<std::vector<double>> measure(std::uint64_t operations);

private:
    MPI_Comm comm_;
    std::vector<RankPair> nodes_;
};

}  // namespace commmap::measure
