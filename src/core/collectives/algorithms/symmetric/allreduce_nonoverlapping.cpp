// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// Reduces to member 0, then broadcasts from member 0, both on binomial trees.
/// Source: Open MPI, coll_base_allreduce.c, nonoverlapping.
void allreduce_nonoverlapping(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    const CollectiveCall from_first{call.num_members, 0, call.payload_bytes};
    reduce_binomial(from_first, messages);
    bcast_binomial(from_first, messages);
}

}  // namespace commmap
