// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace commmap {

/// One call of a collective: the number of members, the root, and the payload.
struct CollectiveCall {
    std::uint32_t num_members = 0;
    std::uint32_t root = 0;           ///< index among the members; 0 when the operation has none
    std::uint64_t payload_bytes = 0;  ///< as CollectiveRecord::bytes_per_call()
};

/// Equal messages of a schedule, from one member to another: one message in each of `count`
/// consecutive steps.
///
/// A member sends in a step when all messages that it receives in earlier steps have arrived. It
/// does not wait for messages that it receives in the same step.
struct ScheduledMessage {
    std::uint32_t source;  ///< index among the members, and so is destination
    std::uint32_t destination;
    std::uint64_t bytes;      ///< of one message
    std::uint64_t step;       ///< of the first message
    std::uint64_t count = 1;  ///< so that a ring of n members takes n entries, not n * n
};

/// Returns the first step after all messages in the list.
/// Cost: O(messages).
[[nodiscard]] std::uint64_t next_step(std::span<const ScheduledMessage> messages);

/// A collective algorithm: a function that appends the messages of one call. One algorithm = one
/// file.
using ScheduleFunction = void (*)(const CollectiveCall& call,
                                  std::vector<ScheduledMessage>& messages);

}  // namespace commmap
