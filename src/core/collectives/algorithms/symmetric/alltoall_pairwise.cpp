// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// In step k, every member sends one block to the member k further on.
/// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
/// MPICH", 2005, Sec. 4.3.
/// Open MPI's linear and linear_sync send the same messages in another order. Estimators ignore the
/// order; the simulation takes that of this schedule.
void alltoall_pairwise(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const std::uint64_t n = call.num_members;
    std::uint64_t step = next_step(messages);
    for (std::uint64_t distance = 1; distance < n; ++distance, ++step) {
        for (std::uint32_t i = 0; i < n; ++i) {
            messages.push_back(
                {i, static_cast<std::uint32_t>((i + distance) % n), call.payload_bytes, step});
        }
    }
}

}  // namespace commmap
