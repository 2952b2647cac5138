// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/algorithms/algorithms.hpp"

namespace commmap {

void neighbor_recorded(const CollectiveCall& /*call*/,
                       std::vector<ScheduledMessage>& /*messages*/) {}

}  // namespace commmap
