// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace commmap::inside {

/// Ways to run a collective operation.
enum class AlgorithmKind : std::uint8_t {
    native,  ///< the MPI library's own call
    chain,   ///< bcast: segments go from one rank to the next
    ring,    ///< allgather, allreduce: blocks go round all ranks
};

struct Algorithm {
    AlgorithmKind kind = AlgorithmKind::native;
    std::uint32_t segment_bytes = 0;  ///< of a chain; 0 for the others
    bool operator==(const Algorithm&) const = default;
};

}  // namespace commmap::inside
