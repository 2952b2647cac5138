// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/collectives/schedule.hpp"

#include <algorithm>

namespace commmap {

std::uint64_t next_step(std::span<const ScheduledMessage> messages) {
    std::uint64_t step = 0;
    for (const ScheduledMessage& message : messages)
        step = std::max(step, message.step + message.count);
    return step;
}

}  // namespace commmap
