// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"
#include "core/collectives/algorithms/members.hpp"

namespace commmap {

/// Uses the tree of reduce_binomial. A member sends the blocks of its whole subtree.
/// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
/// MPICH", 2005, Sec. 4; Open MPI, coll_base_gather.c, binomial.
void gather_binomial(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const FromRoot from_root{call.num_members, call.root};
    const std::uint64_t n = call.num_members;
    std::uint64_t step = next_step(messages);
    for (std::uint64_t distance = 1; distance < n; distance *= 2, ++step) {
        for (std::uint64_t i = distance; i < n; i += 2 * distance) {
            const std::uint64_t num_blocks = std::min(distance, n - i);
            messages.push_back({from_root.member(static_cast<std::uint32_t>(i)),
                                from_root.member(static_cast<std::uint32_t>(i - distance)),
                                num_blocks * call.payload_bytes, step});
        }
    }
}

}  // namespace commmap
