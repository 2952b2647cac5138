// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/calibration/measuring_text.hpp"

namespace commmap {

/// What a run of the measuring program printed, with all that links are computed from. Kept in a
/// file, measurements let links be computed again without a job.
struct Measurements {
    std::string date;     ///< "2026-11-29"
    std::string job;      ///< its number; empty: not known
    std::string library;  ///< the MPI; empty: not known
    std::vector<std::string> nodes;
    std::vector<NamedSeries> series;  ///< what was planned
    std::vector<Measured> measured;
    bool complete = false;  ///< the measuring program came to its end
    friend bool operator==(const Measurements&, const Measurements&) = default;
};

/// Writes measurements as lines of text. The first line names the format. "date", "job", "nodes"
/// and "library" have a value each. "series" has a line of write_series(). Lines of
/// write_measured() follow, and "complete" is the last line.
[[nodiscard]] std::string write_measurements(const Measurements& measurements);

/// Reads what write_measurements() writes. A text without its last line was cut off, or was
/// interrupted: it is not complete.
/// @param name  of the file, for errors
/// Errors: invalid_input, "NAME:LINE: what".
[[nodiscard]] Result<Measurements> read_measurements(std::string_view name, std::string_view text);

}  // namespace commmap
