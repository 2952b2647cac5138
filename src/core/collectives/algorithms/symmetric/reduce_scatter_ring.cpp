// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// The first half of allreduce_ring: every member sends every block but its own to the next member.
/// Source: Patarasuk, Yuan, JPDC 69(2), 2009; Open MPI, coll_base_reduce_scatter.c, ring.
void reduce_scatter_ring(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const std::uint32_t n = call.num_members;
    if (n < 2) return;
    const std::uint64_t small = call.payload_bytes / n;
    const auto num_large = static_cast<std::uint32_t>(call.payload_bytes % n);
    const std::uint64_t step = next_step(messages);
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t large = num_large - (i < num_large ? 1U : 0U);
        if (large > 0) messages.push_back({i, (i + 1) % n, small + 1, step, large});
        if (n - 1 > large) messages.push_back({i, (i + 1) % n, small, step + large, n - 1 - large});
    }
}

}  // namespace commmap
