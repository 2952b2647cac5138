// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/profile/profile.hpp"
#include "core/profile/rounds.hpp"

namespace commmap {

/// One rank's round in a step: the rank, and the signature that says what the rank does.
struct StepMember {
    RankId rank = 0;
    std::uint8_t signature = 0;  ///< index into RankRounds::signatures
    auto operator<=>(const StepMember&) const = default;
};

/// A kind of step: steps in which the same ranks have rounds with the same signatures.
struct StepKind {
    /// The rounds of a step, sorted. A rank is listed more than once when it receives the step's
    /// messages in several rounds.
    std::vector<StepMember> members;
    std::uint64_t count = 0;  ///< number of such steps that were replayed
    bool operator==(const StepKind&) const = default;
};

/// The result of replay(): the rounds of all ranks, lined up in steps.
struct ReplayedRun {
    std::vector<StepKind> kinds;  ///< in the order of their first steps
    /// The ticks at which each rank's replayed rounds begin, in their order.
    std::vector<std::vector<std::uint64_t>> begins;
};

/// Lines up the rounds of all ranks in steps, by replaying their lists with logical clocks. Rounds
/// that begin at the same tick are one step. These rules set the clocks:
/// - A rank begins a round when its last round has ended.
/// - A message arrives one tick after its sender's round began. The k-th message from A to B is the
///   k-th one that B receives from A.
/// - A round ends when the last message that it receives has arrived.
/// - A round in which something is sent, or a collective begins, takes at least one tick.
/// - A round that waits for the end of a collective ends no earlier than one tick after the last
///   member began the collective.
/// - A round that only waits belongs to the step in which the last thing that it waits for began.
///
/// @param ranks          by rank
/// @param communicators  members in MPI_COMM_WORLD, in the numbers of Signature::Meeting
/// Errors: not_supported, with the reason, when the rounds cannot be lined up. Rounds may be
/// unclear, or a rank may wait for a message that no listed round sends. The latter is no error
/// where a list is cut, in the second half of the rank's own list. corrupt for an unknown
/// communicator.
/// Cost: O(listed rounds * their peers), of which at most 4 million are replayed.
/// Same input, same result.
/// Source: Lamport, "Time, Clocks, and the Ordering of Events in a Distributed System", CACM 1978.
/// Differs from the paper: a receive ends with the send's clock plus one, whatever the receiver's
/// own clock was; collectives are events of all members.
[[nodiscard]] Result<ReplayedRun> replay(std::span<const RankRounds> ranks,
                                         std::span<const std::vector<RankId>> communicators);

/// Lines up the rounds of a profile. Errors: as above; not_found when no rounds were recorded.
[[nodiscard]] Result<ReplayedRun> replay(const Profile& profile);

}  // namespace commmap
