#pragma once

#include <cstdint>
#include <string>

#include "core/base/own_name.hpp"

namespace commmap {

/// In a directory of profiles, the user's alone, with a directory for each job step.
[[nodiscard]] inline std::string unfinished_directory(const std::string& profiles) {
    return profiles + "/" + own_name(".unfinished");
}

/// In the name of every run of a job step.
[[nodiscard]] inline std::string step_mark(std::uint32_t job, std::uint32_t step) {
    return "-" + std::to_string(job) + "." + std::to_string(step) + "-";
}

/// A job step's directory in that.
[[nodiscard]] inline std::string step_name(std::uint32_t job, std::uint32_t step) {
    return std::to_string(job) + "." + std::to_string(step);
}

/// Where what the nodes of a job step kept waits to become a profile (UnfinishedRun). Both
/// are here apart, for who only looks whether there is anything.
[[nodiscard]] inline std::string unfinished_path(const std::string& profiles, std::uint32_t job,
                                                 std::uint32_t step) {
    return unfinished_directory(profiles) + "/" + step_name(job, step);
}

}  // namespace commmap
