// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// In step k, every member tells the member 2^k further on. After ceil(log2 n) steps, every member
/// knows of all others.
/// Source: Hensgen, Finkel, Manber, "Two Algorithms for Barrier Synchronization", IJPP 17(1), 1988.
void barrier_dissemination(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const std::uint64_t n = call.num_members;
    std::uint64_t step = next_step(messages);
    for (std::uint64_t distance = 1; distance < n; distance *= 2, ++step) {
        for (std::uint32_t i = 0; i < n; ++i) {
            messages.push_back({i, static_cast<std::uint32_t>((i + distance) % n), 0, step});
        }
    }
}

}  // namespace commmap
