// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// In step k, every member sends blocks to the member 2^k further on: all blocks whose remaining
/// distance has bit k set.
/// Source: Bruck, Ho, Kipnis, Upfal, Weathersby, IEEE TPDS 8(11), 1997.
void alltoall_bruck(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const std::uint64_t n = call.num_members;
    std::uint64_t step = next_step(messages);
    for (std::uint64_t distance = 1; distance < n; distance *= 2, ++step) {
        // Counts the distances below n with the bit set: whole periods, then the rest of the last.
        const std::uint64_t rest = n % (2 * distance);
        const std::uint64_t num_blocks =
            n / (2 * distance) * distance + (rest > distance ? rest - distance : 0);
        for (std::uint32_t i = 0; i < n; ++i) {
            messages.push_back({i, static_cast<std::uint32_t>((i + distance) % n),
                                num_blocks * call.payload_bytes, step});
        }
    }
}

}  // namespace commmap
