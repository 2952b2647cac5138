// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/collectives/schedule.hpp"
#include "core/profile/collective_op.hpp"

namespace commmap {

// Rules by which MPI libraries choose algorithms, used by choose_schedule(). Each function returns
// the algorithm of schedule_table() that one MPI library takes for a call; never null.

[[nodiscard]] ScheduleFunction open_mpi_4_schedule(CollectiveOp op, const CollectiveCall& call);
[[nodiscard]] ScheduleFunction mpich_4_schedule(CollectiveOp op, const CollectiveCall& call);

// Whether the library does a call in two levels, see has_two_levels().

[[nodiscard]] bool open_mpi_5_has_two_levels(CollectiveOp op, bool equal_nodes);
[[nodiscard]] bool mpich_4_has_two_levels(CollectiveOp op, const CollectiveCall& call);

}  // namespace commmap
