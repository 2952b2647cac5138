// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/port_cost.hpp"

#include <algorithm>

#include "core/estimate/port_fold.hpp"

namespace commmap {

namespace {

PortLoad load_of(std::uint32_t p, const PortFold& port) {
    PortLoad load = PortTable::load_of(p);
    load.cost_s = port.cost_s;
    load.bytes = port.bytes;
    return load;
}

}  // namespace

Result<PortCost> port_cost(const CommGraph& graph, const Hct& hct, Placement placement) {
    if (const Status ok = check_placement(graph, hct, placement); !ok) return ok.error();
    return port_cost(PortTable(graph, hct), placement);
}

PortCost port_cost(const PortTable& table, Placement placement) {
    const std::vector<std::optional<PortFold>> ports = fold_ports(table, placement);
    PortCost result;
    bool found = false;
    for (std::uint32_t p = 0; p < ports.size(); ++p) {
        if (!ports[p] || (found && ports[p]->cost_s <= result.cost_s)) continue;
        found = true;
        result.cost_s = ports[p]->cost_s;
        result.bottleneck = load_of(p, *ports[p]);
    }
    return result;
}

Result<std::vector<PortLoad>> port_loads(const CommGraph& graph, const Hct& hct,
                                         Placement placement) {
    if (const Status ok = check_placement(graph, hct, placement); !ok) return ok.error();
    const std::vector<std::optional<PortFold>> ports = fold_ports(PortTable(graph, hct), placement);
    std::vector<PortLoad> loads;
    for (std::uint32_t p = 0; p < ports.size(); ++p) {
        if (ports[p]) loads.push_back(load_of(p, *ports[p]));
    }
    std::stable_sort(loads.begin(), loads.end(),
                     [](const PortLoad& a, const PortLoad& b) { return a.cost_s > b.cost_s; });
    return loads;
}

}  // namespace commmap
