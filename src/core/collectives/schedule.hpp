#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace commmap {

/// One call of one collective: who takes part, who is the root, how much.
struct CollectiveCall {
    std::uint32_t num_members = 0;
    std::uint32_t root = 0;           ///< index among the members; 0 where there is none
    std::uint64_t payload_bytes = 0;  ///< as CollectiveRecord::bytes_per_call()
};

/// Equal messages of a schedule, between member indices, one in each of `count` steps.
///
/// A member sends in a step once all that it receives in earlier steps has come. What it receives
/// in the same step it does not wait for.
struct ScheduledMessage {
    std::uint32_t source;
    std::uint32_t destination;
    std::uint64_t bytes;      ///< of one of them
    std::uint64_t step;       ///< of the first one
    std::uint64_t count = 1;  ///< so that a ring of n members takes n entries, not n * n
};

/// The step behind all that is there. Cost: O(messages).
[[nodiscard]] std::uint64_t next_step(std::span<const ScheduledMessage> messages);

/// A collective algorithm: appends the messages of one call. One algorithm = one file.
using ScheduleFunction = void (*)(const CollectiveCall& call,
                                  std::vector<ScheduledMessage>& messages);

}  // namespace commmap
