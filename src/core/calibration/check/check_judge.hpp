// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "core/calibration/check/check_series.hpp"
#include "core/calibration/check/check_values.hpp"
#include "core/calibration/check/suspects.hpp"
#include "core/calibration/node_places.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// Which of two directions: away from the node or switch, or towards it.
enum class Direction : unsigned char { out, in };

/// A slow value that was measured twice.
struct SlowValue {
    Direction direction = Direction::out;  ///< of ports and uplinks
    double first = 0.0;                    ///< bytes per second; of work seconds
    double second = 0.0;
    Reference reference;
    /// Returns the second value as a share of the reference; for work the share of the speed.
    [[nodiscard]] double share() const;
    /// Returns how many spreads of its peers the second value is away from the reference; 0: the
    /// reference is the file's.
    [[nodiscard]] double times_spread() const;
    bool is_work = false;
};

/// Something that is not as its peers are, or not where the file says.
struct Outlier {
    enum class Kind : unsigned char {
        node,    ///< nodes[0] computes slowly, or much too fast
        port,    ///< nodes[0] sends or receives slowly; its CPUs are fine
        pair,    ///< nodes[0] to nodes[1] is slow, and no other node told which of the two it is
        uplink,  ///< switches[0] has a slow uplink
        path,    ///< from switches[0] to switches[1] is slow, and no third tells which uplink it is
        place,   ///< nodes[0], on switches[0] by the file, hangs on switches[1] if that is there
        swapped,  ///< nodes[0] and nodes[1], of switches[0] and switches[1] by the file
    };
    Kind kind = Kind::node;
    std::vector<NodeId> nodes;
    std::vector<std::uint32_t> switches;
    /// The slow values, a direction each. Of places: the streams inside the switch that the file
    /// says, with those inside the other switch as their reference.
    std::vector<SlowValue> values;
    /// Another class that has such rates by the file; no_id: none.
    std::uint32_t like_class = no_id;
};

/// Paths that say nothing about uplinks: all their streams may be slow because of their nodes.
/// @param suspects  of the first measurement
/// @return  indices into the paths of the second measurement
/// Cost: O(pairs * log(suspects)).
[[nodiscard]] std::set<std::uint32_t> paths_without_other_streams(const CheckPlan& second,
                                                                  const Suspects& suspects);

/// Names what was slow in both measurements.
///
/// - What is compared with peers must be five of their spreads away from them.
/// - A node that computes slowly is named as a node, and its ports are not.
/// - Ports of nodes that hang elsewhere are not named.
/// - Ports that were measured across slow uplinks only are not named.
/// - Uplinks of which paths_without_other_streams() has the only path are not named.
/// @param suspects  of the first measurement
/// Cost: O(pairs * suspects).
[[nodiscard]] std::vector<Outlier> judge(const Cluster& cluster, const NodePlaces& places,
                                         const CheckPlan& first, const CheckValues& first_values,
                                         const References& references, const Suspects& suspects,
                                         const CheckPlan& second, const CheckValues& second_values);

}  // namespace commmap
