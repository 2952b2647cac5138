// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// Each member passes every block on to the next member, except that member's own block.
/// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
/// MPICH", 2005, Sec. 4.1.
void allgather_ring(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const std::uint32_t n = call.num_members;
    if (n < 2) return;
    const std::uint64_t step = next_step(messages);
    for (std::uint32_t i = 0; i < n; ++i) {
        messages.push_back({i, (i + 1) % n, call.payload_bytes, step, n - 1});
    }
}

}  // namespace commmap
