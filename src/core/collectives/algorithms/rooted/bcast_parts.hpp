#pragma once

#include <vector>

#include "core/collectives/schedule.hpp"

namespace commmap {

/// What broadcasts of long payloads are made of. Parts are numbered from the root.

/// The root scatters the payload down a binomial tree: each member gets one part.
void scatter_parts(const CollectiveCall& call, std::vector<ScheduledMessage>& messages);

/// All pass their parts on round a ring, until each has every part.
void allgather_parts_round_ring(const CollectiveCall& call,
                                std::vector<ScheduledMessage>& messages);

}  // namespace commmap
