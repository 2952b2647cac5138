// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"
#include "core/collectives/algorithms/halving.hpp"

namespace commmap {

/// Reduces and scatters by recursive halving. Then gathers to the root by a binomial tree, over the
/// same pairs in reverse order.
/// In a pair beyond a power of two, the odd member gives its payload to the even member, which
/// takes part. A root that gave its payload away takes the place of member 0 for the gather.
/// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
/// MPICH", 2005, Sec. 4.5; MPICH, reduce_intra_reduce_scatter_gather.c.
void reduce_scatter_gather(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    if (call.num_members < 2) return;
    const PowerOfTwoGroup group(call.num_members);
    for (std::uint32_t p = 0; p < group.rest; ++p)
        messages.push_back({2 * p + 1, 2 * p, call.payload_bytes, 0});
    const auto windows = exchange_halves(group, call.payload_bytes, messages);
    std::uint64_t step = next_step(messages);
    const bool root_is_paired = call.root < 2 * group.rest;
    const bool root_takes_over = root_is_paired && call.root % 2 != 0;
    std::uint32_t root = root_is_paired ? call.root / 2 : call.root - group.rest;
    if (root_takes_over) {
        root = 0;
        messages.push_back({0, call.root, windows.back()[0].bytes(), step++});
    }
    const auto member = [&](std::uint32_t i) {
        return root_takes_over && i == 0 ? call.root : group.member(i, false);
    };
    for (std::size_t level = windows.size() - 1; level > 0; --level, ++step) {
        const std::uint32_t distance = std::uint32_t{1} << (level - 1);
        // Only participants whose higher bits are the root's still have data to send.
        for (std::uint32_t i = 0; i < group.size; ++i) {
            const std::uint32_t unlike = i ^ root;
            const bool sends = (unlike & distance) != 0 && unlike / (2 * distance) == 0;
            if (sends)
                messages.push_back(
                    {member(i), member(i ^ distance), windows[level][i].bytes(), step});
        }
    }
}

}  // namespace commmap
