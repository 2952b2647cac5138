// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/sweeney_cost.hpp"

#include <algorithm>
#include <vector>

namespace commmap {

namespace {

/// Fig. 4's p, with the figure's names.
struct FigurePort {
    double max_bandwidth = 0.0;
    double cost = 0.0;
    double bytes = 0.0;
    double task_cost = 0.0;
    double task_bytes = 0.0;

    void add_message(const Channel& channel, const Traffic& message) {
        const double length = message.mean_length_bytes();
        max_bandwidth = channel.max_bandwidth_bytes_per_s;
        task_cost += length / channel.bandwidth.at(length) * static_cast<double>(message.count);
        task_bytes += length;
    }

    void add_task() {
        if (task_bytes > 0.0) {
            bytes += task_bytes;
            const double bytes_available = (cost > 0.0 ? max_bandwidth * cost : 0.0) - bytes;
            if (bytes_available < task_bytes)
                cost += (task_bytes - bytes_available) / task_bytes * task_cost;
        }
        task_cost = task_bytes = 0.0;
    }
};

}  // namespace

Result<double> sweeney_cost(const CommGraph& graph, const Hct& hct, Placement placement) {
    if (const Status ok = check_placement(graph, hct, placement); !ok) return ok.error();
    std::vector<FigurePort> out(hct.num_elements());
    std::vector<FigurePort> in(hct.num_elements());
    for (RankId source = 0; source < graph.num_ranks(); ++source) {
        for (const Traffic& message : graph.sent_by(source)) {
            hct.for_each_port(
                placement[source], placement[message.peer],
                [&](ElementId e) { out[e].add_message(hct.port(e).out, message); },
                [&](ElementId e) { in[e].add_message(hct.port(e).in, message); });
        }
        for (FigurePort& port : out) port.add_task();
        for (FigurePort& port : in) port.add_task();
    }
    double highest = 0.0;
    for (const FigurePort& port : out) highest = std::max(highest, port.cost);
    for (const FigurePort& port : in) highest = std::max(highest, port.cost);
    return highest;
}

}  // namespace commmap
