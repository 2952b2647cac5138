// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

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

/// Settings that decide into which messages collectives are expanded.
struct CollectiveChoice {
    std::optional<CollectiveRules> rules;  ///< empty: rules_of() the profile
    /// Tasks on each node of the job that is planned; nodes without tasks do not count. Empty:
    /// those of the profiled run.
    std::vector<std::uint32_t> tasks_per_node;
};

/// Chooses the algorithm of each collective call of a job.
class CollectiveSchedules {
public:
    CollectiveSchedules(const Profile& profile, const CollectiveChoice& choice);
    /// Returns the algorithm of a call. nullptr: the call is done in two levels by all ranks of the
    /// profile. Each node then sends and receives nearly the same in every order of the ranks.
    [[nodiscard]] const ScheduleInfo* algorithm(CollectiveOp op, const CollectiveCall& call) const;

private:
    CollectiveRules rules_;
    std::size_t num_ranks_;
    bool nodes_are_shared_ = false;  ///< there are several nodes, and some have several ranks
    bool nodes_are_equal_ = false;   ///< all nodes have the same number of ranks
};

/// The default limit of expand_profile() and expand_part().
inline constexpr std::size_t max_expanded_messages = std::size_t{1} << 22U;
/// Makes the communication graph that mappers and estimators use: the point-to-point traffic of the
/// profile plus the messages of its collectives. Two kinds of collectives are not expanded:
/// - Records with in_peer_traffic, whose messages are in the point-to-point traffic already.
/// - Collectives of all ranks in two levels, because each node moves nearly the same in every order
///   of ranks.
///
/// @param max_messages  an alltoall has as many messages as pairs of ranks, so that very many ranks
///                      exceed any memory
/// Errors: out_of_range above max_messages; the caller may go on without collectives.
/// Cost: O(messages log messages).
[[nodiscard]] Result<CommGraph> expand_profile(const Profile& profile,
                                               std::size_t max_messages = max_expanded_messages,
                                               const CollectiveChoice& choice = {});

/// Does the same for a part of the run.
/// @param sent  point-to-point traffic of each rank of the profile
[[nodiscard]] Result<CommGraph> expand_part(const Profile& profile, const TrafficMatrix& sent,
                                            std::span<const CollectiveRecord> collectives,
                                            std::size_t max_messages = max_expanded_messages,
                                            const CollectiveChoice& choice = {});

}  // namespace commmap
