// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"
#include "core/collectives/algorithms/members.hpp"

namespace commmap {

/// In step k, every member sends a block to the member k further on: its data for that member's
/// result.
/// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
/// MPICH", 2005, Sec. 4.4, for long messages.
void reduce_scatter_pairwise(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const std::uint64_t n = call.num_members;
    const Blocks blocks{call.payload_bytes, call.num_members};
    std::uint64_t step = next_step(messages);
    for (std::uint64_t distance = 1; distance < n; ++distance, ++step) {
        for (std::uint32_t i = 0; i < n; ++i) {
            const auto to = static_cast<std::uint32_t>((i + distance) % n);
            messages.push_back({i, to, blocks.bytes(to, to + 1), step});
        }
    }
}

}  // namespace commmap
