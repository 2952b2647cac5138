// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/algorithms/algorithms.hpp"
#include "core/collectives/algorithms/members.hpp"

namespace commmap {

/// Begins at the member furthest from the root. Each member adds its part, and passes the sum on
/// towards the root.
/// Source: Open MPI, coll_base_reduce.c, chain and pipeline. The fixed decision of 4.1 uses both
/// without segments, so a hop is one message.
void reduce_chain(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const FromRoot from_root{call.num_members, call.root};
    std::uint64_t step = next_step(messages);
    for (std::uint32_t i = call.num_members; i-- > 1; ++step) {
        messages.push_back(
            {from_root.member(i), from_root.member(i - 1), call.payload_bytes, step});
    }
}

}  // namespace commmap
