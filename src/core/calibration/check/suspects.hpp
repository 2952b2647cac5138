// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "core/calibration/check/check_series.hpp"
#include "core/calibration/check/check_values.hpp"
#include "core/calibration/check/stream_rate.hpp"

namespace commmap {

/// One direction of a node's port.
struct PortEnd {
    NodeId node = 0;
    bool out = false;
    friend auto operator<=>(const PortEnd&, const PortEnd&) = default;
};

/// Ports, uplinks, nodes and places that were slow in the first measurement.
struct Suspects {
    /// Both ends of each slow stream, but for those that were fast with another node.
    std::set<PortEnd> ports;
    std::set<UplinkEnd> uplinks;  ///< both ends of each slow path, in the same way
    std::set<NodeId> work;        ///< nodes that computed slowly, or much too fast
    std::set<NodeId> places;      ///< may hang on another switch than the file says

    [[nodiscard]] bool empty() const {
        return ports.empty() && work.empty() && uplinks.empty() && places.empty();
    }
    /// Tells whether the ports of a stream's nodes may make it slow.
    [[nodiscard]] bool slow_down(const CheckPair& pair) const {
        return ports.contains({pair.sender, true}) || ports.contains({pair.receiver, false});
    }
    [[nodiscard]] bool has(NodeId node) const {
        return ports.contains({node, true}) || ports.contains({node, false}) ||
               work.contains(node) || places.contains(node);
    }
};

/// Below this share of the reference a stream, a path or a node's speed is slow. Clean streams on
/// an emulated cluster, beside other load, were within 8 % of each other; a fault that matters
/// costs more than that.
inline constexpr double least_share = 0.85;
/// A node that computes faster than its class by this factor is of another class.
inline constexpr double most_speed = 1.5;
/// A stream inside a switch that gets less than this share of what it gets alone goes through the
/// full uplink. There it gets 0.5 to 0.69 on the emulated cluster.
inline constexpr double least_share_inside = 0.8;

/// Finds what to measure again.
/// Cost: O(pairs * log(pairs)).
[[nodiscard]] Suspects find_suspects(const CheckPlan& plan, const CheckValues& values,
                                     const References& references);

}  // namespace commmap
