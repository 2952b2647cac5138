#include "core/estimate/port_cost.hpp"

#include <algorithm>

#include "core/estimate/port_table.hpp"

namespace commmap {

namespace {

struct PortState {
    PortFold total;
    double task_s = 0.0;  ///< of the source rank that is being looked at
    double task_bytes = 0.0;
    bool in_task = false;
    bool used = false;
};

std::vector<PortState> fold_all(const PortTable& table, Placement placement) {
    std::vector<PortState> ports(table.num_ports());
    std::vector<std::uint32_t> touched;
    for (RankId source = 0; source < table.num_ranks(); ++source) {
        touched.clear();
        for (const PortTable::PeerMessages& message : table.sent_by(source)) {
            const double bytes = table.bytes_of(message.kind);
            table.for_each_port(placement[source], placement[message.peer], [&](std::uint32_t p) {
                PortState& port = ports[p];
                if (!port.in_task) {
                    port.in_task = true;
                    touched.push_back(p);
                }
                port.task_s += table.time_s(message.kind, p);
                port.task_bytes += bytes;
            });
        }
        for (const std::uint32_t p : touched) {
            PortState& port = ports[p];
            port.total.add(port.task_s, port.task_bytes, table.max_bandwidth_bytes_per_s(p));
            port.task_s = port.task_bytes = 0.0;
            port.in_task = false;
            port.used = true;
        }
    }
    return ports;
}

PortLoad load_of(std::uint32_t p, const PortState& port) {
    PortLoad load = PortTable::load_of(p);
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
        if (!ports[p].used || (found && ports[p].total.cost_s <= result.cost_s)) continue;
        found = true;
        result.cost_s = ports[p].total.cost_s;
        result.bottleneck = load_of(p, ports[p]);
    }
    return result;
}

Result<std::vector<PortLoad>> port_loads(const CommGraph& graph, const Hct& hct,
                                         Placement placement) {
    if (const Status ok = check_placement(graph, hct, placement); !ok) return ok.error();
    const std::vector<PortState> ports = fold_all(PortTable(graph, hct), placement);
    std::vector<PortLoad> loads;
    for (std::uint32_t p = 0; p < ports.size(); ++p) {
        if (ports[p].used) loads.push_back(load_of(p, ports[p]));
    }
    std::stable_sort(loads.begin(), loads.end(),
                     [](const PortLoad& a, const PortLoad& b) { return a.cost_s > b.cost_s; });
    return loads;
}

}  // namespace commmap
