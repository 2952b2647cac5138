// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/estimate/port_table.hpp"

namespace commmap {

/// Adds up what one port works, rank by rank. Transfers of different ranks overlap as far as the
/// port's maximum bandwidth allows.
/// Source: Sweeney et al., Fig. 4, second step (port_cost.hpp). A task there is all messages of one
/// rank through the port.
struct PortFold {
    double cost_s = 0.0;
    double bytes = 0.0;

    /// @param task_s  serial time of one rank's messages at this port. A time below task_bytes /
    ///                max_bandwidth is raised to that quotient: a link's observed bandwidth may be
    ///                given above the port's maximum
    void add(double task_s, double task_bytes, double max_bandwidth_bytes_per_s) {
        if (std::isinf(max_bandwidth_bytes_per_s)) {
            // everything overlaps; inf * 0 below would not be a number
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

/// Calls a function for each task of Sweeney et al., Fig. 4: all messages of a rank that go through
/// one port. A PortFold for each port, to which the tasks are added, has what port_cost() says the
/// port costs.
///
/// @param placement  length table.num_ranks(); two ranks may share a PU
/// @param add  called with port, serial time in seconds and bytes of each task, in rank order
/// Cost: O(entries * depth + ports).
template <class Add>
void for_each_task(const PortTable& table, Placement placement, const Add& add) {
    struct Task {
        double time_s = 0.0;
        double bytes = 0.0;
        bool is_touched = false;
    };
    std::vector<Task> tasks(table.num_ports());  // of the source rank that is being looked at
    std::vector<std::uint32_t> touched;
    for (RankId source = 0; source < table.num_ranks(); ++source) {
        touched.clear();
        for (const PortTable::PeerMessages& m : table.sent_by(source)) {
            const double bytes = table.bytes_of(m.kind);
            table.for_each_port(placement[source], placement[m.peer], [&](std::uint32_t p) {
                Task& task = tasks[p];
                if (!task.is_touched) touched.push_back(p);
                task.is_touched = true;
                task.time_s += table.time_s(m.kind, p);
                task.bytes += bytes;
            });
        }
        for (const std::uint32_t p : touched) {
            add(p, tasks[p].time_s, tasks[p].bytes);
            tasks[p] = Task{};
        }
    }
}

}  // namespace commmap
