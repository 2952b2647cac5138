// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"
#include "core/collectives/algorithms/members.hpp"

namespace commmap {

/// Pairs at distance n/2, n/4, ... exchange halves of their blocks: each member sends the half that
/// its peer needs.
/// In a pair beyond a power of two, the even member gives its data to the odd member. The odd
/// member reduces the blocks of both, and returns the other's block at the end.
/// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
/// MPICH", 2005, Sec. 4.4.
void reduce_scatter_halving(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    if (call.num_members < 2) return;
    const PowerOfTwoGroup group(call.num_members);
    const Blocks blocks{call.payload_bytes, call.num_members};
    // Returns the first block of participant i. A participant that stands for a pair owns two.
    const auto first_block = [&](std::uint32_t i) {
        return i < group.rest ? 2 * i : i + group.rest;
    };
    std::uint64_t step = next_step(messages);
    for (std::uint32_t p = 0; p < group.rest; ++p) {
        messages.push_back({2 * p, 2 * p + 1, call.payload_bytes, step});
    }
    if (group.rest > 0) ++step;
    for (std::uint32_t distance = group.size / 2; distance > 0; distance /= 2, ++step) {
        for (std::uint32_t i = 0; i < group.size; ++i) {
            const std::uint32_t peer = i ^ distance;
            const std::uint32_t first =
                peer / distance * distance;  // first participant of the half that the peer needs
            messages.push_back({group.member(i, true), group.member(peer, true),
                                blocks.bytes(first_block(first), first_block(first + distance)),
                                step});
        }
    }
    for (std::uint32_t p = 0; p < group.rest; ++p) {
        messages.push_back({2 * p + 1, 2 * p, blocks.bytes(2 * p, 2 * p + 1), step});
    }
}

}  // namespace commmap
