#pragma once

#include "core/base/collective_rules.hpp"
#include "core/collectives/expansion/schedule_table.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

/// Those of the library that the profile names; Open MPI 4's where that is none we know.
[[nodiscard]] CollectiveRules rules_of(const Profile& profile);

/// The algorithm that an MPI library's rules would take where the members' nodes are not looked at,
/// or the nearest one we have (docs/developer/collectives.md says for which sizes it differs).
[[nodiscard]] const ScheduleInfo& choose_schedule(CollectiveRules rules, CollectiveOp op,
                                                  const CollectiveCall& call);

/// Whether the library does this call in two levels, inside nodes and between one rank of each,
/// where the members are on several nodes, and several of them on some.
/// @param equal_nodes  as many members on each
[[nodiscard]] bool has_two_levels(CollectiveRules rules, CollectiveOp op,
                                  const CollectiveCall& call, bool equal_nodes);

}  // namespace commmap
