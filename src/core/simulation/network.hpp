// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/topology/hct.hpp"

namespace commmap {

/// The route of a message: the ports that it passes, in order, from its source on.
struct Route {
    struct Hop {
        std::uint32_t port = 0;            ///< below num_route_ports()
        const Channel* channel = nullptr;  ///< nullptr: the hop is a switch element itself
        double max_bandwidth_bytes_per_s = 0.0;
        double framing = 1.0;  ///< bytes on the wire for a byte of a message
        double gap_s = 0.0;    ///< time that each message takes besides its bytes

        /// Seconds for which these bytes keep the port from serving other messages.
        [[nodiscard]] double busy_s(double bytes) const;
        /// Seconds that these bytes take when they have the port to themselves. One task alone may
        /// get less bandwidth than all tasks together.
        /// @param length_bytes  of the message to which the bytes belong
        [[nodiscard]] double alone_s(double bytes, double length_bytes) const;
    };
    std::vector<Hop> hops;
    std::size_t leaves_at = 0;  ///< index of the hop that leaves the source's node; 0 inside a node
    double latency_s = 0.0;     ///< the largest latency of the ports
    bool between_nodes = false;
};

/// Returns the route from PU a to PU b; empty for a == b. Refers to hct.
/// Cost: O(depth).
[[nodiscard]] Route route_between(PuId a, PuId b, const Hct& hct);

/// Returns the number of ports: port numbers on routes are below it.
[[nodiscard]] inline std::size_t num_route_ports(const Hct& hct) { return 3 * hct.num_elements(); }

/// Returns the largest latency of a port between nodes; with one node, the largest of all ports.
[[nodiscard]] double largest_latency_s(const Hct& hct);

}  // namespace commmap
