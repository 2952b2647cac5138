// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>

#include "core/calibration/port_kind.hpp"
#include "core/calibration/series.hpp"
#include "core/calibration/switch_kind.hpp"

namespace commmap::cli {

/// Returns the date of today: "2026-11-30".
[[nodiscard]] std::string today();

/// Lists pairs by the names of their ends: "m0>m2 m1>m3", or inside a node "m0:0>m0:1".
/// @param receivers  as many as senders
/// @param inside_of  as Series::inside_of
[[nodiscard]] std::string pairs_text(std::span<const std::uint32_t> senders,
                                     std::span<const std::uint32_t> receivers,
                                     const Allocation& allocation, NodeId inside_of = no_id);

/// Returns the name of a kind of ports: "ports of class 'dual'", "level 'core' inside of class
/// 'dual'", "uplinks of switches below the root". Where switches of one depth have several links,
/// the name of the link is added.
[[nodiscard]] std::string name_of_kind(const Cluster& cluster, const PortKind& kind);

/// Returns the name of a kind of switches: "switch 'core'", or "switches like 's0'" for several.
[[nodiscard]] std::string name_of_kind(const Cluster& cluster, const SwitchKind& kind);

/// Describes a series for the user: "round trips m0>m1, 1 B to 4 MiB".
[[nodiscard]] std::string describe_series(const Series& series, const Allocation& allocation);

/// Lists the planned measurements, a line each with kind and duration. Then come the kinds that
/// cannot be measured, with the reason, and the sum of the durations.
[[nodiscard]] std::string describe_plan(const Cluster& cluster, const Allocation& allocation,
                                        std::span<const PortKind> kinds,
                                        std::span<const SwitchKind> switches,
                                        std::span<const Series> series);

}  // namespace commmap::cli
