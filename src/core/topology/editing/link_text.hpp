// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/topology/bandwidth_curve.hpp"

namespace commmap {

/// Writes values of a link as a cluster YAML has them, with three significant digits. Lengths are
/// exact.

[[nodiscard]] std::string length_text(std::uint64_t bytes);
[[nodiscard]] std::string rate_text(double bytes_per_s);
/// Writes a curve: "{4 KiB: 70.5 MB/s, 2 MiB: 12.0 MB/s}", or "12.0 MB/s" for one point.
/// @pre the curve has a point
[[nodiscard]] std::string curve_text(const BandwidthCurve& curve);

/// Writes a name as a key or value of a YAML map in block or flow style. It has quotes where YAML
/// would read something else without them.
[[nodiscard]] std::string yaml_name(std::string_view name);

}  // namespace commmap
