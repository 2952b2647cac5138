// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/calibration/check/check_series.hpp"
#include "core/calibration/node_places.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// Two sibling switches whose uplinks streams can fill, so that a stream inside one of them is fast
/// only when both its nodes hang there.
struct FilledUplinks {
    std::uint32_t a = 0;  ///< switch, as index into Cluster::switches
    std::uint32_t b = 0;
    std::uint32_t num_streams = 0;  ///< in each direction
};

/// Finds siblings for the switches that nodes hang on.
/// @param not_tested  gets a sentence for each switch that none is found for
[[nodiscard]] std::vector<std::vector<FilledUplinks>> find_filled_uplinks(
    const Cluster& cluster, const NodePlaces& places, std::vector<std::string>& not_tested);

/// Returns the streams that fill the uplinks of two switches in both directions.
/// @param a, b  so many nodes of each of the two switches as it has streams in a direction
[[nodiscard]] std::vector<CheckPair> filling(const std::vector<NodeId>& a,
                                             const std::vector<NodeId>& b);

struct PlacePlan {
    std::vector<CheckSeries> series;
    std::vector<std::string> not_tested;
};

/// Plans how nodes are found that hang on another switch than the file says.
///
/// While streams fill the uplinks of two switches, each other node of these switches sends to the
/// next one of its switch. A node that hangs elsewhere sends and receives through a full uplink.
/// The nodes that fill the uplinks may be such nodes themselves, so other ones do that in each of
/// three turns. When two nodes are swapped, at least one turn has neither of them.
///
/// Not tested are switches with few nodes, and those whose uplinks are wide. A stream more in a
/// full uplink must get at most two thirds of what it gets elsewhere.
[[nodiscard]] PlacePlan plan_places(const Cluster& cluster, const NodePlaces& places,
                                    std::uint32_t at_once);

}  // namespace commmap
