#pragma once

#include <span>
#include <string_view>

#include "core/collectives/schedule.hpp"
#include "core/profile/collective_op.hpp"

namespace commmap {

/// A collective algorithm's row: its name, and where it is described.
struct ScheduleInfo {
    std::string_view name;  ///< "bcast_binomial"
    CollectiveOp op;
    std::string_view source;  ///< where the algorithm is described
    ScheduleFunction expand;
    bool all_pairs = false;  ///< as many messages as there are pairs of members
};

/// All algorithms; explicit, no static constructors.
[[nodiscard]] std::span<const ScheduleInfo> schedule_table();

}  // namespace commmap
