// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "commmap/ids.hpp"
#include "core/calibration/node_places.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// A direction of a switch's uplink.
struct UplinkEnd {
    std::uint32_t of_switch = 0;  ///< as index into Cluster::switches
    bool out = false;
    friend auto operator<=>(const UplinkEnd&, const UplinkEnd&) = default;
};

/// Returns the rate that the file's numbers allow the streams of a check on a channel.
/// @return  bytes of messages per second, without headers; infinity when the file has no number
[[nodiscard]] double stream_rate(const Channel& channel);

/// Returns that rate for the ports of two nodes, without the switches between them.
[[nodiscard]] double rate_of_ports(const Cluster& cluster, const NodePlaces& places, NodeId sender,
                                   NodeId receiver);

/// Returns the uplinks that a stream crosses, in any order.
/// Cost: O(depth of the tree).
[[nodiscard]] std::vector<UplinkEnd> uplinks_of_stream(const Cluster& cluster,
                                                       const NodePlaces& places, NodeId sender,
                                                       NodeId receiver);

/// Returns that rate for a stream between two nodes: the rate of its slowest port.
[[nodiscard]] double stream_rate(const Cluster& cluster, const NodePlaces& places, NodeId sender,
                                 NodeId receiver);

}  // namespace commmap
