// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// Every other member sends its data to the root.
/// Source: Open MPI, coll_base_reduce.c, basic_linear.
void reduce_linear(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    gather_linear(call, messages);
}

}  // namespace commmap
