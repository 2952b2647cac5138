#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/history/run_record.hpp"

namespace commmap {

/// What the planner knows of a run, for the srun that will know how long it took.
struct PlannedRun {
    LaunchedAs launched_as = LaunchedAs::kept;
    std::uint64_t basis = 0;
    std::uint64_t placement = 0;
    double predicted_s = 0.0;  ///< as in PastRun, and so are the next two
    double default_s = 0.0;
    double error = 0.0;
    std::string program;  ///< the end of its path
    std::string application_id;

    [[nodiscard]] bool operator==(const PlannedRun&) const = default;
};

/// One line without a line feed, which parse_planned_run() reads. Bytes of the program's name that
/// are no visible ASCII become '_', and what is too long is cut at the front.
[[nodiscard]] std::string format_planned_run(const PlannedRun& run);

/// none: it is no such line. Takes untrusted text.
[[nodiscard]] std::optional<PlannedRun> parse_planned_run(std::string_view text);

}  // namespace commmap
