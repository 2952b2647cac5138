// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/history/record/run_record.hpp"

namespace commmap {

/// What the planner knows about a run, handed to the srun that will measure how long the run takes.
struct PlannedRun {
    LaunchedAs launched_as = LaunchedAs::kept;
    std::uint64_t basis = 0;
    std::uint64_t placement = 0;
    double predicted_s = 0.0;  ///< as in PastRun; so are default_s and error
    double default_s = 0.0;
    double error = 0.0;
    std::string program;  ///< the end of its path
    std::string application_id;

    [[nodiscard]] bool operator==(const PlannedRun&) const = default;
};

/// Writes a planned run in one line, without a line feed. In the program's name, bytes other than
/// visible ASCII become '_', and a name that is too long loses its beginning.
[[nodiscard]] std::string format_planned_run(const PlannedRun& run);

/// Reads what format_planned_run() wrote; nullopt: it is something else. The text need not be
/// trusted.
[[nodiscard]] std::optional<PlannedRun> parse_planned_run(std::string_view text);

}  // namespace commmap
