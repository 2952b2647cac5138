// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>

#include "core/calibration/port_fit.hpp"
#include "core/calibration/port_kind.hpp"
#include "core/calibration/series.hpp"

namespace commmap::cli {

/// "ports of class 'dual'", "uplinks of switches below the root".
[[nodiscard]] std::string name_of_kind(const Cluster& cluster, const PortKind& kind);

/// What a series does, for the user: "round trips m0>m1, 1 B to 4 MiB".
[[nodiscard]] std::string describe_series(const Series& series, const Allocation& allocation);

/// The measurements that are planned, a line each with its kind and duration, the kinds that cannot
/// be measured with the reason, and the sum of the durations.
[[nodiscard]] std::string describe_plan(const Cluster& cluster, const Allocation& allocation,
                                        std::span<const PortKind> kinds,
                                        std::span<const Series> series);

/// Section `links` of a cluster YAML with what was measured; comments say of what, and the spread.
/// A name that several kinds share stands once; a kind whose numbers differ from the first one's by
/// more than 10 % gets a name of its own, which a comment tells.
/// @param origin  the first comment: date, MPI, job
[[nodiscard]] std::string yaml_of_ports(const Cluster& cluster, const Allocation& allocation,
                                        std::span<const PortKind> kinds,
                                        std::span<const MeasuredPort> ports,
                                        const std::string& origin);

}  // namespace commmap::cli
