// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace commmap::inside {

/// Ways to run a collective operation.
enum class AlgorithmKind : std::uint8_t {
    native,  ///< the MPI library's own call, by the algorithm that the library chooses
    chain,   ///< bcast: segments go from one rank to the next
    ring,    ///< allgather, allreduce: blocks go round all ranks
    tuned,   ///< an algorithm of Open MPI's component coll/tuned (tuned_algorithms.hpp)
};

struct Algorithm {
    AlgorithmKind kind = AlgorithmKind::native;
    std::uint32_t segment_bytes = 0;  ///< of a chain; of tuned: 0 for none; 0 for the others
    std::uint8_t number = 0;          ///< of tuned; 0 for the others
    bool operator==(const Algorithm&) const = default;
};

}  // namespace commmap::inside
