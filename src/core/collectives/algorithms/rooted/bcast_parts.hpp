// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "core/collectives/schedule.hpp"

namespace commmap {

/// Two functions make the halves of a broadcast of a long payload. Parts are numbered from the
/// root.

/// Appends the scatter: the root sends the payload down a binomial tree, and each member gets one
/// part.
void scatter_parts(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);

/// Appends the allgather: all members pass their parts on round a ring, until each member has every
/// part.
void allgather_parts_round_ring(const CollectiveCall& call,
                                std::vector<ScheduledMessage>& messages);

}  // namespace commmap
