// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/algorithms/algorithms.hpp"
#include "core/collectives/algorithms/rooted/bcast_parts.hpp"

namespace commmap {

/// The root scatters the payload down a binomial tree. Then all members gather the parts round a
/// ring, even if their number is a power of two.
/// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
/// MPICH", 2005, Sec. 4.2, for the longest messages.
void bcast_scatter_ring(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    if (call.num_members < 2) return;
    scatter_parts(call, messages);
    allgather_parts_round_ring(call, messages);
}

}  // namespace commmap
