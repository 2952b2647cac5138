// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/collectives/expansion/expand_profile.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

/// A sequence of messages of one kind from one rank to another, sent and received in this order.
struct MessageStream {
    std::uint32_t channel = 0;  ///< index into RunScript::channels
    bool is_received = true;    ///< false: nobody waits for the messages (one-sided)
    bool is_of_collectives = false;
};

/// A connection from one rank to another. All its messages are delivered first in, first out.
struct RankChannel {
    RankId source = 0;
    RankId destination = 0;
    std::uint32_t back = 0;  ///< the channel of the other direction
};

/// One stage of a rank: what the rank begins together, and what it then waits for before it goes
/// on.
struct ScriptStage {
    struct Send {
        std::uint32_t stream = 0;
        std::uint32_t count = 0;  ///< messages, > 0
        double bytes = 0.0;       ///< of each
    };
    struct Receive {
        std::uint32_t stream = 0;
        std::uint32_t count = 0;  ///< messages, > 0
    };
    std::vector<Receive> posts;  ///< receives that the rank posts before it sends
    std::vector<Send> sends;
    std::vector<Receive> waits;  ///< messages for which it waits, posted in this stage or before
    enum class Sends : std::uint8_t { none, of_collectives, all };
    /// which of its own long messages it waits for, begun in any stage so far
    Sends waits_for_sends = Sends::all;
};

/// What the ranks of a run do, round by round. It does not depend on the placement.
struct RunScript {
    /// A range of stages [first, second) in `stages`, to be done one after the other.
    using StageRange = std::pair<std::uint32_t, std::uint32_t>;
    struct Rank {
        std::vector<std::vector<StageRange>> rounds;  ///< by signature
        std::vector<std::uint8_t> order;  ///< signatures of the rounds to simulate, in order
        double before_round_s = 0.0;      ///< time outside of MPI before each round
    };
    /// Numbers of a stream's messages before the first simulated round.
    struct Before {
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
    };

    std::vector<RankChannel> channels;
    std::vector<MessageStream> streams;
    std::vector<Before> before;  ///< by stream
    std::vector<ScriptStage> stages;
    std::vector<Rank> ranks;
    /// The part of the run's time that the simulated rounds took, in (0, 1].
    double covered = 1.0;
    unsigned repeats = 1;  ///< number of simulations whose mean is taken
};

/// The most messages that are simulated for one placement. Only a run whose single rounds have more
/// may exceed it. A message above the eager limit counts as three, a call of a collective as its
/// messages.
inline constexpr std::size_t most_simulated_messages = 10'000;

/// Makes the script of a run with rounds (docs/developer/simulation.md). Of a long run its middle
/// is taken: the rounds that all ranks have in the same ticks, as replay() lines them up.
///
/// A collective becomes the messages of its algorithm, with a stage for each step. A collective of
/// which expand_profile() takes no messages (in two levels, or in the peers' traffic) becomes a
/// barrier.
///
/// @param begins  ReplayedRun::begins of the profile
/// Errors: corrupt; not_supported when
/// - there are more ranks than a 16th of most_simulated_messages,
/// - one tick has more than three times most_simulated_messages, or
/// - the middle of the run has more than twice its share of the run's bytes, or less than half.
/// Cost: O(replayed rounds + signatures * their peers + messages of one call of each collective).
[[nodiscard]] Result<RunScript> script_of(const Profile& profile,
                                          const std::vector<std::vector<std::uint64_t>>& begins,
                                          const CollectiveChoice& choice = {});

}  // namespace commmap
