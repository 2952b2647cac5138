// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <bit>
#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// Pairs at distance 1, 2, 4, ... exchange all their blocks. If the number of members is not a
/// power of two, the call becomes allgather_bruck, as in Open MPI.
/// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
/// MPICH", 2005, Sec. 4.1.
void allgather_recursive_doubling(const CollectiveCall& call,
                                  std::vector<ScheduledMessage>& messages) {
    if (!std::has_single_bit(call.num_members)) return allgather_bruck(call, messages);
    std::uint64_t step = next_step(messages);
    for (std::uint32_t distance = 1; distance < call.num_members; distance *= 2, ++step) {
        for (std::uint32_t i = 0; i < call.num_members; ++i) {
            messages.push_back({i, i ^ distance, distance * call.payload_bytes, step});
        }
    }
}

}  // namespace commmap
