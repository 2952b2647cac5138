// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"
#include "core/collectives/algorithms/members.hpp"

namespace commmap {

/// Numbers the members from the root. In step k, the members below 2^k have the data, and each
/// sends the data to the member 2^k further on.
/// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
/// MPICH", 2005, Sec. 4.2. The tree is Open MPI's bmtree (coll_base_topo.c), in which clearing the
/// highest bit of a member gives its parent.
void bcast_binomial(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const FromRoot from_root{call.num_members, call.root};
    std::uint64_t step = next_step(messages);
    for (std::uint64_t distance = 1; distance < call.num_members; distance *= 2, ++step) {
        for (std::uint64_t i = 0; i < distance && i + distance < call.num_members; ++i) {
            messages.push_back({from_root.member(static_cast<std::uint32_t>(i)),
                                from_root.member(static_cast<std::uint32_t>(i + distance)),
                                call.payload_bytes, step});
        }
    }
}

}  // namespace commmap
