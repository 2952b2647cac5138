// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/check/stream_rate.hpp"

#include <algorithm>
#include <cstdint>

#include "core/calibration/check/check_series.hpp"

namespace commmap {

double stream_rate(const Channel& channel) {
    return std::min(channel.bandwidth.at(static_cast<double>(check_message_bytes)),
                    channel.max_bandwidth_bytes_per_s);
}

double stream_rate(const Cluster& cluster, const NodePlaces& places, NodeId sender,
                   NodeId receiver) {
    double rate = std::min(stream_rate(cluster.classes[places.class_of(sender)].link.out),
                           stream_rate(cluster.classes[places.class_of(receiver)].link.in));
    std::uint32_t up = places.switch_of(sender);
    std::uint32_t down = places.switch_of(receiver);
    while (up != down) {
        if (places.depth(up) >= places.depth(down)) {
            rate = std::min(rate, stream_rate(cluster.switches[up].link.out));
            up = cluster.switches[up].parent;
        } else {
            rate = std::min(rate, stream_rate(cluster.switches[down].link.in));
            down = cluster.switches[down].parent;
        }
    }
    return rate;
}

}  // namespace commmap
