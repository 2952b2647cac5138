#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "commmap/result.hpp"
#include "core/base/collective_rules.hpp"
#include "core/collectives/expansion/schedule_table.hpp"
#include "core/profile/comm_graph.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

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
