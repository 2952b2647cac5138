#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/profile/comm_graph.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

/// One call of one collective: who takes part, who is the root, how much.
struct CollectiveCall {
    std::uint32_t num_members = 0;
    std::uint32_t root = 0;           ///< index among the members; 0 where there is none
    std::uint64_t payload_bytes = 0;  ///< as CollectiveRecord::bytes_per_call()
};

/// Equal messages of a schedule, between member indices.
struct ScheduledMessage {
    std::uint32_t source;
    std::uint32_t destination;
    std::uint64_t bytes;      ///< of one of them
    std::uint64_t count = 1;  ///< so that a ring of n members takes n entries, not n * n
};

/// A collective algorithm: appends the messages of one call. One algorithm = one file.
using ScheduleFunction = void (*)(const CollectiveCall& call,
                                  std::vector<ScheduledMessage>& messages);

struct ScheduleInfo {
    std::string_view name;  ///< "bcast_binomial"
    CollectiveOp op;
    std::string_view source;  ///< where the algorithm is described
    ScheduleFunction expand;
};

/// All algorithms; explicit, no static constructors.
[[nodiscard]] std::span<const ScheduleInfo> schedule_table();

/// The algorithm that Open MPI 4.1's fixed decision rules would take, or the nearest one we have
/// (collectives.md says for which sizes it differs). Never null.
[[nodiscard]] const ScheduleInfo& choose_schedule(CollectiveOp op, const CollectiveCall& call);

/// Point-to-point traffic of the profile plus the messages of its collectives: what the mappers and
/// estimators see. Records with in_peer_traffic are not expanded again. Errors: out_of_range when
/// the messages would exceed `max_messages` (an alltoall on very many ranks is quadratic; the
/// caller may go on without collectives). Cost: O(messages log messages).
inline constexpr std::size_t max_expanded_messages = std::size_t{1} << 22U;
[[nodiscard]] Result<CommGraph> expand_profile(const Profile& profile,
                                               std::size_t max_messages = max_expanded_messages);

/// The same of a part of the run. @param sent  of each rank of the profile
[[nodiscard]] Result<CommGraph> expand_part(const Profile& profile, const TrafficMatrix& sent,
                                            std::span<const CollectiveRecord> collectives,
                                            std::size_t max_messages = max_expanded_messages);

}  // namespace commmap
