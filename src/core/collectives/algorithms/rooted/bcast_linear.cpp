// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// The root sends the data to every other member.
/// Source: Open MPI, coll_base_bcast.c, basic_linear.
void bcast_linear(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const std::uint64_t step = next_step(messages);
    for (std::uint32_t i = 0; i < call.num_members; ++i) {
        if (i != call.root) messages.push_back({call.root, i, call.payload_bytes, step});
    }
}

}  // namespace commmap
