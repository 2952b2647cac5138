// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/process_time.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace commmap {

namespace {

double channel_bandwidth(const Channel& channel, double length_bytes) {
    return std::min(channel.bandwidth.at(length_bytes), channel.max_bandwidth_bytes_per_s);
}

}  // namespace

Result<double> process_time(const CommGraph& graph, const Hct& hct, Placement placement) {
    if (const Status ok = check_placement(graph, hct, placement); !ok) return ok.error();
    std::vector<double> time_s(graph.num_ranks(), 0.0);
    for (RankId source = 0; source < graph.num_ranks(); ++source) {
        for (const Traffic& traffic : graph.sent_by(source)) {
            const double length = traffic.mean_length_bytes();
            double slowest = std::numeric_limits<double>::infinity();
            hct.for_each_port(
                placement[source], placement[traffic.peer],
                [&](ElementId e) {
                    slowest = std::min(slowest, channel_bandwidth(hct.port(e).out, length));
                },
                [&](ElementId e) {
                    slowest = std::min(slowest, channel_bandwidth(hct.port(e).in, length));
                });
            const double t = static_cast<double>(traffic.bytes) / slowest;
            time_s[source] += t;
            time_s[traffic.peer] += t;
        }
    }
    return time_s.empty() ? 0.0 : *std::max_element(time_s.begin(), time_s.end());
}

}  // namespace commmap
