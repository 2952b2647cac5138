// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/check/stream_rate.hpp"

#include <algorithm>
#include <cstdint>

#include "core/calibration/check/check_series.hpp"
#include "core/topology/framing.hpp"

namespace commmap {

double stream_rate(const Channel& channel) {
    const double rate = std::min(channel.bandwidth.at(static_cast<double>(check_message_bytes)),
                                 channel.max_bandwidth_bytes_per_s);
    return channel.is_payload ? rate : rate / wire_bytes_per_byte;
}

double rate_of_ports(const Cluster& cluster, const NodePlaces& places, NodeId sender,
                     NodeId receiver) {
    return std::min(stream_rate(cluster.classes[places.class_of(sender)].link.out),
                    stream_rate(cluster.classes[places.class_of(receiver)].link.in));
}

std::vector<UplinkEnd> uplinks_of_stream(const Cluster& cluster, const NodePlaces& places,
                                         NodeId sender, NodeId receiver) {
    std::vector<UplinkEnd> uplinks;
    std::uint32_t up = places.switch_of(sender);
    std::uint32_t down = places.switch_of(receiver);
    while (up != down) {
        if (places.depth(up) >= places.depth(down)) {
            uplinks.push_back({up, true});
            up = cluster.switches[up].parent;
        } else {
            uplinks.push_back({down, false});
            down = cluster.switches[down].parent;
        }
    }
    return uplinks;
}

double stream_rate(const Cluster& cluster, const NodePlaces& places, NodeId sender,
                   NodeId receiver) {
    double rate = rate_of_ports(cluster, places, sender, receiver);
    for (const auto& [of_switch, out] : uplinks_of_stream(cluster, places, sender, receiver)) {
        const Port& link = cluster.switches[of_switch].link;
        rate = std::min(rate, stream_rate(out ? link.out : link.in));
    }
    return rate;
}

}  // namespace commmap
