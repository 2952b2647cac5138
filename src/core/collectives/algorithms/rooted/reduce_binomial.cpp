// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"
#include "core/collectives/algorithms/members.hpp"

namespace commmap {

/// Numbers the members from the root. In step k, each member whose lowest set bit is k sends its
/// partial result to the member 2^k before.
/// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
/// MPICH", 2005, Sec. 4.4. The tree is Open MPI's in-order bmtree (coll_base_topo.c).
void reduce_binomial(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const FromRoot from_root{call.num_members, call.root};
    std::uint64_t step = next_step(messages);
    for (std::uint64_t distance = 1; distance < call.num_members; distance *= 2, ++step) {
        for (std::uint64_t i = distance; i < call.num_members; i += 2 * distance) {
            messages.push_back({from_root.member(static_cast<std::uint32_t>(i)),
                                from_root.member(static_cast<std::uint32_t>(i - distance)),
                                call.payload_bytes, step});
        }
    }
}

}  // namespace commmap
