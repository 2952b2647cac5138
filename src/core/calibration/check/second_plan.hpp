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
/// - Ports: each suspect, alone where uplinks are crossed or may be, with a node that is none, another one than before where there is one. A few
///   streams of others are measured too, to see whether all has become slower meanwhile.
/// - Work: each suspect twice, beside a node of its class that is none.
/// - Uplinks: each suspect with a sibling that is none; without one, the same path with other nodes.
/// - Places: each suspect with nodes of its switch and of others, while nodes that are no suspects
///   fill the uplinks.
/// @param first  what was measured first
/// Cost: O(suspects * nodes).
[[nodiscard]] CheckPlan plan_second(const Cluster& cluster, const NodePlaces& places,
                                    const CheckPlan& first, const Suspects& suspects,
                                    std::uint32_t at_once);

}  // namespace commmap
