// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// Every other member sends its block to the root.
/// Source: Open MPI, coll_base_gather.c, basic_linear (and linear_sync, whose extra empty messages
/// are left out).
void gather_linear(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const std::uint64_t step = next_step(messages);
    for (std::uint32_t i = 0; i < call.num_members; ++i) {
        if (i != call.root) messages.push_back({i, call.root, call.payload_bytes, step});
    }
}

}  // namespace commmap
