#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/profile/profile.hpp"
#include "core/profile/rounds.hpp"

namespace commmap {

/// A round in a step: of which rank, and what the rank does.
struct StepMember {
    RankId rank = 0;
    std::uint8_t signature = 0;  ///< index into RankRounds::signatures
    auto operator<=>(const StepMember&) const = default;
};

/// Steps in which the same ranks have the same signatures.
struct StepKind {
    /// Sorted. A rank is there more than once where it receives the messages of the step in several
    /// rounds.
    std::vector<StepMember> members;
    std::uint64_t count = 0;  ///< how many steps were replayed
    bool operator==(const StepKind&) const = default;
};

/// Rounds that are lined up.
struct ReplayedRun {
    std::vector<StepKind> kinds;  ///< in the order in which they first came
    /// When each rank's rounds begin, in ticks: those that were replayed, in their order.
    std::vector<std::vector<std::uint64_t>> begins;
};

/// Lines up the rounds of all ranks by replaying their lists with logical clocks. A rank begins a
/// round when its last round ended. A message arrives one tick after its sender's round began; the
/// k-th message from A to B is the k-th one that B receives from A. A round ends when the last
/// message that it receives has arrived. A round in which something is sent, or a collective
/// begins, takes a tick at least. A round that waits for the end of a collective ends no earlier
/// than one tick after the last member began the collective.
///
/// Rounds that begin at the same tick are one step. A round that only waits is in the step in which
/// the last thing that it waits for began.
///
/// @param ranks          by rank
/// @param communicators  members in MPI_COMM_WORLD, in the numbers of Signature::Meeting
/// Errors: not_supported where the rounds cannot be lined up, with the reason: unclear rounds; a
/// rank waits for a message that no listed round sends, where no list is cut, or in the first half
/// of its own. corrupt: a communicator that is none.
/// Cost: O(listed rounds * their peers), of which at most 4 million are replayed. Same input, same
/// result. Source: Lamport, "Time, Clocks, and the Ordering of Events in a Distributed System",
/// CACM 1978. Differs from the paper: a receive ends with the send's clock plus one, whatever the
/// receiver's own clock was; collectives are events of all members.
[[nodiscard]] Result<ReplayedRun> replay(std::span<const RankRounds> ranks,
                                         std::span<const std::vector<RankId>> communicators);

/// Of a profile's rounds. Errors: also not_found (no rounds were recorded).
[[nodiscard]] Result<ReplayedRun> replay(const Profile& profile);

}  // namespace commmap
