// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/hop_bytes.hpp"

#include "core/estimate/port_table.hpp"

namespace commmap {

Result<double> hop_bytes(const CommGraph& graph, const Hct& hct, Placement placement) {
    if (const Status ok = check_placement(graph, hct, placement); !ok) return ok.error();
    double sum = 0.0;
    for (RankId source = 0; source < graph.num_ranks(); ++source) {
        for (const Traffic& traffic : graph.sent_by(source)) {
            const unsigned hops = hct.hops(placement[source], placement[traffic.peer]);
            sum += static_cast<double>(traffic.bytes) * static_cast<double>(hops);
        }
    }
    return sum;
}

double hop_bytes(const CommGraph& graph, const PortTable& table, Placement placement) {
    double sum = 0.0;
    for (RankId source = 0; source < graph.num_ranks(); ++source) {
        for (const Traffic& traffic : graph.sent_by(source)) {
            unsigned hops = 0;
            table.for_each_link(placement[source], placement[traffic.peer], [&] { ++hops; });
            sum += static_cast<double>(traffic.bytes) * static_cast<double>(hops);
        }
    }
    return sum;
}

}  // namespace commmap
