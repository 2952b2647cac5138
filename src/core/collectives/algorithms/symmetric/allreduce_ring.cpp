// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// Reduces and scatters round the ring, then gathers round the ring. In both rounds of the ring,
/// every member sends every block but one to the next member.
/// Source: Patarasuk, Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations",
/// JPDC 69(2), 2009.
void allreduce_ring(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const std::uint32_t n = call.num_members;
    if (n < 2) return;
    const std::uint64_t small = call.payload_bytes / n;
    const auto num_large =
        static_cast<std::uint32_t>(call.payload_bytes % n);  // the first blocks have a byte more
    const std::uint64_t step = next_step(messages);
    for (std::uint32_t i = 0; i < n; ++i) {
        // Member i sends neither block i + 1 while reducing, nor block i + 2 while gathering.
        const std::uint32_t skipped =
            ((i + 1) % n < num_large ? 1U : 0U) + ((i + 2) % n < num_large ? 1U : 0U);
        const std::uint32_t large = 2 * num_large - skipped;
        const std::uint32_t all = 2 * (n - 1);
        if (large > 0) messages.push_back({i, (i + 1) % n, small + 1, step, large});
        if (all > large) messages.push_back({i, (i + 1) % n, small, step + large, all - large});
    }
}

}  // namespace commmap
