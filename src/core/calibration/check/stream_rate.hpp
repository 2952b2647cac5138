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

/// One direction of a switch's uplink.
struct UplinkEnd {
    std::uint32_t of_switch = 0;  ///< as index into Cluster::switches
    bool out = false;
    friend auto operator<=>(const UplinkEnd&, const UplinkEnd&) = default;
};

/// What a channel lets through of streams of a check, by the file's numbers.
/// @return  bytes of messages per second, without headers; infinity when the file has no number
[[nodiscard]] double stream_rate(const Channel& channel);

/// The same of the sender's and the receiver's port, without the switches between the nodes.
[[nodiscard]] double rate_of_ports(const Cluster& cluster, const NodePlaces& places, NodeId sender,
                                   NodeId receiver);

/// The uplinks on a stream's way, in no particular order.
/// Cost: O(depth of the tree).
[[nodiscard]] std::vector<UplinkEnd> uplinks_of_stream(const Cluster& cluster,
                                                       const NodePlaces& places, NodeId sender,
                                                       NodeId receiver);

/// The same rate of a stream between two nodes: that of the slowest port on its way.
[[nodiscard]] double stream_rate(const Cluster& cluster, const NodePlaces& places, NodeId sender,
                                 NodeId receiver);

}  // namespace commmap
