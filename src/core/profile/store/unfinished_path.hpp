// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

#include "core/base/own_name.hpp"

namespace commmap {

/// Returns the directory of unfinished runs in a directory of profiles. It is for the user alone,
/// and has a directory for each job step.
[[nodiscard]] inline std::string unfinished_directory(const std::string& profiles) {
    return profiles + "/" + own_name(".unfinished");
}

/// Returns the part of a run's name that names its job step.
[[nodiscard]] inline std::string step_mark(std::uint32_t job, std::uint32_t step) {
    return "-" + std::to_string(job) + "." + std::to_string(step) + "-";
}

/// Returns the name of a job step's directory.
[[nodiscard]] inline std::string step_name(std::uint32_t job, std::uint32_t step) {
    return std::to_string(job) + "." + std::to_string(step);
}

/// Returns where the node parts of a job step wait to become a profile (UnfinishedRun). These
/// functions have a header of their own for callers that only look whether there is anything.
[[nodiscard]] inline std::string unfinished_path(const std::string& profiles, std::uint32_t job,
                                                 std::uint32_t step) {
    return unfinished_directory(profiles) + "/" + step_name(job, step);
}

}  // namespace commmap
