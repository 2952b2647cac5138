// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "commmap/result.hpp"
#include "core/profile/profile.hpp"
#include "core/profile/recording/rank_record.hpp"

namespace commmap {

/// Makes one profile from the records of all ranks, in any order. Fills application_id, nodes,
/// localities, programs, communicators, phases and ranks, and with several programs also command.
/// The caller fills the rest.
///
/// - Several executables: the profile is that of the set. Its identity is "set:" and a hash of
///   which ranks run what.
/// - Phases: those with labels, if any rank has one. Else phases are found from time slices
///   (phases_of_slices()), which all get the longest length that a rank has. There is one phase in
///   three cases: a rank could not keep phases apart; a rank has no slices; all ranks together have
///   more than max_profile_phases labels.
/// - Communicators with the same members are one. They are sorted by size, largest first, then by
///   members.
/// - Collectives with the same communicator, operation, root and in_peer_traffic are one record.
///   Its `calls` is the largest of the members' counts. With several phases, each phase gets its
///   part of these calls, as if all members had made them.
/// - A collective is left out when the first member of its communicator never recorded the
///   communicator, because it failed there.
/// - Nodes are in the launcher's order when every rank knows it, else in the order of their lowest
///   ranks.
///
/// Errors: invalid_input when ranks are missing or there twice; corrupt as check_ranks().
/// Cost: O(records log records + traffic).
[[nodiscard]] Result<Profile> merge_rank_records(std::vector<RankRecord> records);

}  // namespace commmap
