// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "core/calibration/check/check_series.hpp"
#include "core/calibration/check/suspects.hpp"
#include "core/calibration/node_places.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// Plans the second measurement of a check, which tells the guilty from those that were only
/// measured together with them.
///
/// - Ports: each suspect with a node that is no suspect, and not its first partner if there is
///   another. A suspect measures alone if its stream crosses uplinks, or may. A few other streams
///   are measured too: they show whether everything has become slower.
/// - Work: each suspect twice, beside a node of its class that is no suspect.
/// - Uplinks: each suspect with a sibling that is no suspect. If there is none, the same path with
///   other nodes.
/// - Places: each suspect with nodes of its switch and of others, while nodes that are no suspects
///   fill the uplinks.
/// @param first  what was measured first
/// Cost: O(suspects * nodes).
[[nodiscard]] CheckPlan plan_second(const Cluster& cluster, const NodePlaces& places,
                                    const CheckPlan& first, const Suspects& suspects,
                                    std::uint32_t at_once);

}  // namespace commmap
