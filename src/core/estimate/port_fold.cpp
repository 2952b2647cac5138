// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/port_fold.hpp"

namespace commmap {

std::vector<std::optional<PortFold>> fold_ports(const PortTable& table, Placement placement) {
    struct Task {
        double time_s = 0.0;
        double bytes = 0.0;
        bool is_touched = false;
    };
    std::vector<std::optional<PortFold>> ports(table.num_ports());
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
            if (!ports[p]) ports[p].emplace();
            ports[p]->add(tasks[p].time_s, tasks[p].bytes, table.max_bandwidth_bytes_per_s(p));
            tasks[p] = Task{};
        }
    }
    return ports;
}

}  // namespace commmap
