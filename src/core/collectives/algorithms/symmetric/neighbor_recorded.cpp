#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

void neighbor_recorded(const CollectiveCall& /*call*/,
                       std::vector<ScheduledMessage>& /*messages*/) {}

}  // namespace commmap
