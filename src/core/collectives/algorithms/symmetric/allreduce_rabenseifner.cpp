// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"
#include "core/collectives/algorithms/halving.hpp"

namespace commmap {

/// Reduces and scatters by recursive halving. Then gathers by recursive doubling, over the same
/// pairs in reverse order.
/// In a pair beyond a power of two, each member reduces one half. The even member collects the
/// result and takes part.
/// Source: Rabenseifner, "Optimization of Collective Reduction Operations", ICCS 2004. The order of
/// distances (1, 2, 4, ... while halving) is Open MPI's redscat_allgather (coll_base_allreduce.c).
void allreduce_rabenseifner(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    if (call.num_members < 2) return;
    const PowerOfTwoGroup group(call.num_members);
    const Window all{0, call.payload_bytes};
    for (std::uint32_t p = 0; p < group.rest; ++p) {
        messages.push_back({2 * p, 2 * p + 1, all.half(true).bytes(), 0});
        messages.push_back({2 * p + 1, 2 * p, all.half(false).bytes(), 0});
        messages.push_back({2 * p + 1, 2 * p, all.half(true).bytes(), 1});
    }
    const auto windows = exchange_halves(group, call.payload_bytes, messages);
    std::uint64_t step = next_step(messages);
    for (std::size_t level = windows.size() - 1; level > 0; --level, ++step) {
        const std::uint32_t distance = std::uint32_t{1} << (level - 1);
        for (std::uint32_t i = 0; i < group.size; ++i) {
            messages.push_back({group.member(i, false), group.member(i ^ distance, false),
                                windows[level][i].bytes(), step});
        }
    }
    for (std::uint32_t p = 0; p < group.rest; ++p) {
        messages.push_back({2 * p, 2 * p + 1, call.payload_bytes, step});
    }
}

}  // namespace commmap
