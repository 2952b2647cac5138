#pragma once

#include <cstdint>
#include <vector>

#include "core/profile/profile.hpp"
#include "core/steps/replay.hpp"

namespace commmap {

/// What is in flight together: steps that are alike, added up.
struct Step {
    std::uint64_t count = 0;  ///< how many of them were replayed; 0: the rest of the run
    /// Mean over the ranks of the time in their rounds of these steps, in seconds.
    double seconds = 0.0;
    double wait_s = 0.0;  ///< of that, in and after the first call that waits
    TrafficMatrix sent;   ///< one-sided data as messages of whom they are fetched from
    /// By rank: in how many rounds of the whole run it sends or puts what is in `sent`. It begins
    /// the messages of a round together, and waits for them together.
    std::vector<double> sending_rounds;
    std::vector<CollectiveRecord> collectives;  ///< several of one key() where sizes differ
};

/// The steps of a run (docs/developer/steps.md). Together they have all messages and collectives of
/// the profile. The last step has what is in no round that was replayed.
///
/// A signature's messages are divided among the kinds of steps that it is in, in proportion to how
/// often it is there. Kinds that carry little are joined with those that come next. A kind stays
/// apart when its busiest rank has at least 1 % of the bytes of all kinds' busiest ranks. Where
/// more than `most` would be left, 2 %, 4 % and so on are asked.
///
/// Cost: O(kinds * their messages).
/// @param kinds  of the profile: ReplayedRun::kinds
[[nodiscard]] std::vector<Step> steps_of(const Profile& profile, std::vector<StepKind> kinds,
                                         std::size_t most = 32);

}  // namespace commmap
