// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/algorithms/rooted/bcast_parts.hpp"

#include <bit>
#include <cstdint>

#include "core/collectives/algorithms/members.hpp"

namespace commmap {
namespace {

/// Returns the first member after the subtree of i. In this tree, clearing the lowest set bit of a
/// member gives its parent.
std::uint32_t subtree_end(std::uint32_t i, std::uint32_t num_members) {
    const std::uint64_t width = i == 0 ? num_members : std::uint64_t{1} << std::countr_zero(i);
    const std::uint64_t end = i + width;
    return end < num_members ? static_cast<std::uint32_t>(end) : num_members;
}

}  // namespace

void scatter_parts(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const std::uint32_t n = call.num_members;
    const FromRoot from_root{n, call.root};
    const Blocks blocks{call.payload_bytes, n};
    std::uint64_t step = next_step(messages);
    for (std::uint32_t distance = std::bit_ceil(n) / 2; distance > 0; distance /= 2, ++step) {
        for (std::uint64_t i = 0; i + distance < n; i += 2 * std::uint64_t{distance}) {
            const auto child = static_cast<std::uint32_t>(i + distance);
            messages.push_back({from_root.member(static_cast<std::uint32_t>(i)),
                                from_root.member(child), blocks.bytes(child, subtree_end(child, n)),
                                step});
        }
    }
}

void allgather_parts_round_ring(const CollectiveCall& call,
                                std::vector<ScheduledMessage>& messages) {
    const std::uint32_t n = call.num_members;
    const FromRoot from_root{n, call.root};
    // Member i passes on every part but that with which the next member began.
    const std::uint64_t small = call.payload_bytes / n;
    const auto num_large = static_cast<std::uint32_t>(call.payload_bytes % n);
    const std::uint64_t step = next_step(messages);
    for (std::uint32_t i = 0; i < n; ++i) {
        const bool skips_large = (i + 1) % n < num_large;
        const std::uint32_t large = num_large - (skips_large ? 1U : 0U);
        const std::uint32_t next = from_root.member((i + 1) % n);
        if (large > 0) messages.push_back({from_root.member(i), next, small + 1, step, large});
        if (n - 1 > large)
            messages.push_back({from_root.member(i), next, small, step + large, n - 1 - large});
    }
}

}  // namespace commmap
