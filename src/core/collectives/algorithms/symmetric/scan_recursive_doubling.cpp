// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// Pairs at distance 1, 2, 4, ... exchange their partial results, where both members exist. Scan
/// and exscan send the same messages.
/// Source: MPICH, scan_intra_recursive_doubling.c and exscan_intra_recursive_doubling.c.
void scan_recursive_doubling(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    std::uint64_t step = next_step(messages);
    for (std::uint64_t distance = 1; distance < call.num_members; distance *= 2, ++step) {
        for (std::uint32_t i = 0; i < call.num_members; ++i) {
            const auto peer = static_cast<std::uint32_t>(i ^ distance);
            if (peer < call.num_members) messages.push_back({i, peer, call.payload_bytes, step});
        }
    }
}

}  // namespace commmap
