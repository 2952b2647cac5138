// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/calibration/check/check_series.hpp"
#include "core/calibration/node_places.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// Value of at_once without --at-once.
inline constexpr std::uint32_t any_number_at_once = UINT32_MAX;

/// Plans the first measurement of a check.
///
/// - Ports: each node sends once and receives once. Its partner is of its class and on its switch,
///   else of another class, else another node that is alone on its switch. A node that is left over
///   gets a partner that measures in an earlier round too.
/// - Work: each node computes.
/// - Uplinks: each switch with a sibling, as many streams as fill its uplink and one more, at most
///   max_pairs_of_kind; one direction after the other.
/// - Places: plan_places() (place_plan.hpp).
///
/// Without a limit the number of series depends on the tree's depth and on the number of classes,
/// not on the number of nodes.
/// @param at_once  so many streams measure at once, at least 1; those that fill uplinks to find out
///                 places are not counted
/// @pre at least two nodes
/// Cost: O(nodes * (depth of the tree + series)).
[[nodiscard]] CheckPlan plan_check(const Cluster& cluster, const NodePlaces& places,
                                   std::uint32_t at_once);

/// Two switches that hang on the same one.
using Siblings = std::pair<std::uint32_t, std::uint32_t>;

/// Returns rounds of disjoint siblings, so that each switch of some is once or more in a pair.
/// @param switches  as indices into the cluster; those without another of the same parent are left
///                  out
[[nodiscard]] std::vector<std::vector<Siblings>> sibling_rounds(
    const Cluster& cluster, const std::vector<std::uint32_t>& switches);

/// Plans the streams of a path between two siblings.
/// @param not_these  nodes to avoid, as long as other nodes are left
/// @return  the path, and its pairs with `path` as their index
[[nodiscard]] std::pair<UplinkPath, std::vector<CheckPair>> plan_path(
    const Cluster& cluster, const NodePlaces& places, std::uint32_t from, std::uint32_t to,
    std::uint32_t path, const std::vector<NodeId>& not_these);

}  // namespace commmap
