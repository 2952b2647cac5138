// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/bench_program.hpp"

namespace commmap::bench {

/// One neighbour of a rank: both send `bytes` to each other once an iteration.
struct Neighbour {
    int rank = 0;
    std::uint64_t bytes = 0;
    int send_channel = 0;     ///< tag of the message to the neighbour
    int receive_channel = 0;  ///< tag of the message from it
};

/// A round of nonblocking messages with a fixed set of neighbours: receives first, then sends, then
/// one wait for all, then the check of all that arrived.
class NeighbourExchange {
public:
    /// `context` must outlive the exchange.
    NeighbourExchange(RunContext& context, std::vector<Neighbour> neighbours);

    /// Throws CheckError when a byte that arrived is not the byte that was sent.
    void run(std::uint64_t iteration);

    [[nodiscard]] std::uint64_t max_message_bytes() const;

private:
    RunContext& context_;
    std::vector<Neighbour> neighbours_;
    std::vector<std::vector<std::byte>> outgoing_;
    std::vector<std::vector<std::byte>> incoming_;
    std::vector<MPI_Request> requests_;
};

}  // namespace commmap::bench
