// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

/// The root sends each other member its block.
/// Source: Open MPI, coll_base_scatter.c, basic_linear (and linear_nb).
void scatter_linear(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    bcast_linear(call, messages);
}

}  // namespace commmap
