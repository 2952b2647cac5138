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

/// Messages of one kind from one rank to another, in the order in which they are sent and received.
struct MessageStream {
    std::uint32_t channel = 0;  ///< index into RunScript::channels
    bool is_received = true;    ///< false: nobody waits for the messages (one-sided)
    bool is_of_collectives = false;
};

/// All that one rank sends to another goes through one connection, first in first out.
struct RankChannel {
    RankId source = 0;
    RankId destination = 0;
    std::uint32_t back = 0;  ///< the channel of the other direction
};

/// What a rank does at once, and what it waits for before it goes on.
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
    std::vector<Receive> posts;  ///< receives that are posted, before anything is sent
    std::vector<Send> sends;
    std::vector<Receive> waits;  ///< for messages, in this stage or before
    enum class Sends : std::uint8_t { none, of_collectives, all };
    Sends waits_for_sends = Sends::all;  ///< of long messages that this rank has begun
};

/// What the ranks of a run do, round by round, whatever the placement.
struct RunScript {
    /// Stages [first, second) of `stages`, one after the other.
    using StageRange = std::pair<std::uint32_t, std::uint32_t>;
    struct Rank {
        std::vector<std::vector<StageRange>> rounds;  ///< by signature
        std::vector<std::uint8_t> order;              ///< signatures of the rounds to simulate
        double before_round_s = 0.0;                  ///< outside of MPI
    };
    /// Of a stream, before the first simulated round.
    struct Before {
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
    };

    std::vector<RankChannel> channels;
    std::vector<MessageStream> streams;
    std::vector<Before> before;  ///< by stream
    std::vector<ScriptStage> stages;
    std::vector<Rank> ranks;
    /// Of the run's time, the part that the simulated rounds took, in (0, 1].
    double covered = 1.0;
    unsigned repeats = 1;  ///< simulations whose mean is taken
};

/// More messages than these are not simulated for one placement, but for single rounds that have
/// more. A message above the eager limit counts as three, a call of a collective as its messages.
inline constexpr std::size_t most_simulated_messages = 10'000;

/// The script of a run with rounds (docs/developer/simulation.md). Of a long run its middle is
/// taken: the rounds of the same ticks of all ranks, as replay() has them.
///
/// Collectives become the messages of their algorithm, a stage for each of its steps. Collectives
/// of which expand_profile() takes no messages (in two levels, or in the peers' traffic) are
/// barriers.
///
/// Errors: not_supported (there are more than a 16th of most_simulated_messages ranks; one tick has
/// more than three times most_simulated_messages; the middle of the run has more than twice its
/// share of the run's bytes, or less than half), corrupt. Cost: O(replayed rounds + signatures *
/// their peers + messages of one call of each collective).
/// @param begins  ReplayedRun::begins of the profile
[[nodiscard]] Result<RunScript> script_of(const Profile& profile,
                                          const std::vector<std::vector<std::uint64_t>>& begins,
                                          const CollectiveChoice& choice = {});

}  // namespace commmap
