#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/topology/hct.hpp"

namespace commmap {

/// The ports that a message goes through, one after the other, from its source on.
struct Route {
    struct Hop {
        std::uint32_t port = 0;            ///< below num_route_ports()
        const Channel* channel = nullptr;  ///< nullptr: through a switch element
        double max_bandwidth_bytes_per_s = 0.0;
        double framing = 1.0;  ///< bytes on the wire for a byte of a message
        double gap_s = 0.0;    ///< before each message

        /// How long the port can serve nobody else, in seconds.
        [[nodiscard]] double busy_s(double bytes) const;
        /// How long the bytes take when they have the port alone, in seconds: a task alone may get
        /// less than all together. @param length_bytes  of the message that they are of
        [[nodiscard]] double alone_s(double bytes, double length_bytes) const;
    };
    std::vector<Hop> hops;
    std::size_t leaves_at = 0;  ///< the hop out of the source's node; inside nodes the first one
    double latency_s = 0.0;     ///< the largest of the ports'
    bool between_nodes = false;
};

/// @return empty for a == b. Refers to hct. Cost: O(depth).
[[nodiscard]] Route route_between(PuId a, PuId b, const Hct& hct);

/// Port numbers on routes are below this.
[[nodiscard]] inline std::size_t num_route_ports(const Hct& hct) { return 3 * hct.num_elements(); }

/// The largest latency of a port between nodes; of any port where there is one node.
[[nodiscard]] double largest_latency_s(const Hct& hct);

}  // namespace commmap
