#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/collective_rules.hpp"
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

struct ScheduleInfo {
    std::string_view name;  ///< "bcast_binomial"
    CollectiveOp op;
    std::string_view source;  ///< where the algorithm is described
    ScheduleFunction expand;
    bool all_pairs = false;  ///< as many messages as there are pairs of members
};

/// All algorithms; explicit, no static constructors.
[[nodiscard]] std::span<const ScheduleInfo> schedule_table();

/// Those of the library that the profile names; Open MPI 4's where that is none we know.
[[nodiscard]] CollectiveRules rules_of(const Profile& profile);

/// The algorithm that an MPI library's rules would take where the members' nodes are not looked at,
/// or the nearest one we have (collectives.md says for which sizes it differs).
[[nodiscard]] const ScheduleInfo& choose_schedule(CollectiveRules rules, CollectiveOp op,
                                                  const CollectiveCall& call);

/// Whether the library does this call in two levels, inside nodes and between one rank of each,
/// where the members are on several nodes, and several of them on some.
/// @param equal_nodes  as many members on each
[[nodiscard]] bool has_two_levels(CollectiveRules rules, CollectiveOp op,
                                  const CollectiveCall& call, bool equal_nodes);

/// What decides which messages collectives become.
struct CollectiveChoice {
    std::optional<CollectiveRules> rules;  ///< empty: rules_of() the profile
    /// By node, of the job that is planned for; nodes without tasks do not count. Empty: those of
    /// the profiled run.
    std::vector<std::uint32_t> tasks_per_node;
};

/// Which algorithm each call of a job takes.
class CollectiveSchedules {
public:
    CollectiveSchedules(const Profile& profile, const CollectiveChoice& choice);
    /// nullptr: in two levels, all ranks of the profile together. Each node then moves nearly the
    /// same in every order of ranks.
    [[nodiscard]] const ScheduleInfo* algorithm(CollectiveOp op, const CollectiveCall& call) const;

private:
    CollectiveRules rules_;
    std::size_t num_ranks_;
    bool nodes_are_shared_ = false;  ///< there are several, and several ranks on some
    bool nodes_are_equal_ = false;   ///< as many ranks on each
};

/// Point-to-point traffic of the profile plus the messages of its collectives: what the mappers and
/// estimators see. Records with in_peer_traffic are not expanded again, nor are collectives of all
/// ranks in two levels, of which each node moves nearly the same in every order of ranks.
/// Errors: out_of_range when the messages would exceed `max_messages` (an alltoall on very many
/// ranks is quadratic; the caller may go on without collectives). Cost: O(messages log messages).
inline constexpr std::size_t max_expanded_messages = std::size_t{1} << 22U;
[[nodiscard]] Result<CommGraph> expand_profile(const Profile& profile,
                                               std::size_t max_messages = max_expanded_messages,
                                               const CollectiveChoice& choice = {});

/// The same of a part of the run. @param sent  of each rank of the profile
[[nodiscard]] Result<CommGraph> expand_part(const Profile& profile, const TrafficMatrix& sent,
                                            std::span<const CollectiveRecord> collectives,
                                            std::size_t max_messages = max_expanded_messages,
                                            const CollectiveChoice& choice = {});

}  // namespace commmap
