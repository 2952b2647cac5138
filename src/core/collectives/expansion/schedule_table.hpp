// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string_view>

#include "core/collectives/schedule.hpp"
#include "core/profile/collective_op.hpp"

namespace commmap {

/// Describes a collective algorithm: its name, its operation, its source, and the function that
/// lists its messages.
struct ScheduleInfo {
    std::string_view name;  ///< "bcast_binomial"
    CollectiveOp op;
    std::string_view source;  ///< where the algorithm is described
    ScheduleFunction expand;
    bool all_pairs = false;  ///< it has as many messages as there are pairs of members
};

/// Returns all algorithms. The table is explicit, without static constructors, which linkers may
/// drop.
[[nodiscard]] std::span<const ScheduleInfo> schedule_table();

}  // namespace commmap
