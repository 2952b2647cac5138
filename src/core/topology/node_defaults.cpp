// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/node_defaults.hpp"

#include <cassert>

namespace commmap {
namespace {

Port symmetric_port(double bandwidth_bytes_per_s, double latency_ns,
                    double max_bandwidth_bytes_per_s) {
    // Inside a node a rank copies the messages that it sends or receives, one after the other. So a
    // message that follows another one takes as long as the first.
    const double gap_ns = latency_ns;
    const Channel channel{BandwidthCurve(bandwidth_bytes_per_s), latency_ns,
                          max_bandwidth_bytes_per_s, gap_ns};
    return {channel, channel};
}

}  // namespace

Port default_port(Level level) {
    assert(level > Level::node && "only elements inside a node have built-in ports");
    switch (level) {
        case Level::package:
            return symmetric_port(6e9, 600.0, 40e9);
        case Level::numa:
            return symmetric_port(8e9, 450.0, 80e9);
        case Level::cache:
            return symmetric_port(9e9, 350.0, 40e9);
        case Level::core:
            return symmetric_port(10e9, 250.0, 10e9);
        case Level::pu:
            return symmetric_port(12e9, 200.0, 12e9);
        case Level::switch_:
        case Level::node:
            break;
    }
    return {};
}

}  // namespace commmap
