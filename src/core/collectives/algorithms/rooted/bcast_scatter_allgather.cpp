// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <bit>
#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"
#include "core/collectives/algorithms/members.hpp"
#include "core/collectives/algorithms/rooted/bcast_parts.hpp"

namespace commmap {

/// The root scatters the payload down a binomial tree. Then all members gather the parts: by
/// recursive doubling if their number is a power of two, else round a ring.
/// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
/// MPICH", 2005, Sec. 4.2.
void bcast_scatter_allgather(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const std::uint32_t n = call.num_members;
    if (n < 2) return;
    scatter_parts(call, messages);
    if (!std::has_single_bit(n)) {
        allgather_parts_round_ring(call, messages);
        return;
    }
    const FromRoot from_root{n, call.root};
    const Blocks blocks{call.payload_bytes, n};
    std::uint64_t step = next_step(messages);
    for (std::uint32_t distance = 1; distance < n; distance *= 2, ++step) {
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t first = i / distance * distance;
            messages.push_back({from_root.member(i), from_root.member(i ^ distance),
                                blocks.bytes(first, first + distance), step});
        }
    }
}

}  // namespace commmap
