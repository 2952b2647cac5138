// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// Does an allreduce without data: pairs at distance 1, 2, 4, ... tell each other.
/// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
/// MPICH", 2005, Sec. 4.5.
void barrier_recursive_doubling(const CollectiveCall& call,
                                std::vector<ScheduledMessage>& messages) {
    allreduce_recursive_doubling({call.num_members, 0, 0}, messages);
}

}  // namespace commmap
