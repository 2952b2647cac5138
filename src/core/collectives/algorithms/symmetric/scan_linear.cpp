// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// Each member adds its part to the sum of the member before, and passes the new sum on. Scan and
/// exscan send the same messages.
/// Source: Open MPI, coll_base_scan.c and coll_base_exscan.c, linear.
void scan_linear(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    std::uint64_t step = next_step(messages);
    for (std::uint32_t i = 0; i + 1 < call.num_members; ++i, ++step) {
        messages.push_back({i, i + 1, call.payload_bytes, step});
    }
}

}  // namespace commmap
