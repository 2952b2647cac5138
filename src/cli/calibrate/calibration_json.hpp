// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>

#include "cli/calibrate/measured_links.hpp"
#include "core/calibration/measurements.hpp"
#include "core/calibration/series.hpp"

namespace commmap::cli {

/// Writes what was measured as JSON, for the page (docs/admin/calibrate.md has the keys): each kind
/// of ports with the numbers of the file, the new ones, and the values of all series, and each kind
/// of switches.
/// @param series        what was planned, as fit_ports() got it
/// @param measurements  the answers
[[nodiscard]] std::string json_of_calibration(const MeasuredKinds& measured,
                                              std::span<const Series> series,
                                              const Measurements& measurements);

}  // namespace commmap::cli
