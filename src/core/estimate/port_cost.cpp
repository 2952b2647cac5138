// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/port_cost.hpp"

#include <algorithm>

#include "core/estimate/port_fold.hpp"

namespace commmap {

namespace {

struct PortState {
    PortFold total;
    bool is_used = false;
};

std::vector<PortState> fold_all(const PortTable& table, Placement placement) {
    std::vector<PortState> ports(table.num_ports());
    for_each_task(table, placement, [&](std::uint32_t p, double time_s, double bytes) {
        ports[p].total.add(time_s, bytes, table.max_bandwidth_bytes_per_s(p));
        ports[p].is_used = true;
    });
    return ports;
}

PortLoad load_of(std::uint32_t p, const PortState& port, const PortTable& table) {
    PortLoad load = table.load_of(p);
    load.cost_s = port.total.cost_s;
    load.bytes = port.total.bytes;
    return load;
}

}  // namespace

Result<PortCost> port_cost(const CommGraph& graph, const Hct& hct, Placement placement) {
    if (const Status ok = check_placement(graph, hct, placement); !ok) return ok.error();
    return port_cost(PortTable(graph, hct), placement);
}

PortCost port_cost(const PortTable& table, Placement placement) {
    const std::vector<PortState> ports = fold_all(table, placement);
    PortCost result;
    bool found = false;
    for (std::uint32_t p = 0; p < ports.size(); ++p) {
        if (!ports[p].is_used || (found && ports[p].total.cost_s <= result.cost_s)) continue;
        found = true;
        result.cost_s = ports[p].total.cost_s;
        result.bottleneck = load_of(p, ports[p], table);
    }
    return result;
}

Result<std::vector<PortLoad>> port_loads(const CommGraph& graph, const Hct& hct,
                                         Placement placement) {
    if (const Status ok = check_placement(graph, hct, placement); !ok) return ok.error();
    const PortTable table(graph, hct);
    const std::vector<PortState> ports = fold_all(table, placement);
    std::vector<PortLoad> loads;
    for (std::uint32_t p = 0; p < ports.size(); ++p) {
        if (ports[p].is_used) loads.push_back(load_of(p, ports[p], table));
    }
    std::stable_sort(loads.begin(), loads.end(),
                     [](const PortLoad& a, const PortLoad& b) { return a.cost_s > b.cost_s; });
    return loads;
}

}  // namespace commmap
