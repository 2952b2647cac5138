#pragma once

#include <vector>

#include "commmap/result.hpp"
#include "core/profile/profile.hpp"
#include "core/profile/recording/rank_record.hpp"

namespace commmap {

/// One profile from the records of all ranks, in any order. Fills application_id, nodes,
/// localities, programs, communicators, phases and ranks, and where there are several programs
/// command; the rest of the profile is the caller's.
///
/// Of several executables it is the profile of the set: its identity is "set:" and the hash of
/// which ranks run what.
///
/// Phases are those with labels where a rank has one; else they are found from time slices
/// (phases_of_slices()), which are as long as the longest of a rank. Where a rank could not keep
/// them apart, or has no slices, or ranks have more than max_profile_phases labels together, there
/// is one phase.
///
/// Communicators with the same member list are one; they are sorted by size, largest first, then by
/// members. Collectives with the same communicator, operation, root and in_peer_traffic are one:
/// `calls` is the largest of the members', of several phases each has its part of
/// them, as all members made them. Nodes are in the launcher's order where every rank knows it,
/// else by their lowest rank. A collective whose communicator the first member never reported (it
/// failed there) is left out.
///
/// Errors: invalid_input (ranks missing or twice), corrupt
/// (check_ranks()). Cost: O(records log records + traffic).
[[nodiscard]] Result<Profile> merge_rank_records(std::vector<RankRecord> records);

}  // namespace commmap
