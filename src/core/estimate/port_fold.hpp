// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/estimate/port_table.hpp"

namespace commmap {

/// Fig. 4's second step: what one port has taken so far, task by task in rank order.
struct PortFold {
    double cost_s = 0.0;
    double bytes = 0.0;

    /// @param task_s  serial time of the task's messages at this port; raised to task_bytes /
    /// max_bandwidth where
    ///                the observed bandwidth is said to be above the maximum, so that bytes never
    ///                wait unpaid
    void add(double task_s, double task_bytes, double max_bandwidth_bytes_per_s) {
        if (std::isinf(max_bandwidth_bytes_per_s)) {  // everything overlaps; inf * 0 below would
                                                      // not be a number
            cost_s = std::max(cost_s, task_s);
        } else {
            // a search does this most of the time: no division where its result is known
            if (task_s * max_bandwidth_bytes_per_s < task_bytes)
                task_s = task_bytes / max_bandwidth_bytes_per_s;
            const double available = std::max(0.0, max_bandwidth_bytes_per_s * cost_s - bytes);
            if (available < task_bytes)
                cost_s += available > 0.0 ? (task_bytes - available) / task_bytes * task_s : task_s;
            cost_s = std::max(cost_s, task_s);
        }
        bytes += task_bytes;
    }
};

/// What each port takes under Fig. 4: rank by rank in rank order, all messages of a rank as one
/// task.
///
/// @param placement  length table.num_ranks(); two ranks may share a PU
/// @return  by port; none: no message goes through it
/// Cost: O(entries * depth + ports). Thread-safe.
/// Source and differences: port_cost().
[[nodiscard]] std::vector<std::optional<PortFold>> fold_ports(const PortTable& table,
                                                              Placement placement);

}  // namespace commmap
