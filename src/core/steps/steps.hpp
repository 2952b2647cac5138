// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "core/profile/profile.hpp"
#include "core/steps/replay.hpp"

namespace commmap {

/// A step of a run: what is in flight at the same time. Steps that are alike are added up.
struct Step {
    std::uint64_t count = 0;  ///< number of such steps that were replayed; 0: the rest of the run
    /// one-sided data count as messages of the rank from which they are fetched
    TrafficMatrix sent;
    /// For each rank, the number of rounds of the whole run in which it sends or puts messages of
    /// `sent`. A rank begins the messages of a round together, and waits for them together.
    std::vector<double> sending_rounds;
    std::vector<CollectiveRecord> collectives;  ///< several with one key() when sizes differ
};

/// Divides a run into steps (docs/developer/steps.md). Together the steps have all messages and
/// collectives of the profile. The last step has what is in no replayed round.
///
/// - The messages of a signature are divided among the kinds of steps in which it occurs, in
///   proportion to how often it occurs there.
/// - Kinds that carry little are joined with the next kinds. A kind stays apart when its busiest
///   rank has at least 1 % of the bytes of all kinds' busiest ranks.
/// - When more than `most` steps would be left, the limit is 2 %, then 4 %, and so on.
///
/// @param kinds  of the profile: ReplayedRun::kinds
/// Cost: O(kinds * their messages).
[[nodiscard]] std::vector<Step> steps_of(const Profile& profile, std::vector<StepKind> kinds,
                                         std::size_t most = 32);

}  // namespace commmap
