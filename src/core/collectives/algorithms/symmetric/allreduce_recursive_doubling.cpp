// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/algorithms/algorithms.hpp"
#include "core/collectives/algorithms/members.hpp"

namespace commmap {

/// Pairs at distance 1, 2, 4, ... exchange their partial results. Members beyond a power of two
/// give their data to their neighbour first, and get the result at the end.
/// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
/// MPICH", 2005, Sec. 4.5.
void allreduce_recursive_doubling(const CollectiveCall& call,
                                  std::vector<ScheduledMessage>& messages) {
    if (call.num_members < 2) return;
    const PowerOfTwoGroup group(call.num_members);
    std::uint64_t step = next_step(messages);
    for (std::uint32_t p = 0; p < group.rest; ++p) {
        messages.push_back({2 * p, 2 * p + 1, call.payload_bytes, step});
    }
    if (group.rest > 0) ++step;
    for (std::uint32_t distance = 1; distance < group.size; distance *= 2, ++step) {
        for (std::uint32_t i = 0; i < group.size; ++i) {
            messages.push_back({group.member(i, true), group.member(i ^ distance, true),
                                call.payload_bytes, step});
        }
    }
    for (std::uint32_t p = 0; p < group.rest; ++p) {
        messages.push_back({2 * p + 1, 2 * p, call.payload_bytes, step});
    }
}

}  // namespace commmap
