// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/base/collective_rules.hpp"
#include "core/collectives/expansion/schedule_table.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

/// Returns the rules of the MPI library that the profile names; Open MPI 4's when that library is
/// unknown.
[[nodiscard]] CollectiveRules rules_of(const Profile& profile);

/// Chooses the algorithm of a call by an MPI library's rules, without looking at the members'
/// nodes. When the library's algorithm is not in schedule_table(), the nearest one is taken;
/// docs/developer/collectives.md says for which sizes.
[[nodiscard]] const ScheduleInfo& choose_schedule(CollectiveRules rules, CollectiveOp op,
                                                  const CollectiveCall& call);

/// Tells whether the library would split this call into two levels: inside each node, and between
/// one rank of each node. It asks about members that are on several nodes, several of them on some.
/// @param equal_nodes  each node has the same number of members
[[nodiscard]] bool has_two_levels(CollectiveRules rules, CollectiveOp op,
                                  const CollectiveCall& call, bool equal_nodes);

}  // namespace commmap
