// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// In step k, every member sends its blocks to the member 2^k before, but no more blocks than are
/// still missing there.
/// Source: Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient Algorithms for All-to-All
/// Communications in Multiport Message-Passing Systems", IEEE TPDS 8(11), 1997.
void allgather_bruck(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const std::uint64_t n = call.num_members;
    std::uint64_t step = next_step(messages);
    for (std::uint64_t distance = 1; distance < n; distance *= 2, ++step) {
        const std::uint64_t num_blocks = std::min(distance, n - distance);
        for (std::uint32_t i = 0; i < n; ++i) {
            messages.push_back({i, static_cast<std::uint32_t>((i + n - distance) % n),
                                num_blocks * call.payload_bytes, step});
        }
    }
}

}  // namespace commmap
