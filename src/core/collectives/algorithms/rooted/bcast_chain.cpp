// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/algorithms/algorithms.hpp"
#include "core/collectives/algorithms/members.hpp"

namespace commmap {

/// Each member passes the data to the next member.
/// Source: Open MPI, coll_base_bcast.c, chain and pipeline. The fixed decision of 4.1 uses both
/// without segments, so a hop is one message.
void bcast_chain(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const FromRoot from_root{call.num_members, call.root};
    std::uint64_t step = next_step(messages);
    for (std::uint32_t i = 0; i + 1 < call.num_members; ++i, ++step) {
        messages.push_back(
            {from_root.member(i), from_root.member(i + 1), call.payload_bytes, step});
    }
}

}  // namespace commmap
